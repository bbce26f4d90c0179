"""Parquet, CSV and TSV: a label, a query and a document column by name, all other columns features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from rankwise.data._arrow_columns import query_ids
from rankwise.data._columns import Columns
from rankwise.data._ranking_data import DOC_ID_TYPE, RankingData
from rankwise.data.io._csv_batches import csv_batches
from rankwise.data.io._formats import Detected, numbered_columns
from rankwise.data.io._streams import COMPRESSIONS, open_stream
from rankwise.data.io._table_batch import TableBatch
from rankwise.errors import FormatError
from rankwise.types import FloatArray

BUFFER_BYTES = 1 << 16  # of each column of an open Parquet file


@dataclass(frozen=True)
class TableRows:
    """Well-formed rows of a batch; query ids are still as the table has them (None: there are none)."""

    X: NDArray[np.float32]
    y: FloatArray
    qid: Any
    doc_ids: NDArray[Any]
    skipped: int


@dataclass
class _Parts:
    """Pieces of the result, one per batch."""

    X: list[NDArray[np.float32]] = field(default_factory=list)
    y: list[FloatArray] = field(default_factory=list)
    qid: list[Any] = field(default_factory=list)
    doc_ids: list[Any] = field(default_factory=list)
    skipped: int = 0


def read_tables(files: list[Detected], skip_bad: bool = False) -> RankingData:
    """Read Parquet or CSV files with the same columns, one after the other."""
    parts = _Parts()
    expected: Columns | None = None
    for file in files:
        names, batches = open_parquet(file.path) if file.format == "parquet" else csv_batches(file, skip_bad, parts)
        columns = Columns.of(names, file.path)
        expected = expected or columns
        columns.check_alike(expected, file.path)
        line = 1 if file.format == "parquet" else 2  # after the header
        for batch in batches:
            _take(rows_of_batch(TableBatch(batch, file.path, line, skip_bad), columns, expected.features), parts)
            line += batch.num_rows
    if expected is None or not sum(len(y) for y in parts.y):
        raise FormatError("there are no rows, got a header only; check the file", path=files[0].path)
    X = np.empty((sum(map(len, parts.X)), len(expected.features)), dtype=np.float32)
    row = 0
    while parts.X:  # a piece is freed as soon as it is copied
        block = parts.X.pop(0)
        X[row : row + len(block)] = block
        row += len(block)
    qid = query_ids(parts.qid) if expected.qid else np.zeros(len(X), dtype=np.int64)
    doc_ids = np.concatenate(parts.doc_ids) if any((ids != "").any() for ids in parts.doc_ids) else None
    note = f"{parts.skipped} malformed line{'s' if parts.skipped != 1 else ''} skipped"
    names = list(expected.features)
    return RankingData(
        X,
        np.concatenate(parts.y),
        qid,
        doc_ids,
        notes=(note,) if parts.skipped else (),
        feature_names=None if names == numbered_columns(len(names)) else names,
    )


def open_parquet(
    path: Path,
    rows_at_once: int = 65_536,
    row_groups: list[int] | None = None,
    columns: list[str] | None = None,
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Column names of a Parquet file, and its rows, so many at once: of some row groups and columns, or of all."""
    file = _parquet_file(path)

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            yield from file.iter_batches(rows_at_once, row_groups, columns, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(path, error) from error

    return file.schema_arrow.names, batches()


def rows_in(path: Path) -> int:
    """How many rows a Parquet file has."""
    return int(_parquet_file(path).metadata.num_rows)


def row_groups_of(path: Path) -> int:
    """Of how many row groups a Parquet file consists."""
    return int(_parquet_file(path).num_row_groups)


def _parquet_file(path: Path) -> parquet.ParquetFile:
    try:
        with open_stream(path) as stream:
            source = pa.BufferReader(stream.read()) if path.suffix in COMPRESSIONS else str(path)
        # Columns are read as they are needed: else a row group, which may be the whole file, would be in memory.
        return parquet.ParquetFile(source, buffer_size=BUFFER_BYTES, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0]
    return FormatError(f"this Parquet file is cut off or damaged ({reason}); make it again", path=path)


def rows_of_batch(batch: TableBatch, columns: Columns, features: tuple[str, ...]) -> TableRows:
    """The rows of a batch without the malformed ones, which are errors unless they are to be skipped.

    A feature that is none of the columns is 0.
    """
    X = np.empty((len(batch.good), len(features)), dtype=np.float32)
    there = set(columns.features)
    for k, name in enumerate(features):
        X[:, k] = batch.numbers(name, pa.float32()) if name in there else 0.0
    y = batch.numbers(columns.label, pa.float64())
    batch.reject(np.isnan(y), columns.label, "be known for every row")
    if columns.qid is not None:
        batch.reject(batch.missing(columns.qid), columns.qid, "be known for every row")
    ids = np.zeros(int(batch.good.sum()), dtype=DOC_ID_TYPE)
    if columns.doc_id is not None:
        ids[:] = batch.kept(columns.doc_id).cast(pa.string()).fill_null("").to_numpy(zero_copy_only=False)
    skipped = int((~batch.good).sum())
    return TableRows(
        X[batch.good] if skipped else X,
        y[batch.good] if skipped else y,
        None if columns.qid is None else batch.kept(columns.qid),
        ids,
        skipped,
    )


def _take(rows: TableRows, parts: _Parts) -> None:
    parts.X.append(rows.X)
    parts.y.append(rows.y)
    if rows.qid is not None:
        parts.qid.append(rows.qid)
    parts.doc_ids.append(rows.doc_ids)
    parts.skipped += rows.skipped
