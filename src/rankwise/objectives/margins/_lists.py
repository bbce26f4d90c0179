"""Rows of queries as the pair programs see them: which pairs there are, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankwise.errors import DataError
from rankwise.kernels.pairs._listed_pairs import grade_rows, list_pairs, pair_weights
from rankwise.types import FloatArray, IntArray

SAMPLED_PAIRS = 16_384
MAX_BLOCK_ENTRIES = 50  # per row: with more grades, blocks would take memory quadratic in the rows
FEW_GRADES = 32  # per query: up to here, labels are looked up one by one
MAX_LISTED_PAIRS = 64  # per row: up to here, a look at every pair is cheaper than a sort and sweeps
MAX_PAIRS_IN_ALL = 2**26  # half a gigabyte of numbers, one per pair


def has_few_pairs(offsets: IntArray) -> bool:
    """Whether queries of these sizes cannot have more pairs than can be listed."""
    sizes = np.diff(offsets)
    pairs = (sizes * (sizes - 1)).sum() // 2
    return bool(pairs <= min(MAX_LISTED_PAIRS * offsets[-1], MAX_PAIRS_IN_ALL))


@dataclass(frozen=True, eq=False)
class ListedPairs:
    """All pairs in turn: from `pairs[i]` on those of row i with the rows from `worse[i]` to the end of its query."""

    worse: IntArray
    pairs: IntArray


@dataclass(frozen=True, eq=False)
class ProductBlocks:
    """The pairs of a list as products: block b pairs each of its better rows with each of its worse ones.

    The better rows of a block share a query and a grade; the worse ones are all of lower grades in that query.
    """

    better: IntArray
    better_starts: IntArray
    worse: IntArray
    worse_starts: IntArray
    weights: FloatArray  # of better and of worse rows, one line per block

    @property
    def pairs(self) -> FloatArray:
        """Weight of the pairs of each block."""
        return np.asarray(self.weights[:, 0] * self.weights[:, 1])

    def rows(self, block: int) -> tuple[IntArray, IntArray]:
        """The better and the worse rows of a block."""
        better = self.better[self.better_starts[block] : self.better_starts[block + 1]]
        return better, self.worse[self.worse_starts[block] : self.worse_starts[block + 1]]


@dataclass(frozen=True, eq=False)
class PairLists:
    """Grades and weights of rows, those of a query together.

    >>> lists = PairLists.of(np.array([2.0, 0.0, 1.0, 1.0, 0.0]), np.array([0, 3, 5]))
    >>> lists.grade, lists.grades, lists.pairs
    (array([2, 0, 1, 1, 0]), array([3, 2]), 4.0)
    """

    grade: IntArray  # from 0 within the query
    grades: IntArray  # number of grades of each query
    offsets: IntArray
    weight: FloatArray  # of each row; a pair weighs the product

    @classmethod
    def of(cls, y: FloatArray, offsets: IntArray, weight: FloatArray | None = None) -> PairLists:
        """Those of labels, of which the higher is the better."""
        grade, grades = np.empty(y.size, dtype=np.int64), np.empty(offsets.size - 1, dtype=np.int64)
        if not grade_rows(y, offsets, np.empty(FEW_GRADES), grade, grades):
            query = np.repeat(np.arange(grades.size), np.diff(offsets))
            order = np.lexsort((y, query))
            rises = np.append(False, (np.diff(y[order]) != 0) & (np.diff(query) == 0))
            level = np.cumsum(rises)
            grade[order] = level - np.repeat(level[offsets[:-1]], np.diff(offsets))
            grades = np.maximum.reduceat(grade, offsets[:-1]) + 1
        return cls(grade, grades, offsets, np.ones(y.size) if weight is None else weight)

    @cached_property
    def query_pairs(self) -> FloatArray:
        """Weight of the pairs of each query."""
        total = np.empty(self.grades.size)
        pair_weights(self.grade, self.grades, self.weight, self.offsets, total)
        return total

    @cached_property
    def pairs(self) -> float:
        """Weight of all pairs."""
        return float(self.query_pairs.sum())

    @cached_property
    def listed(self) -> ListedPairs | None:
        """All pairs, where they are few, and the rows of each query by falling grade."""
        if not has_few_pairs(self.offsets):
            return None
        worse, pairs = np.empty(self.grade.size, dtype=np.int64), np.empty(self.grade.size + 1, dtype=np.int64)
        return ListedPairs(worse, pairs) if list_pairs(self.grade, self.offsets, worse, pairs) else None

    @property
    def two_grades(self) -> bool:
        """Whether no query has more than two grades."""
        return bool(self.grades.max() <= 2)

    @cached_property
    def sample(self) -> tuple[IntArray, IntArray]:
        """Pairs drawn at random, the better row and the worse: where in the list margins lie, roughly."""
        query = np.repeat(np.arange(self.grades.size), np.diff(self.offsets))
        by_grade = np.lexsort((self.grade, query))
        change = np.append(True, np.diff(self.grade[by_grade]) != 0) | np.isin(np.arange(query.size), self.offsets)
        run = np.maximum.accumulate(np.where(change, np.arange(query.size), 0))
        worse = run - self.offsets[query]  # how many rows of the query are of lower grades: they stand first
        random = np.random.default_rng(0)
        drawn = np.searchsorted(np.cumsum(worse), random.integers(worse.sum(), size=SAMPLED_PAIRS), side="right")
        partner = self.offsets[query[drawn]] + (random.random(SAMPLED_PAIRS) * worse[drawn]).astype(np.int64)
        return by_grade[drawn], by_grade[partner]

    @cached_property
    def blocks(self) -> ProductBlocks:
        """All pairs as products of rows."""
        better: list[IntArray] = []
        worse: list[IntArray] = []
        limit, entries = MAX_BLOCK_ENTRIES * self.grade.size, 0
        for q in np.flatnonzero(self.grades > 1):
            start, stop = self.offsets[q], self.offsets[q + 1]
            by_grade = start + np.argsort(self.grade[start:stop], kind="stable")
            borders = np.searchsorted(self.grade[by_grade], np.arange(1, self.grades[q] + 1))
            for low, high in pairwise(borders):
                better.append(by_grade[low:high])
                worse.append(by_grade[:low])
                entries += int(high)
                if entries > limit:
                    raise DataError(
                        f"products of rows are for few grades per query, got {self.grades.max()}; use method='pairs'"
                    )
        weights = [[self.weight[rows].sum() for rows in both] for both in zip(better, worse, strict=True)]
        return ProductBlocks(*_concatenated(better), *_concatenated(worse), np.array(weights))


def _concatenated(lists: list[IntArray]) -> tuple[IntArray, IntArray]:
    """All lists one after the other, and where each starts, with the end."""
    return np.concatenate(lists), np.append(0, np.cumsum([rows.size for rows in lists]))
