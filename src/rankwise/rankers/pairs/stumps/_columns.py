"""Columns of features sorted once, dense or sparse, in which the best cut is then searched as often as needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.kernels import _binned_columns as binned_columns
from rankwise.kernels import _decision_stumps as kernels
from rankwise.kernels import _threads as threads
from rankwise.rankers.pairs._matrix import canonical
from rankwise.types import AnyArray, BoolArray, IntArray

COLUMNS_AT_ONCE = 16  # of a row-wise array that are read together: a cache line of them
MIN_BIN_ROWS, MAX_BINS = 32, 4096  # of a column of different values, so that its bins fit in fast memory


def midpoint(low: float, high: float) -> float:
    """A number t with low <= t < high, half-way where there is room.

    >>> midpoint(1.0, 2.0), midpoint(1e308, 1.5e308), midpoint(0.0, 5e-324)
    (1.5, 1.25e+308, 0.0)
    """
    middle = (low + high) / 2.0
    if math.isinf(middle):
        middle = low / 2.0 + high / 2.0
    return middle if low <= middle < high else low


def column_sides(X: AnyArray | sp.csc_matrix, feature: int, threshold: float) -> NDArray[np.int8]:
    """On which side of the threshold each row lies: 1 above, −1 not above, 0 where the value is missing."""
    if isinstance(X, np.ndarray):
        return _sides(X[:, feature], threshold)
    stored = slice(X.indptr[feature], X.indptr[feature + 1])
    return _sides_of_stored(X.data[stored], X.indices[stored], X.shape[0], threshold)


def _sides(values: AnyArray, threshold: float) -> NDArray[np.int8]:
    out = np.empty(values.size, dtype=np.int8)
    kernels.sides_of(values, threshold, out)
    return out


def _sides_of_stored(values: AnyArray, rows: AnyArray, n_rows: int, threshold: float) -> NDArray[np.int8]:
    """The same for rows of which only some have a stored value, all others being 0."""
    out = np.full(n_rows, 1 if threshold < 0.0 else -1, dtype=np.int8)
    out[rows] = _sides(values, threshold)
    return out


@dataclass(frozen=True, eq=False)
class DenseColumns:
    """For each column of an array its rows by rising value, those with NaN last, and the bin of each row."""

    X: AnyArray
    entries: NDArray[np.uint32]  # by column: rows, with a mark where the next one has a larger value
    codes: NDArray[np.uint16]  # by column: bin of each row
    starts: IntArray  # of all bins of all columns, each column's followed by its end
    mixed: BoolArray  # whether a bin has several values
    firsts: IntArray  # first bin of each column among all, and the end

    @classmethod
    def of(cls, X: AnyArray) -> Self:
        """Sort the columns of an array."""
        rows, columns = X.shape
        entries, codes = np.empty((columns, rows), dtype=np.uint32), np.empty((columns, rows), dtype=np.uint16)
        bins: dict[int, tuple[IntArray, BoolArray]] = {}

        def sort(low: int, high: int) -> None:
            for c, values in enumerate(np.ascontiguousarray(X[:, low:high].T), start=low):
                bins[c] = _sort(values, entries[c], codes[c])

        threads.run(
            [partial(sort, low, min(low + COLUMNS_AT_ONCE, columns)) for low in range(0, columns, COLUMNS_AT_ONCE)]
        )
        starts, mixed = zip(*(bins[c] for c in range(columns)), strict=True)
        firsts = np.append(0, np.cumsum([column.size for column in starts]))
        return cls(X, entries, codes, np.concatenate(starts), np.concatenate(mixed), firsts)

    @property
    def n_rows(self) -> int:
        """Rows of each column."""
        return int(self.X.shape[0])

    def best_cuts(self, weight: IntArray, single: bool) -> tuple[IntArray, IntArray]:
        """Σ above − Σ below of each column at its best cut, and the entry below it; of equal cuts the lowest.

        If `single`, this need hold for the best of all columns only; no other is larger.
        """
        columns, rows = self.entries.shape
        edges, places = np.zeros((2, columns), dtype=np.int64)
        lists = (self.entries, self.codes, self.starts, self.mixed, self.firsts, weight, int(weight.sum()), single)
        threads.by_queries(
            lambda low, high: binned_columns.best_binned_cuts(*lists, low, high, edges, places),
            np.arange(columns + 1) * rows,
        )
        return edges, places

    def threshold(self, feature: int, place: int) -> float:
        """Half-way between the values on both sides of a cut."""
        low, high = self.X[self.entries[feature, place : place + 2] & kernels.ROW, feature].tolist()
        return midpoint(low, high)

    def sides(self, feature: int, threshold: float) -> NDArray[np.int8]:
        """1 for rows above the threshold, −1 for the others, 0 where the value is missing."""
        return column_sides(self.X, feature, threshold)


def _sort(values: AnyArray, entries: NDArray[np.uint32], codes: NDArray[np.uint16]) -> tuple[IntArray, BoolArray]:
    """Fill in the entries and codes of a column; the starts of its bins with their end, and whether they are mixed."""
    order = _rising_order(values)
    entries[:] = order
    rows = values.size
    stop = np.array([rows - int(np.isnan(values).sum())])
    kernels.mark_cuts(values[order], np.array([0, rows]), stop, stop, rows, entries)
    size = max(MIN_BIN_ROWS, -(-rows // MAX_BINS))
    starts = np.empty(3 * (rows // size) + 3, dtype=np.int64)
    mixed = np.zeros(starts.size, dtype=np.bool_)
    bins = binned_columns.make_bins(entries, int(stop[0]), size, codes, starts, mixed)
    return starts[: bins + 1], mixed[: bins + 1]


def _rising_order(values: AnyArray) -> NDArray[np.uint32]:
    """Rows by rising value, NaN last; equal ones in any order, for sums over them are exact."""
    dtype = np.uint32 if values.dtype == np.float32 else np.uint64
    bits = np.iinfo(dtype).bits
    top = dtype(1 << (bits - 1))
    raw: AnyArray = np.abs(values).view(dtype)  # of numbers from 0 on, bits rise as they do
    keys = np.where(np.isnan(values), ~dtype(0), np.where(values < 0, ~(raw | top), raw | top))
    order = np.arange(values.size, dtype=np.uint32)
    return np.asarray(binned_columns.rising_order(keys, order, np.empty_like(keys), np.empty_like(order), bits))


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Stored entries of all columns one after the other, each by rising value, NaN last; zeros are never stored."""

    n_rows: int
    entries: NDArray[np.uint32]  # rows, with a mark where a cut is possible
    values: AnyArray
    starts: IntArray  # of the columns, and the end of the last
    middles: IntArray  # the zeros of rows without entry, if any, lie before this entry
    stops: IntArray  # NaN from here on

    @classmethod
    def of(cls, X: sp.csr_matrix) -> Self:
        """Sort the columns of a CSR matrix."""
        by_column = canonical(X).tocsc()
        by_column.eliminate_zeros()
        starts = by_column.indptr.astype(np.int64)
        column = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        order = np.lexsort((by_column.data, column))  # NaN last
        values, entries = by_column.data[order], by_column.indices[order].astype(np.uint32)
        negative, missing = (np.append(0, np.cumsum(mask)) for mask in (values < 0, np.isnan(values)))
        middles = starts[:-1] + np.diff(negative[starts])
        stops = starts[1:] - np.diff(missing[starts])
        kernels.mark_cuts(values, starts, middles, stops, X.shape[0], entries)
        return cls(X.shape[0], entries, values, starts, middles, stops)

    def best_cuts(self, weight: IntArray, single: bool) -> tuple[IntArray, IntArray]:
        """Σ above − Σ below of each column at its best cut, and the entry beside it; of equal cuts the lowest."""
        edges, places = np.zeros((2, self.middles.size), dtype=np.int64)
        lists = (self.entries, self.starts, self.middles, self.stops, weight, int(weight.sum()))
        threads.by_queries(lambda low, high: kernels.best_cuts(*lists, low, high, edges, places), self.starts)
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
        return _sides_of_stored(self.values[stored], self.entries[stored] & kernels.ROW, self.n_rows, threshold)
