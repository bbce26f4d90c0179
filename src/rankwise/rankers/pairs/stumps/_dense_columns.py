"""Columns of an array as their rows by rising value, in bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import _binned_columns as kernels
from rankwise.kernels import _threads as threads
from rankwise.kernels._decision_stumps import ROW, mark_cuts
from rankwise.rankers.pairs.stumps._columns import midpoint, sides
from rankwise.types import BoolArray, IntArray

AT_ONCE = 16  # columns of a row-wise array that are read together: a cache line of them
SMALLEST_BIN, MOST_BINS = 32, 4096  # rows of a bin, and bins of a column of different values, which fit in fast memory


@dataclass(frozen=True, eq=False)
class DenseColumns:
    """For each column its rows by rising value, those with NaN last, and the bin of each row."""

    X: NDArray[Any]
    entries: NDArray[np.uint32]  # by column: rows, with a mark where the next one has a larger value
    codes: NDArray[np.uint16]  # by column: bin of each row
    starts: IntArray  # of all bins of all columns, each column's followed by its end
    mixed: BoolArray  # whether a bin has several values
    firsts: IntArray  # first bin of each column among all, and the end

    @classmethod
    def of(cls, X: NDArray[Any]) -> Self:
        """Sort the columns of an array."""
        rows, columns = X.shape
        entries, codes = np.empty((columns, rows), dtype=np.uint32), np.empty((columns, rows), dtype=np.uint16)
        bins: list[Any] = [None] * columns

        def sort(low: int, high: int) -> None:
            for c, values in enumerate(np.ascontiguousarray(X[:, low:high].T), start=low):
                bins[c] = _sort(values, entries[c], codes[c])

        threads.run([partial(sort, low, min(low + AT_ONCE, columns)) for low in range(0, columns, AT_ONCE)])
        starts, mixed = (np.concatenate(parts) for parts in zip(*bins, strict=True))
        firsts = np.append(0, np.cumsum([own.size for own, _ in bins]))
        return cls(X, entries, codes, starts, mixed, firsts)

    @property
    def n_rows(self) -> int:
        """Rows of each column."""
        return int(self.X.shape[0])

    def best_cuts(self, weight: IntArray, single: bool) -> tuple[IntArray, IntArray]:
        """Σ above − Σ below of each column at its best cut, and the entry below it."""
        columns, rows = self.entries.shape
        edges, places = np.zeros((2, columns), dtype=np.int64)
        lists = (self.entries, self.codes, self.starts, self.mixed, self.firsts)
        given = (*lists, weight, int(weight.sum()), single)
        in_rows = np.arange(columns + 1) * rows
        threads.by_queries(lambda low, high: kernels.best_binned_cuts(*given, low, high, edges, places), in_rows)
        return edges, places

    def threshold(self, feature: int, place: int) -> float:
        """Half-way between the values on both sides of a cut."""
        low, high = self.X[self.entries[feature, place : place + 2] & ROW, feature].tolist()
        return midpoint(low, high)

    def sides(self, feature: int, threshold: float) -> NDArray[np.int8]:
        """1 for rows above the threshold, −1 for the others, 0 where the value is missing."""
        return sides(self.X[:, feature], threshold)


def _sort(values: NDArray[Any], entries: NDArray[np.uint32], codes: NDArray[np.uint16]) -> tuple[IntArray, Any]:
    """Fill in the entries and codes of a column; the starts of its bins with their end, and which are mixed."""
    order = _rising_order(values)
    entries[:] = order
    rows = values.size
    valued = np.array([rows - int(np.isnan(values).sum())])
    mark_cuts(values[order], np.array([0, rows]), valued, valued, rows, entries)
    size = max(SMALLEST_BIN, -(-rows // MOST_BINS))
    starts = np.empty(3 * (rows // size) + 3, dtype=np.int64)
    mixed = np.zeros(starts.size, dtype=np.bool_)
    bins = kernels.make_bins(entries, int(valued[0]), size, codes, starts, mixed)
    return starts[: bins + 1], mixed[: bins + 1]


def _rising_order(values: NDArray[Any]) -> NDArray[np.uint32]:
    """Rows by rising value, NaN last; equal ones in any order, for sums over them are exact."""
    kind = np.uint32 if values.dtype == np.float32 else np.uint64
    bits = np.iinfo(kind).bits
    top = kind(1 << (bits - 1))
    raw = np.abs(values).view(kind)  # of numbers from 0 on, bits rise as they do
    keys = np.where(np.isnan(values), ~kind(0), np.where(values < 0, ~(raw | top), raw | top))
    order = np.arange(values.size, dtype=np.uint32)
    return np.asarray(kernels.rising_order(keys, order, np.empty_like(keys), np.empty_like(order), bits))
