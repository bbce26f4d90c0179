"""Rows that are read in passes: labels, queries and hashes are kept, features only in bins.

The first pass finds what a row is told apart by (see `row_hashes`) and keeps the rows that bins are found from, the
same ones as of data in memory; the second puts every row into its bins. So the trees are the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rankwise.data._arrow_columns import query_ids
from rankwise.data._row_hashes import RowHashes, row_hashes
from rankwise.data._sources import ParquetRows, is_paths
from rankwise.errors import DataError
from rankwise.types import AnyArray, FloatArray

Float32Array = NDArray[np.float32]
HashedRows = tuple[RowHashes, Float32Array, FloatArray]  # hashes, features and labels


class FeatureBlocks(Protocol):
    """Features that are read again in each pass."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ...

    def blocks(self) -> Iterator[Float32Array]:
        """The features, some rows at a time."""
        ...


@dataclass(frozen=True, eq=False)
class SurveyedRows:
    """What the first pass finds: all of the rows but their features, and the rows that bins are found from."""

    rows: ParquetRows
    hashes: RowHashes
    y: FloatArray
    qid: NDArray[np.int32]
    sample: BottomKSample

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.hashes.size, len(self.rows.features)

    def blocks(self) -> Iterator[Float32Array]:
        """The features, some rows at a time."""
        return self.rows.blocks()


def as_stream(X: object, *other: object) -> ParquetRows | None:
    """The rows of Parquet files that X names, else None; labels and queries are then in the files."""
    if not isinstance(X, ParquetRows) and not is_paths(X):
        return None
    if any(argument is not None for argument in other):
        raise DataError("files bring their labels and queries along, got y or qid too; pass the files alone")
    return X if isinstance(X, ParquetRows) else ParquetRows.of(X)


def survey(rows: ParquetRows, sample_rows: int) -> SurveyedRows:
    """Read all rows once."""
    sample, n_rows = BottomKSample(sample_rows), 0
    # At once, for pieces of them among the features of a batch would leave holes in memory.
    capacity = rows.rows_at_most()
    hashes, y, queries = np.empty(capacity, dtype=np.uint64), np.empty(capacity), QueryEncoder(capacity)
    for batch in rows.batches():
        new = slice(n_rows, n_rows + batch.y.size)
        hashes[new], y[new] = row_hashes(batch.X, batch.y), batch.y
        queries.add(batch.qid, new)
        n_rows += batch.y.size
        if sample_rows:
            sample.add(hashes[new], batch.X, batch.y)
    if not n_rows:
        raise DataError(f"there are no rows in {rows}; check how it was made")
    return SurveyedRows(rows, hashes[:n_rows], y[:n_rows], queries.codes(n_rows), sample)


class BottomKSample:
    """The rows with the `k` lowest hashes of all that were added, in the order in which they came.

    So it is the same sample whatever the order and the batches in which rows come. There is room for twice as many
    rows, which is cut to the lowest when it is full.
    """

    def __init__(self, k: int) -> None:
        self.k, self.size = k, 0
        self.buffers: HashedRows | None = None
        self.bound: int | None = None  # no row with a hash from here on is among the lowest

    def add(self, hashes: RowHashes, X: Float32Array, y: FloatArray) -> None:
        """Rows that may be among the lowest."""
        if self.buffers is None:
            room = 2 * self.k
            self.buffers = np.empty(room, np.uint64), np.empty((room, X.shape[1]), np.float32), np.empty(room)
        for start in range(0, hashes.size, self.k):
            batch: list[AnyArray] = [values[start : start + self.k] for values in (hashes, X, y)]
            below = np.arange(batch[0].size) if self.bound is None else np.flatnonzero(batch[0] < self.bound)
            if self.size + below.size > 2 * self.k:
                self._cut(self.buffers)
            new = slice(self.size, self.size + below.size)
            self.buffers[0][new], self.buffers[1][new], self.buffers[2][new] = (values[below] for values in batch)
            self.size += below.size

    def take(self) -> HashedRows:
        """Hashes, features and labels of these rows, which are no longer held here."""
        assert self.buffers is not None
        self._cut(self.buffers)
        hashes, X, y = self.buffers
        self.buffers = None
        return hashes[: self.size], X[: self.size], y[: self.size]

    def _cut(self, buffers: HashedRows) -> None:
        hashes = buffers[0][: self.size]
        if hashes.size <= self.k:
            return
        lowest = np.sort(np.argpartition(hashes, self.k)[: self.k])
        for buffer in buffers:
            buffer[: self.k] = buffer[lowest]
        self.size, self.bound = self.k, int(hashes[: self.k].max())


class QueryEncoder:
    """A small number for the query of each row; equal for rows of one name, in whatever batches they come.

    Names are kept once per batch.
    """

    def __init__(self, n_rows: int) -> None:
        self.places = np.zeros(n_rows, dtype=np.int32)  # among the names of all batches, one after the other
        self.names: list[pa.Array] = []
        self.n_names = 0

    def add(self, qid: pa.Array | None, rows: slice) -> None:
        """The names of a batch; None where there are none."""
        if qid is None:
            return
        encoded = qid.dictionary_encode()
        self.places[rows] = encoded.indices.to_numpy()
        self.places[rows] += self.n_names
        self.names.append(encoded.dictionary)
        self.n_names += len(encoded.dictionary)

    def codes(self, n_rows: int) -> NDArray[np.int32]:
        """A number per row."""
        if not self.names:
            return self.places[:n_rows]
        numbers = np.unique(query_ids(self.names), return_inverse=True)[1].astype(np.int32)
        return np.asarray(numbers[self.places[:n_rows]])
