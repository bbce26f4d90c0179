"""Columns of features as lists of rows by rising value: made once, searched as often as one likes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.kernels import stumps as kernels
from rankwise.kernels import threads

__all__ = ["SortedColumns", "canonical", "midpoint", "sides", "sorted_columns"]

AT_ONCE = 16  # columns of a row-wise array that are read together: a cache line of them
MOST_ROWS = 2**31 - 1  # the top bit of an entry is a mark


@dataclass(frozen=True, eq=False)
class SortedColumns:
    """Entries of all columns one after the other; of each, rows with a value, then those with NaN."""

    entries: NDArray[np.uint32]  # rows, with a mark where a cut is possible
    starts: NDArray[np.int64]  # of the columns, and the end of the last
    middles: NDArray[np.int64]  # the zeros of rows without entry, if any, lie before this one
    stops: NDArray[np.int64]  # NaN from here on
    n_rows: int
    values: NDArray[Any]  # dense: the features themselves; sparse: a value for each entry

    def threshold(self, feature: int, place: int) -> float:
        """Half-way between the values on both sides of the cut at an entry."""
        middle = self.middles[feature]
        zeros = self.starts[feature + 1] - self.starts[feature] < self.n_rows
        if place < middle:
            above = 0.0 if zeros and place + 1 == middle else self._value(feature, place + 1)
            return midpoint(self._value(feature, place), above)
        below = 0.0 if zeros and place == middle else self._value(feature, place - 1)
        return midpoint(below, self._value(feature, place))

    def _value(self, feature: int, place: int) -> float:
        if self.values.ndim == 1:
            return float(self.values[place])
        return float(self.values[self.entries[place] & kernels.ROW, feature])

    def sides(self, feature: int, threshold: float) -> NDArray[np.int8]:
        """1 for rows above the threshold, −1 for the others, 0 where the value is missing."""
        if self.values.ndim == 2:
            return sides(self.values[:, feature], threshold)
        stored = slice(self.starts[feature], self.starts[feature + 1])
        return sides(self.values[stored], threshold, self.entries[stored] & kernels.ROW, self.n_rows)


def sides(values: NDArray[Any], threshold: float, rows: Any = None, n_rows: int = 0) -> NDArray[np.int8]:
    """On which side of the threshold each value lies: 1, −1, or 0 for NaN; of `n_rows` rows, all others being 0."""
    found = np.empty(values.size, dtype=np.int8)
    kernels.sides_of(values, threshold, found)
    if rows is None:
        return found
    out = np.full(n_rows, 1 if threshold < 0.0 else -1, dtype=np.int8)
    out[rows] = found
    return out


def midpoint(low: float, high: float) -> float:
    """A number t with low <= t < high, half-way where there is room.

    >>> midpoint(1.0, 2.0), midpoint(1e308, 1.5e308), midpoint(0.0, 5e-324)
    (1.5, 1.25e+308, 0.0)
    """
    middle = (low + high) / 2.0
    if math.isinf(middle):
        middle = low / 2.0 + high / 2.0
    return middle if low <= middle < high else low


def canonical(X: Any) -> Any:
    """A CSR matrix without repeated entries; the given one, where it has none."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def sorted_columns(X: Any) -> SortedColumns:
    """The columns of checked features, dense or CSR."""
    if X.shape[0] > MOST_ROWS:
        raise DataError(f"stumps are searched among at most {MOST_ROWS} rows, got {X.shape[0]}; pass a sample")
    return _of_sparse(X) if sp.issparse(X) else _of_dense(X)


def _of_dense(X: NDArray[Any]) -> SortedColumns:
    rows, columns = X.shape
    entries = np.empty((columns, rows), dtype=np.uint32)
    stops = np.empty(columns, dtype=np.int64)

    def sort(low: int, high: int) -> None:
        for c, values in enumerate(np.ascontiguousarray(X[:, low:high].T), start=low):
            order = np.argsort(values)  # equal values in any order, for sums are exact; NaN last
            entries[c] = order
            valued = np.array([rows - int(np.isnan(values).sum())])
            kernels.mark_cuts(values[order], np.array([0, rows]), valued, valued, rows, entries[c])
            stops[c] = c * rows + valued[0]

    threads.run([partial(sort, low, min(low + AT_ONCE, columns)) for low in range(0, columns, AT_ONCE)])
    starts = np.arange(columns + 1, dtype=np.int64) * rows
    return SortedColumns(entries.reshape(-1), starts, stops, stops, rows, X)


def _of_sparse(X: Any) -> SortedColumns:
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
    return SortedColumns(entries, starts, middles, stops, X.shape[0], values)
