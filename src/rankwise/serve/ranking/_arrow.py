"""Arrow bodies: an IPC stream of record batches, with a column per feature by name, or one column of lists.

What comes from strangers is looked at before it is understood: kinds of messages, types of columns, the number of
documents; and nothing packed is unpacked, because a few bytes could become gigabytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from rankwise.errors import DataError
from rankwise.serve.ranking._documents import (
    Documents,
    check_count,
    check_ids,
    missing_feature,
    named,
    shown,
    unknown_feature,
)
from rankwise.serve.ranking._schemas import Id, ModelFeatures
from rankwise.types import FloatArray

ID_COLUMN = "id"
ARROW = "application/vnd.apache.arrow.stream"
MAX_LAYOUTS, MAX_SCHEMA_BYTES = 16, 1 << 18  # strangers must not fill the memory with them
HEADER, CUSTOM_METADATA = 2, 4  # numbers of fields in the format's table of a message
COMPRESSION = 3  # and in that of a record batch


class ArrowReader:
    """Reads the streams for one model; what it finds of a schema it remembers, because the next stream has the same."""

    def __init__(self, features: ModelFeatures) -> None:
        self._features = features
        self._layouts: dict[bytes, ColumnLayout] = {}  # by the bytes of the schema

    def read(self, body: bytes, max_documents: int) -> Documents:
        """The documents of a stream; a null or a NaN is a missing value."""
        try:
            schema = _check_messages(body)
            reader = pa.ipc.open_stream(body)
            layout = self._layouts.get(schema) or self._learn(schema, reader.schema)
            batches = list(reader)
            check_count(sum(batch.num_rows for batch in batches), max_documents)
            for batch in batches:
                batch.validate(full=True)
        except (pa.ArrowException, OSError, struct.error, IndexError, UnicodeDecodeError) as problem:
            reason = " ".join(str(problem).split())[:200]
            raise DataError(
                f"the body is not an Arrow stream ({reason}); write it with pyarrow.ipc.new_stream"
            ) from None
        ids: list[Id] | None = None
        if layout.has_ids:
            ids = [id for batch in batches for id in batch.column(ID_COLUMN).to_pylist()]
            check_ids(ids)
        if layout.places is None:
            _check_lists(batches, ids, self._features)
        matrices = [layout.numbers(batch.drop_columns([ID_COLUMN]) if layout.has_ids else batch) for batch in batches]
        X = matrices[0] if len(matrices) == 1 else np.concatenate(matrices)
        return Documents(_checked(X, ids, self._features), ids)

    def _learn(self, key: bytes, schema: pa.Schema) -> ColumnLayout:
        layout = layout_of(schema, self._features)
        if len(self._layouts) >= MAX_LAYOUTS:
            self._layouts.clear()
        if len(key) <= MAX_SCHEMA_BYTES:
            self._layouts[key] = layout
        return layout


def _check_messages(body: bytes) -> bytes:
    """A schema, which is given back, then record batches that are not packed."""
    schema = b""
    for number, message in enumerate(pa.ipc.MessageReader.open_stream(body)):
        metadata = message.metadata.to_pybytes()
        wanted = "schema" if number == 0 else "record batch"
        if message.type != wanted:
            raise DataError(f"the stream has a {message.type} where a {wanted} should be; send plain columns")
        if number == 0:
            schema = metadata
        elif _is_packed(metadata, message.metadata_version):
            raise DataError("the stream is compressed, and is not unpacked; write it without compression")
    return schema


def _is_packed(metadata: bytes, version: object) -> bool:
    """Whether a record batch says so: in its header, or before format V5 in metadata, whatever else these may say."""
    (message,) = struct.unpack_from("<I", metadata, 0)
    if version != pa.ipc.MetadataVersion.V5 and _find(metadata, message, CUSTOM_METADATA):
        return True
    header = _find(metadata, message, HEADER)
    (offset,) = struct.unpack_from("<I", metadata, header)
    return _find(metadata, header + offset, COMPRESSION) != 0


def _find(metadata: bytes, table: int, field: int) -> int:
    """The place of a field in one of FlatBuffers' tables of offsets, 0 if it is left out."""
    (back,) = struct.unpack_from("<i", metadata, table)
    places = table - back
    (size,) = struct.unpack_from("<H", metadata, places)
    entry = 4 + 2 * field
    offset = struct.unpack_from("<H", metadata, places + entry)[0] if entry < size else 0
    return table + offset if offset else 0


