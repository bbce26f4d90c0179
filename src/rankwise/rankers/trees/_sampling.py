"""Which rows bins are found from: those with the lowest keys, whatever the order and the parts in which rows come."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data._row_hashes import RowHashes
from rankwise.types import FloatArray

Rows = tuple[RowHashes, NDArray[np.float32], FloatArray]  # keys, features and labels


class LowestKeys:
    """The rows with the `count` lowest keys of all that were added, in the order in which they came.

    There is room for twice as many, which is cut to the lowest when it is full.
    """

    def __init__(self, count: int) -> None:
        self.count, self.held = count, 0
        self.rows: Rows | None = None
        self.highest: int | None = None  # of the lowest so far; no row from here on is among them

    def add(self, keys: RowHashes, X: NDArray[np.float32], y: FloatArray) -> None:
        """Rows that may be among the lowest."""
        if self.rows is None:
            room = 2 * self.count
            self.rows = np.empty(room, np.uint64), np.empty((room, X.shape[1]), np.float32), np.empty(room)
        for start in range(0, keys.size, self.count):
            some = slice(start, start + self.count)
            below = (
                np.flatnonzero(keys[some] < self.highest) if self.highest is not None else np.arange(keys[some].size)
            )
            if self.held + below.size > 2 * self.count:
                self._cut(self.rows)
            new = slice(self.held, self.held + below.size)
            self.rows[0][new], self.rows[1][new], self.rows[2][new] = keys[some][below], X[some][below], y[some][below]
            self.held += below.size

    def found(self) -> Rows:
        """Keys, features and labels of these rows, which are no longer held here."""
        assert self.rows is not None
        self._cut(self.rows)
        keys, X, y = self.rows
        self.rows = None
        return keys[: self.held], X[: self.held], y[: self.held]

    def _cut(self, rows: Rows) -> None:
        keys = rows[0][: self.held]
        if keys.size <= self.count:
            return
        lowest = np.sort(np.argpartition(keys, self.count)[: self.count])
        for kept in rows:
            kept[: self.count] = kept[lowest]
        self.held, self.highest = self.count, int(keys[: self.count].max())
