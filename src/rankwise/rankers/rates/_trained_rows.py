"""Which rows a classifier was trained on, kept small: whoever certifies by them is told that it proves nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.data._row_hashes import RowHashes, row_hashes, single_hashes
from rankwise.rankers.rates._rows import RowMatrix
from rankwise.types import BoolArray

MAX_HASHES = 1024
WORTH_A_WORD = 0.05  # share of rows that were trained on from which on it is said
MIN_COMPARED = 20  # rows from which on a share says something


@dataclass(frozen=True, eq=False)
class TrainedRows:
    """The lowest hashes of the rows (their features, and whether they are positive), all of them if they are few.

    Rows that stand there twice are left out: where features have few values, new rows are like them by chance.
    """

    hashes: RowHashes
    are_all: bool

    @classmethod
    def of(cls, *parts: RowHashes) -> TrainedRows:
        """Rows trained on, and those that chose the model, by `row_keys` of each."""
        keys = single_hashes(np.concatenate(parts))
        return cls(keys[:MAX_HASHES], bool(keys.size <= MAX_HASHES))

    def share_of(self, rows: RowHashes) -> float:
        """The share of rows that are among these; 0 where too few can be told."""
        keys = single_hashes(rows)
        compared = keys if self.are_all or not self.hashes.size else keys[keys <= self.hashes[-1]]
        return float(np.isin(compared, self.hashes).mean()) if compared.size >= MIN_COMPARED else 0.0

    @classmethod
    def unknown(cls) -> TrainedRows:
        """Those of a file, which has none: a hash would tell whether somebody's row was trained on."""
        return cls(np.empty(0, dtype=np.uint64), False)


def row_keys(X: RowMatrix, positive: BoolArray) -> RowHashes:
    """What rows are known again by: their features, and whether they are positive."""
    return row_hashes(X, positive.astype(np.float64))