def _check_lists(batches: list[pa.RecordBatch], ids: list[Id] | None, features: ModelFeatures) -> None:
    """No document without a list."""
    first = 0
    for batch in batches:
        for column in batch.columns:
            if column.null_count and pa.types.is_fixed_size_list(column.type):
                row = first + int(np.flatnonzero(column.is_null())[0])
                raise DataError(f"{named(row, ids)} has no features; send a list of {features.count} numbers")
        first += batch.num_rows


def _checked(X: FloatArray, ids: list[Id] | None, features: ModelFeatures) -> FloatArray:
    """X, if nothing is infinite, nor missing where it must not be."""
    if np.isfinite(X).all():
        return X
    bad = np.isinf(X) if features.takes_missing else ~np.isfinite(X)
    for row, column in np.argwhere(bad)[:1].tolist():
        value = X[row, column]
        fault = "is missing" if np.isnan(value) else f"is {value}"
        raise DataError(f"{features.label(column)} of {named(row, ids)} {fault}; send a finite number")
    return X


@dataclass(frozen=True)
class ColumnLayout:
    """Where the model's features stand in a batch without its ids."""

    has_ids: bool
    width: int
    places: list[int] | None  # of the columns among the features; None if there is one column of lists
    in_order: bool  # all features, in the model's order

    def numbers(self, batch: pa.RecordBatch) -> FloatArray:
        """A row per document, NaN where something is missing; a copy, because Arrow's memory is not ours."""
        if self.places is None:
            lists: Any = batch.column(0)
            flat = lists.flatten().to_numpy(zero_copy_only=False)
            return np.array(flat, dtype=np.float64).reshape(-1, self.width)
        try:
            values = batch.to_tensor(null_to_nan=True).to_numpy()
        except (pa.ArrowNotImplementedError, pa.ArrowTypeError):  # half precision among others, or no column at all
            values = np.array([column.to_numpy(zero_copy_only=False) for column in batch.columns]).T
        if self.in_order:
            return np.array(values, dtype=np.float64, order="C")
        X = np.full((batch.num_rows, self.width), np.nan)
        if self.places:
            X[:, self.places] = values
        return X


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def layout_of(schema: pa.Schema, features: ModelFeatures) -> ColumnLayout:
    """Columns that the model knows, of numbers, each once; or one column of lists as long as its features are many."""
    columns: dict[str, pa.DataType] = dict(zip(schema.names, schema.types, strict=True))
    if len(columns) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise DataError(f"the column {shown(twice)} is there more than once; send each once")
    has_ids = ID_COLUMN in columns and ID_COLUMN not in features.place  # unless that is what a feature is called
    if has_ids:
        kind = columns.pop(ID_COLUMN)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
            raise DataError(f"the column id must be of texts or whole numbers, got {kind}; convert it")
    if len(columns) == 1 and pa.types.is_fixed_size_list(lists := next(iter(columns.values()))):
        if lists.list_size != features.count or not _is_number(lists.value_type):
            raise DataError(
                f"lists of features must be of {features.count} numbers each, got {shown(str(lists))}; send them all"
            )
        return ColumnLayout(has_ids, features.count, None, in_order=True)
    if features.names is None:
        raise DataError(
            "the model's features have no names; send one column of fixed-size lists of "
            f"{features.count} numbers, got {len(columns)} columns"
        )
    for name, kind in columns.items():
        if name not in features.place:
            raise DataError(unknown_feature(name, "every document"))
        if not _is_number(kind):
            raise DataError(f"feature {shown(name)} must be a column of numbers, got {shown(str(kind))}; convert it")
    absent = [column for name, column in features.place.items() if name not in columns]
    if absent and not features.takes_missing:
        raise DataError(missing_feature(absent[0], "every document", features))
    places = [features.place[name] for name in columns]
    return ColumnLayout(has_ids, features.count, places, in_order=places == list(range(features.count)))
