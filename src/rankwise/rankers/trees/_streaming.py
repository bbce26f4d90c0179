"""Rows that are read in passes: labels, queries and keys are kept, features only in bins.

The first pass finds what a row is told apart by (see `row_keys`) and keeps the rows that bins are found from, the same
ones as of data in memory; the second puts every row into its bins. So the trees are the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

from rankwise.data._row_hashes import RowHashes, row_hashes
from rankwise.data._sources import ParquetRows, is_paths
from rankwise.errors import DataError
from rankwise.rankers.trees._query_encoder import QueryCodes
from rankwise.rankers.trees._sampling import LowestKeys
from rankwise.types import FloatArray


class ReadInPasses(Protocol):
    """Features that are read again in each pass."""

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The features, some rows at a time."""
        ...


@dataclass(frozen=True, eq=False)
class StreamedFeatures:
    """What stands for X where its rows are read again in each pass."""

    rows: ParquetRows
    keys: RowHashes

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.keys.size, len(self.rows.features)

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The features, some rows at a time."""
        return self.rows.blocks()


@dataclass(frozen=True, eq=False)
class Survey:
    """What the first pass finds: all of the rows but their features, and the rows that bins are found from."""

    features: StreamedFeatures
    y: FloatArray
    qid: NDArray[Any]
    sample: LowestKeys
    skipped: int


def as_stream(X: Any, *other: Any) -> ParquetRows | None:
    """The rows of Parquet files that X names, else None; labels and queries are then in the files."""
    if not isinstance(X, ParquetRows) and not is_paths(X):
        return None
    if any(one is not None for one in other):
        raise DataError("files bring their labels and queries along, got y or qid too; pass the files alone")
    return X if isinstance(X, ParquetRows) else ParquetRows.of(X)


def survey(rows: ParquetRows, sample: int) -> Survey:
    """Read all rows once."""
    lowest, done, skipped = LowestKeys(sample), 0, 0
    # At once, for pieces of them among the features of a batch would leave holes in memory.
    most = rows.rows_at_most()
    keys, y, queries = np.empty(most, dtype=np.uint64), np.empty(most), QueryCodes(most)
    for batch in rows.batches():
        new = slice(done, done + batch.y.size)
        keys[new], y[new] = row_hashes(batch.X, batch.y), batch.y
        queries.add(batch.qid, new)
        done += batch.y.size
        skipped += batch.skipped
        if sample:
            lowest.add(keys[new], batch.X, batch.y)
    if not done:
        raise DataError(f"there are no rows in {rows}; check how it was made")
    return Survey(StreamedFeatures(rows, keys[:done]), y[:done], queries.found(done), lowest, skipped)


class RowSequence(lgb.Sequence):
    """Features for LightGBM, which asks for them from the first row to the last."""

    def __init__(self, blocks: Iterator[NDArray[np.float32]], rows: int) -> None:
        self.blocks, self.rows = blocks, rows
        self.batch_size = 1 << 14
        self.held: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, asked: Any) -> NDArray[np.float32]:
        count, parts = asked.stop - asked.start, []
        while count:
            if self.held is None or not len(self.held):
                self.held = next(self.blocks)
            parts.append(self.held[:count])
            self.held = self.held[count:]
            count -= len(parts[-1])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
