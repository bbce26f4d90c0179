"""Arrow bodies: an IPC stream of record batches, with a column a feature by name, or one column of lists.

What comes from strangers is looked at before it is understood: kinds of messages, types of columns, the number of
documents; and nothing packed is unpacked, because a few bytes could become gigabytes.
"""

from __future__ import annotations

import struct
from collections.abc import Container
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.serve.ranking.documents import Documents, Id, check_count, check_ids, named, shown
from rankwise.serve.ranking.model import ServedModel

__all__ = ["ARROW", "read_arrow"]

ARROW = "application/vnd.apache.arrow.stream"
ID = "id"
COMPRESSION = 3  # number of the field in the format's table of a record batch


def read_arrow(body: bytes, model: ServedModel, most: int) -> Documents:
    """The documents of a stream; a null or a NaN is a missing value."""
    try:
        _check_messages(body)
        reader = pa.ipc.open_stream(body)
        _check_schema(reader.schema, model)
        table = reader.read_all()
        check_count(table.num_rows, most)
        table.validate(full=True)
    except (pa.ArrowException, OSError, struct.error, IndexError) as problem:
        said = " ".join(str(problem).split())[:200]
        raise DataError(f"the body is not an Arrow stream ({said}); write it with pyarrow.ipc.new_stream") from None
    return _read(table, model)


def _check_messages(body: bytes) -> None:
    """A schema, then record batches that are not packed."""
    for number, message in enumerate(pa.ipc.MessageReader.open_stream(body)):
        wanted = "schema" if number == 0 else "record batch"
        if message.type != wanted:
            raise DataError(f"the stream has a {message.type} where a {wanted} should be; send plain columns")
        if number and _has_field(message.metadata.to_pybytes(), COMPRESSION):
            raise DataError("the stream is compressed, and is not unpacked; write it without compression")


def _has_field(metadata: bytes, field: int) -> bool:
    """Whether the header of a message has a field: two steps through FlatBuffers' tables of offsets."""

    def find(table: int, field: int) -> int:
        """The place of a field, 0 if it is left out."""
        (back,) = struct.unpack_from("<i", metadata, table)
        places = table - back
        (size,) = struct.unpack_from("<H", metadata, places)
        entry = 4 + 2 * field
        offset = struct.unpack_from("<H", metadata, places + entry)[0] if entry < size else 0
        return table + offset if offset else 0

    (message,) = struct.unpack_from("<I", metadata, 0)
    header = find(message, 2)
    (offset,) = struct.unpack_from("<I", metadata, header)
    return find(header + offset, field) != 0


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or pa.types.is_integer(kind)


def _check_schema(schema: pa.Schema, model: ServedModel) -> None:
    """Columns that the model knows, of numbers, each once; or one column of lists as long as its features are many."""
    columns: dict[str, Any] = dict(zip(schema.names, schema.types, strict=True))
    if len(columns) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise DataError(f"the column {shown(twice)} is there more than once; send each once")
    if _has_ids(columns, model):
        kind = columns.pop(ID)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
            raise DataError(f"the column id must be of texts or whole numbers, got {kind}; convert it")
    if _is_lists(list(columns.values())):
        (lists,) = columns.values()
        if lists.list_size != model.n_features or not _is_number(lists.value_type):
            raise DataError(
                f"lists of features must be of {model.n_features} numbers each, got {shown(str(lists))}; send them all"
            )
        return
    if model.names is None:
        raise DataError(
            "the model's features have no names; send one column of fixed-size lists of "
            f"{model.n_features} numbers, got {len(columns)} columns"
        )
    for name, kind in columns.items():
        if name not in model.place:
            raise DataError(
                f"every document has the feature {shown(name)}, which the model does not know; leave it out"
            )
        if not _is_number(kind):
            raise DataError(f"feature {shown(name)} must be a column of numbers, got {shown(str(kind))}; convert it")
    if not model.takes_missing and (lacks := [name for name in model.names if name not in columns]):
        raise DataError(
            f"feature {shown(lacks[0])} of every document is missing, and the model ({model.ranker.kind}) needs it; "
            "add the column"
        )


def _has_ids(columns: Container[str], model: ServedModel) -> bool:
    """Whether there is a column of ids, unless that is what a feature is called."""
    return ID in columns and ID not in model.place


def _is_lists(kinds: list[Any]) -> bool:
    return len(kinds) == 1 and pa.types.is_fixed_size_list(kinds[0])


def _read(table: pa.Table, model: ServedModel) -> Documents:
    """The documents of a table whose schema is right."""
    columns: dict[str, Any] = dict(zip(table.column_names, table.itercolumns(), strict=True))
    ids = None
    if _has_ids(columns, model):
        ids = columns.pop(ID).to_pylist()
        check_ids(ids)
    if _is_lists([column.type for column in columns.values()][:2]):
        (lists,) = columns.values()
        if lists.null_count:
            row = int(np.flatnonzero(lists.is_null().to_numpy())[0])
            raise DataError(f"{named(row, ids)} has no features; send a list of {model.n_features} numbers")
        X = _numbers(lists.combine_chunks().flatten()).reshape(-1, model.n_features)
    else:
        by_column = np.full((model.n_features, table.num_rows), np.nan)
        for name, column in columns.items():
            by_column[model.place[name]] = column.to_numpy()
        X = np.ascontiguousarray(by_column.T)
    return Documents(_checked(X, ids, model), ids)


def _numbers(values: Any) -> NDArray[np.float64]:
    """Values in double precision, NaN for null."""
    return np.array(values.to_numpy(zero_copy_only=False), dtype=np.float64)  # a copy: Arrow's memory is not ours


def _checked(X: NDArray[np.float64], ids: list[Id] | None, model: ServedModel) -> NDArray[np.float64]:
    """X, if nothing is infinite, nor missing where it must not be."""
    if np.isfinite(X).all():
        return X
    bad = np.isinf(X) if model.takes_missing else ~np.isfinite(X)
    for row, column in np.argwhere(bad)[:1].tolist():
        value = X[row, column]
        said = "is missing" if np.isnan(value) else f"is {value}"
        raise DataError(f"{model.label(column)} of {named(row, ids)} {said}; send a finite number")
    return X
