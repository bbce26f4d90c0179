"""Columns of a sparse matrix as lists of their stored rows by rising value; zeros are never stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import _decision_stumps as kernels
from rankwise.kernels import _threads as threads
from rankwise.rankers.pairs.stumps._columns import canonical, midpoint, sides
from rankwise.types import IntArray


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Entries of all columns one after the other; of each, rows with a value, then those with NaN."""

    n_rows: int
    entries: NDArray[np.uint32]  # rows, with a mark where a cut is possible
    values: NDArray[Any]
    starts: IntArray  # of the columns, and the end of the last
    middles: IntArray  # the zeros of rows without entry, if any, lie before this entry
    stops: IntArray  # NaN from here on

    @classmethod
    def of(cls, X: Any) -> Self:
        """Sort the columns of a CSR matrix."""
        by_column = canonical(X).tocsc()
        by_column.eliminate_zeros()
        starts = by_column.indptr.astype(np.int64)
        column = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        order = np.lexsort((by_column.data, column))  # NaN last
        values, entries = by_column.data[order], by_column.indices[order].astype(np.uint32)
        negative, missing = (np.append(0, np.cumsum(which)) for which in (values < 0, np.isnan(values)))
        middles = starts[:-1] + np.diff(negative[starts])
        stops = starts[1:] - np.diff(missing[starts])
        kernels.mark_cuts(values, starts, middles, stops, X.shape[0], entries)
        return cls(X.shape[0], entries, values, starts, middles, stops)

    def best_cuts(self, weight: IntArray, single: bool) -> tuple[IntArray, IntArray]:
        """Σ above − Σ below of each column at its best cut, and the entry beside it."""
        edges, places = np.zeros((2, self.middles.size), dtype=np.int64)
        given = (self.entries, self.starts, self.middles, self.stops, weight, int(weight.sum()))
        threads.by_queries(lambda low, high: kernels.best_cuts(*given, low, high, edges, places), self.starts)
        return edges, places

    def threshold(self, feature: int, place: int) -> float:
        """Half-way between the values on both sides of a cut."""
        middle = self.middles[feature]
        zeros = self.starts[feature + 1] - self.starts[feature] < self.n_rows
        if place < middle:
            above = 0.0 if zeros and place + 1 == middle else float(self.values[place + 1])
            return midpoint(float(self.values[place]), above)
        below = 0.0 if zeros and place == middle else float(self.values[place - 1])
        return midpoint(below, float(self.values[place]))

    def sides(self, feature: int, threshold: float) -> NDArray[np.int8]:
        """1 for rows above the threshold, −1 for the others, 0 where the value is missing."""
        stored = slice(self.starts[feature], self.starts[feature + 1])
        return sides(self.values[stored], threshold, self.entries[stored] & kernels.ROW, self.n_rows)
