"""Data frames of pandas, polars, Arrow and their like as arrays of numbers; texts and categories become codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike
from pyarrow import interchange

from rankwise.data._arrow_columns import (
    ArrowColumn,
    Categories,
    category_codes,
    category_values,
    equal_numbers,
    equal_texts,
    is_category,
    is_number,
    numbers,
)
from rankwise.errors import DataError
from rankwise.types import AnyArray, FloatArray

Column: TypeAlias = AnyArray | ArrowColumn  # an array of numbers, or an Arrow column of any type
NamedColumn: TypeAlias = tuple[object, Column]

NUMERIC_KINDS = "fiub"  # of numpy's types


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """Columns as numbers; `categories` are the values that codes stand for."""

    X: AnyArray
    categories: Categories


def is_frame(X: object) -> bool:
    """Whether X is a table of named columns; a lazy one, which has no rows yet, is refused."""
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise DataError(f"a {type(X).__name__} has no rows yet; pass frame.collect()")
    return hasattr(X, "__dataframe__") or (hasattr(X, "__arrow_c_stream__") and not hasattr(X, "dtype"))


def as_table(frame: Any) -> Any:
    """A frame of pandas as it is, any other as an Arrow table."""
    if hasattr(frame, "iloc") or isinstance(frame, pa.Table):
        return frame
    try:
        if hasattr(frame, "__arrow_c_stream__"):
            return pa.table(frame)
        return frame.to_arrow() if hasattr(frame, "to_arrow") else interchange.from_dataframe(frame)
    except (pa.ArrowException, TypeError, ValueError) as problem:
        reason = " ".join(str(problem).split())
        raise DataError(f"this {type(frame).__name__} cannot be read as a table ({reason}); pass an array") from problem


def table_columns(table: Any) -> list[NamedColumn]:
    """Names and columns of what `as_table` gives: numpy arrays of numbers, or Arrow columns of any type."""
    if isinstance(table, pa.Table):
        return list(zip(table.column_names, table.columns, strict=True))
    return [(name, _pandas_column(table.iloc[:, place], name)) for place, name in enumerate(table.columns)]


def encode_table(table: Any, expected: Categories | None = None) -> EncodedColumns:
    """All columns of what `as_table` gives as one array; see `encode_columns`."""
    if hasattr(table, "iloc") and not expected and set(table.dtypes) in ({np.dtype("f4")}, {np.dtype("f8")}):
        return EncodedColumns(table.to_numpy(), {})
    return encode_columns(table_columns(table), table.shape[0], expected)


def encode_columns(columns: Sequence[NamedColumn], rows: int, expected: Categories | None = None) -> EncodedColumns:
    """Columns as one array, float32 where that holds all numbers, else float64; what is missing is NaN.

    Texts and category types are codes for `expected` values, those of a model, or else for their own.
    """
    categories: Categories = {}
    arrays = []
    for name, column in columns:
        values = _category_values(column, name, expected)
        if values is not None:
            categories[str(name)] = values
        arrays.append(_numbers(column, name) if values is None else column_codes(column, str(name), values))
    dtype = np.result_type(np.float32, *(array.dtype for array in arrays))
    X = np.empty((rows, len(arrays)), dtype=np.float32 if dtype == np.float32 else np.float64)
    for place, array in enumerate(arrays):
        X[:, place] = array
    return EncodedColumns(X, categories)


def column_codes(column: Column, name: str, values: tuple[str, ...]) -> AnyArray:
    """Codes of a column that is a category of the model; numbers are those of texts that say the same number."""
    if not isinstance(column, np.ndarray) and is_category(column.type):
        return category_codes(column, values)
    array = _numbers(column, name)
    places = {_number(value, array.dtype): float(code) for code, value in reversed(list(enumerate(values)))}
    unique, inverse = np.unique(array, return_inverse=True)
    if set(places) == {None} and not np.isnan(unique[:1]).any():
        raise DataError(
            f"column {name!r} is a category in the model ({', '.join(map(repr, values[:3]))}, …), got numbers; "
            "pass such texts"
        )
    codes = np.array([places.get(number, np.nan) for number in unique.tolist()], dtype=np.float32)
    return codes[inverse]


def _category_values(column: Column, name: object, expected: Categories | None) -> tuple[str, ...] | None:
    """The values that the codes of a column stand for; None for a column of numbers, or without any value."""
    if expected is not None and isinstance(name, str) and name in expected:
        return expected[name]
    if isinstance(column, np.ndarray) or not is_category(column.type) or column.null_count == len(column):
        return None
    if expected is not None:
        raise DataError(f"column {name!r} must hold numbers as in training, got {column.type}; pass numbers")
    if not isinstance(name, str):
        raise DataError(f"a column of texts or categories must have a text as its name, got {name!r}; rename it")
    return category_values(column, name)


def _number(text: str, dtype: DTypeLike) -> float | None:
    """The number that a text says, at the precision of a column; None where it says none."""
    try:
        number = float({"true": "1", "false": "0"}.get(text, text))
        return float(np.float32(number)) if dtype == np.float32 else number
    except ValueError:
        return None


def frame_labels(column: Column, name: str, positive: str | float | None) -> FloatArray:
    """Labels: the numbers of a column, or 1 where it is the positive text or number and 0 elsewhere."""
    if isinstance(positive, str):
        return equal_texts(as_arrow(column), positive)
    if not isinstance(column, np.ndarray) and not is_number(column.type):
        raise DataError(
            f"column {name!r} must hold numbers to be the label, got {column.type}; say which text counts as 1 by "
            "positive="
        )
    values = _numbers(column, name).astype(np.float64)
    return values if positive is None else equal_numbers(values, positive)


def as_arrow(column: Column) -> ArrowColumn:
    """The column as Arrow has it; NaN is null."""
    return pa.array(column, from_pandas=True) if isinstance(column, np.ndarray) else column


def _numbers(column: Column, name: object) -> AnyArray:
    if isinstance(column, np.ndarray):
        return column
    if is_category(column.type):  # without any value
        return np.full(len(column), np.nan, dtype=np.float32)
    if not is_number(column.type):
        raise _unknown_type(name, str(column.type))
    return numbers(column)


def _pandas_column(series: Any, name: object) -> Column:
    """A numpy array of numbers, or else an Arrow array."""
    kind = series.dtype
    if isinstance(kind, np.dtype) and kind.kind in NUMERIC_KINDS:
        return series.to_numpy()
    if hasattr(series, "sparse"):
        return series.sparse.to_dense().to_numpy()
    try:
        if hasattr(series, "cat") and series.cat.categories.dtype.kind == "O":  # intervals too, by their texts
            series = series.cat.rename_categories(series.cat.categories.astype(str))
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise _unknown_type(name, f"{kind} ({' '.join(str(problem).split())})") from problem


def _unknown_type(name: object, kind: str) -> DataError:
    return DataError(
        f"column {name!r} must hold numbers, truth values, texts or categories, got {kind}; convert it or leave it out"
    )
