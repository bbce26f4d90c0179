"""Rows of queries as the margin programs see them: which pairs there are, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankwise.errors import DataError
from rankwise.kernels.pairs._close_pairs import close_weight
from rankwise.types import FloatArray, IntArray

SAMPLE = 16_384  # pairs
MOST_ENTRIES = 50  # of blocks, for each row: with more grades they would take memory quadratic in the rows


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of a list as products: block b pairs each of its better rows with each of its worse ones.

    The better rows of a block share a query and a grade; the worse ones are all of lower grades in that query.
    """

    better: IntArray
    better_starts: IntArray
    worse: IntArray
    worse_starts: IntArray
    weights: FloatArray  # of better and of worse rows, one line a block

    @property
    def pairs(self) -> FloatArray:
        """Weight of the pairs of each block."""
        return np.asarray(self.weights[:, 0] * self.weights[:, 1])


@dataclass(frozen=True, eq=False)
class PairLists:
    """Grades and weights of rows, those of a query together.

    >>> lists = PairLists.of(np.array([2.0, 0.0, 1.0, 1.0, 0.0]), np.array([0, 3, 5]))
    >>> lists.grade, lists.grades, lists.pairs
    (array([2, 0, 1, 1, 0]), array([3, 2]), 4.0)
    """

    grade: IntArray  # from 0 within the query
    grades: IntArray  # how many a query has
    offsets: IntArray
    weight: FloatArray

    @classmethod
    def of(cls, y: FloatArray, offsets: IntArray, weight: FloatArray | None = None) -> PairLists:
        """Those of labels, of which the higher is the better."""
        query = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        order = np.lexsort((y, query))
        first = np.append(True, query[order][1:] != query[order][:-1])
        rises = np.append(0, y[order][1:] != y[order][:-1])
        level = np.cumsum(np.where(first, 0, rises))
        grade = np.empty(y.size, dtype=np.int64)
        grade[order] = level - np.repeat(level[offsets[:-1]], np.diff(offsets))
        grades = np.maximum.reduceat(grade, offsets[:-1]) + 1
        return cls(grade, grades, offsets, np.ones(y.size) if weight is None else weight)

    @cached_property
    def pairs(self) -> float:
        """Weight of all pairs."""
        total = np.zeros(self.grades.size)
        order, ones = np.arange(self.grade.size), np.zeros(self.grade.size)
        close_weight(ones, self.grade[order], self.grades, self.weight, self.offsets, 1.0, 0, self.grades.size, total)
        return float(total.sum())

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
        drawn = np.searchsorted(np.cumsum(worse), random.integers(worse.sum(), size=SAMPLE), side="right")
        partner = self.offsets[query[drawn]] + (random.random(SAMPLE) * worse[drawn]).astype(np.int64)
        return by_grade[drawn], by_grade[partner]

    @cached_property
    def blocks(self) -> Blocks:
        """All pairs as products of rows."""
        better: list[IntArray] = []
        worse: list[IntArray] = []
        limit, entries = MOST_ENTRIES * self.grade.size, 0
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
        return Blocks(*_joined(better), *_joined(worse), np.array(weights))


def _joined(parts: list[IntArray]) -> tuple[IntArray, IntArray]:
    return np.concatenate(parts), np.append(0, np.cumsum([part.size for part in parts]))
