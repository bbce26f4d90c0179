"""Rows of pairs by query and grade, and blocks of them in which every better row pairs with every worse one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.rankers._pair_rows import PairRows
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class GradedRows:
    """Rows of queries that have pairs, by query, and within it by rising grade."""

    n_rows: int  # of the features
    order: IntArray  # row of the features at each place
    weight: FloatArray
    runs: IntArray  # where each grade of each query starts, and the end
    queries: IntArray  # with which run each query starts, and the end

    def to_rows(self, values: FloatArray) -> FloatArray:
        """Values in the order of the features, 0 for rows that are left out."""
        out = np.zeros(self.n_rows)
        out[self.order] = values
        return out


@dataclass(frozen=True, eq=False)
class HalvedBlocks:
    """Neighbouring ranges of graded rows, the worse and the better; each pair of documents is in one block."""

    starts: IntArray
    middles: IntArray
    stops: IntArray
    shares: FloatArray  # of each block in what all pairs weigh
    queries: IntArray  # with which block each query starts, and the end


def graded_rows(rows: PairRows) -> GradedRows:
    """Sort rows that all weigh something by grade within their queries."""
    query = np.repeat(np.arange(rows.offsets.size - 1), np.diff(rows.offsets))
    weight = np.ones(query.size) if rows.weight is None else rows.weight / rows.weight.max()
    by_grade = np.lexsort((weight, rows.y, query))  # by weight, because rows may differ in nothing else
    new_query = np.append(True, np.diff(query) != 0)
    new_run = new_query | np.append(True, np.diff(rows.y[by_grade]) != 0)
    runs = np.add.reduceat(new_run, rows.offsets[:-1], dtype=np.int64)  # by query
    paired = np.repeat(runs > 1, np.diff(rows.offsets))
    by_grade = by_grade[paired]
    return GradedRows(
        n_rows=rows.order.size,
        order=rows.order[by_grade],
        weight=weight[by_grade],
        runs=np.append(np.flatnonzero(new_run[paired]), by_grade.size).astype(np.int64),
        queries=np.append(0, np.cumsum(runs[runs > 1])).astype(np.int64),
    )


def halved_blocks(rows: GradedRows) -> HalvedBlocks:
    """Halve the grades of each query: the upper half against the lower one is a block; then halve both halves.

    So g grades take g − 1 blocks, and a row is in about log2(g) of them at most.
    """
    low, high = rows.queries[:-1], rows.queries[1:]
    query = np.arange(low.size)
    levels = []
    while low.size:
        middle = (low + high) // 2
        levels.append(np.stack([query, low, middle, high]))
        query, low, high = np.tile(query, 2), np.append(low, middle), np.append(middle, high)
        several = high - low > 1
        query, low, high = query[several], low[several], high[several]
    query, low, middle, high = np.hstack(levels)
    by_query = np.argsort(query, kind="stable")  # the widest block of a query first
    starts, middles, stops = (rows.runs[borders[by_query]] for borders in (low, middle, high))
    sums = np.add.reduceat(np.append(rows.weight, 0.0), np.stack([starts, middles, stops], axis=1).ravel())
    pairs = sums[0::3] * sums[1::3]
    counts = np.bincount(query)
    return HalvedBlocks(starts, middles, stops, pairs / np.sort(pairs).sum(), np.append(0, np.cumsum(counts)))
