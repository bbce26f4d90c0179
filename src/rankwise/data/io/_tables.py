"""Parquet, CSV and TSV: a label, a query and a document column by name, all other columns features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankwise.data._arrow_columns import (
    ArrowColumn,
    category_codes,
    category_values,
    changed_codes,
    check_category_count,
    query_ids,
    texts,
    warn_of_numbers,
)
from rankwise.data._columns import Columns, TableOptions
from rankwise.data._ranking_data import DOC_ID_TYPE, RankingData
from rankwise.data._single_precision import warn_of_rounding
from rankwise.data.io._csv_table import CsvTable
from rankwise.data.io._formats import Detected, numbered_columns
from rankwise.data.io._parquet_table import ParquetTable
from rankwise.data.io._table_batch import TableBatch
from rankwise.errors import DataError, FormatError
from rankwise.types import AnyArray, FloatArray


@dataclass(frozen=True)
class TableRows:
    """Well-formed rows of a batch; query ids are still as the table has them (None: there are none)."""

    X: NDArray[np.float32]
    y: FloatArray
    qid: ArrowColumn | None
    doc_ids: AnyArray
    skipped: int


@dataclass
class _Parts:
    """Pieces of the result, one per batch."""

    X: list[NDArray[np.float32]] = field(default_factory=list)
    y: list[FloatArray] = field(default_factory=list)
    qid: list[ArrowColumn] = field(default_factory=list)
    doc_ids: list[AnyArray] = field(default_factory=list)
    skipped: int = 0


def read_tables(files: list[Detected], skip_bad: bool, options: TableOptions) -> RankingData:
    """Read Parquet or CSV files with the same columns, one after the other."""
    parts = _Parts()
    expected: Columns | None = None
    encoders: dict[str, CategoryEncoder] = {}
    for file in files:
        table: ParquetTable | CsvTable
        if file.format == "parquet":
            table = ParquetTable(file.path, skip_bad)
        else:
            table = CsvTable(file, skip_bad, parts, header=options.header)
        columns = options.columns(table.names, file.path)
        expected = expected or columns
        columns.check_alike(expected, file.path)
        batches = (
            table.batches(columns.all)
            if isinstance(table, ParquetTable)
            else table.batches(columns, expected.features, encoders, options.positive)
        )
        for batch in batches:
            if not parts.y:
                encoders.update(category_encoders(batch, columns.features, options))
                names = [name for name in columns.features if name not in encoders and batch.loses_values(name)]
                warn_of_rounding([f"feature {name!r}" for name in names])
            _take(rows_of_batch(batch, columns, expected.features, encoders, options.positive), parts)
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
    y, features = np.concatenate(parts.y), list(expected.features)
    notes = [f"{parts.skipped} malformed line{'s' if parts.skipped != 1 else ''} skipped"] if parts.skipped else []
    if options.positive is not None and not y.any():
        notes.append(f"no label is {options.positive!r}: all are 0")
    categories = {}
    for name, encoder in encoders.items():
        column = features.index(name)
        categories[name] = encoder.values()
        warn_of_numbers(categories[name], name)
        X[:, column] = changed_codes(X[:, column], encoder.seen(), categories[name])
    return RankingData(
        X,
        y,
        qid,
        doc_ids,
        notes=tuple(notes),
        feature_names=None if features == numbered_columns(len(features)) and not categories else features,
        categories=categories,
    )


class CategoryEncoder:
    """Codes of texts by first appearance, and the values in their order once all are known."""

    def __init__(self, name: str, *, is_sorted: bool) -> None:
        self._name, self._is_sorted = name, is_sorted
        self._codes: dict[str, int] = {}

    def __call__(self, column: ArrowColumn) -> NDArray[np.float32]:
        """The codes of some rows."""
        for value in category_values(column, self._name):
            self._codes.setdefault(value, len(self._codes))
        check_category_count(len(self._codes), self._name)
        return category_codes(column, self.seen())

    def seen(self) -> tuple[str, ...]:
        """The values by first appearance."""
        return tuple(self._codes)

    def values(self) -> tuple[str, ...]:
        """The values in their order: sorted, unless the table has an order of its own."""
        return tuple(sorted(self._codes)) if self._is_sorted else self.seen()


def category_encoders(
    batch: TableBatch, features: tuple[str, ...], options: TableOptions
) -> dict[str, CategoryEncoder]:
    """An encoder for each column that is a category, by the first rows of a table."""
    unknown = set(options.categories) - set(features)
    if unknown:
        raise DataError(f"categories must name columns of features, got {min(unknown)!r}; check the names")
    named = [name for name in features if name in options.categories or batch.is_category(name)]
    return {name: CategoryEncoder(name, is_sorted=not batch.has_order(name)) for name in named}


def rows_of_batch(
    batch: TableBatch,
    columns: Columns,
    features: tuple[str, ...],
    encoders: Mapping[str, Callable[[ArrowColumn], NDArray[np.float32]]] | None = None,
    positive: str | float | None = None,
) -> TableRows:
    """The rows of a batch without the malformed ones, which are errors unless they are to be skipped.

    A feature that is none of the columns is 0; `encoders` give the codes of categories by the name of the feature.
    """
    X = batch.matrix(features, set(columns.features), encoders or {})
    y = batch.labels(columns.label, positive)
    batch.reject(np.isnan(y), columns.label, "be known for every row")
    if columns.qid is not None:
        batch.reject(batch.missing(columns.qid), columns.qid, "be known for every row")
    ids = np.zeros(int(batch.good.sum()), dtype=DOC_ID_TYPE)
    if columns.doc_id is not None:
        ids[:] = texts(batch.good_rows(columns.doc_id)).fill_null("").to_numpy(zero_copy_only=False)
    skipped = int((~batch.good).sum())
    return TableRows(
        X[batch.good] if skipped else X,
        y[batch.good] if skipped else y,
        None if columns.qid is None else batch.good_rows(columns.qid),
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
