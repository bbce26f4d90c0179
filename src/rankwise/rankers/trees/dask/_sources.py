"""Where the rows of a cluster come from: row groups of Parquet files, partitions of a Dask DataFrame, or arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from dask.base import is_dask_collection
from distributed import Client
from numpy.typing import NDArray

from rankwise._validation import as_vector
from rankwise.data._columns import Columns
from rankwise.data._frames import as_table, encode_columns, is_frame, table_columns
from rankwise.data._ranking_data import RankingData
from rankwise.data._sources import VALUES_AT_ONCE, ParquetRows, RowSource
from rankwise.data.io._formats import numbered_columns
from rankwise.data.io._table_batch import TableBatch
from rankwise.data.io._tables import TableRows, rows_of_batch
from rankwise.errors import DataError, ShapeError
from rankwise.rankers.trees._streaming import as_stream
from rankwise.types import FloatArray

FRAME = Path("the Dask DataFrame")


@dataclass(frozen=True, eq=False)
class ArrayPiece:
    """Rows in memory."""

    X: NDArray[np.float32]
    y: FloatArray
    qid: Any = None

    def batches(self) -> Iterator[TableRows]:
        """All rows, some at a time."""
        step = max(1, VALUES_AT_ONCE // max(1, self.X.shape[1]))
        for start in range(0, self.y.size, step):
            rows = slice(start, start + step)
            yield TableRows(self.X[rows], self.y[rows], None if self.qid is None else self.qid[rows], np.empty(0), 0)


# On a worker a partition of a Dask DataFrame is a pandas table; before, it is a future of one.
Piece = Any


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterRows(RowSource):
    """Pieces that workers can read, in the order of the rows."""

    pieces: tuple[Piece, ...]
    name: str

    def __str__(self) -> str:
        return self.name


def as_cluster_rows(client: Client, X: Any, y: Any = None, qid: Any = None) -> ClusterRows:
    """Rows from whatever `fit` takes."""
    stream = as_stream(X, y, qid)
    if stream is not None:
        pieces = tuple(stream.pieces())
        return ClusterRows(features=stream.features, has_qid=stream.has_qid, pieces=pieces, name=str(stream))
    if is_dask_collection(X) and hasattr(X, "columns"):
        if y is not None or qid is not None:
            raise DataError("a Dask DataFrame brings its labels and queries along, got y or qid too; pass it alone")
        columns = Columns.of([str(name) for name in X.columns], FRAME)
        futures = tuple(client.compute(X.to_delayed()))
        return ClusterRows(
            features=columns.features, has_qid=columns.qid is not None, pieces=futures, name="the Dask DataFrame"
        )
    return _from_arrays(client, X, y, qid)


def _from_arrays(client: Client, X: Any, y: Any, qid: Any) -> ClusterRows:
    names: list[str] | None = getattr(X, "feature_names", None)
    categories = X.categories if isinstance(X, RankingData) else {}
    if is_frame(X):
        columns = table_columns(as_table(X))
        encoded = encode_columns(columns, len(X))
        names, X, categories = [str(name) for name, _ in columns], encoded.X, encoded.categories
    if categories:
        raise DataError(
            f"on a cluster categories must be numbers, got those of column {next(iter(categories))!r}; "
            "pass their codes and name the column in categorical_feature"
        )
    values = np.asarray(X.X if isinstance(X, RankingData) else X, dtype=np.float32)
    if y is None:
        raise DataError("labels must be passed along with arrays, got none; pass y, or predict arrays without a client")
    labels = as_vector("labels", y)
    ids = None if qid is None else pa.array(np.asarray(qid).tolist())
    if len(values) != labels.size or (ids is not None and len(ids) != labels.size):
        raise ShapeError(f"X, y and qid must have one entry per row, got {len(values)} rows and {labels.size} labels")
    return ClusterRows(
        features=tuple(names or numbered_columns(values.shape[1])),
        has_qid=ids is not None,
        pieces=tuple(client.scatter([ArrayPiece(values, labels, ids)], hash=False)),
        name="the data",
    )


def batches_of(piece: Piece, features: tuple[str, ...] | None) -> Iterator[TableRows]:
    """The rows of a piece, some at a time; without `features`, labels and queries alone."""
    if isinstance(piece, ArrayPiece):
        return piece.batches()
    wanted = () if features is None else features
    if isinstance(piece, ParquetRows):
        return replace(piece, features=wanted).batches()
    return _frame_batches(piece, wanted)


def _frame_batches(frame: Any, features: tuple[str, ...]) -> Iterator[TableRows]:
    found = Columns.of(list(map(str, frame.columns)), FRAME)
    named = [found.label, *([] if found.qid is None else [found.qid]), *features]
    table = pa.Table.from_pandas(frame[named], preserve_index=False)
    columns = Columns(found.label, found.qid, None, features)
    row = 1
    for batch in table.to_batches(max(1, VALUES_AT_ONCE // max(1, len(features)))):
        yield rows_of_batch(TableBatch(batch, FRAME, row, skip_bad=False), columns, features)
        row += batch.num_rows
