"""Columns of Arrow tables as numbers, texts, query ids and codes of categories."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from rankwise.errors import DataError
from rankwise.types import AnyArray, FloatArray

pc: Any = compute  # typed too narrowly by its stubs
ArrowColumn: TypeAlias = pa.Array | pa.ChunkedArray
# The values of a category feature by the feature's name: code k stands for value k.
Categories: TypeAlias = dict[str, tuple[str, ...]]

WRITTEN_NUMBER = re.compile(r"[-+]?[$€£]?\s?\d+([.,' ]\d+)+\s?[%$€£]?|[-+]?[$€£]\s?\d+|[-+]?\d+\s?[%$€£]")
MAX_CATEGORIES = 65_536  # of one feature; more are ids rather than categories

log = logging.getLogger(__name__)


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts."""
    types = pa.types
    return any(is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_string_view))


def is_category(kind: pa.DataType) -> bool:
    """Whether values of this type are categories: texts, or of a category type."""
    return is_text(kind) or pa.types.is_dictionary(kind)


def is_number(kind: pa.DataType) -> bool:
    """Whether values of this type are numbers, truth values among them."""
    types = pa.types
    of_kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(is_kind(kind) for is_kind in of_kinds)


def texts(column: ArrowColumn) -> ArrowColumn:
    """The values as Arrow strings; 3.0 is "3"."""
    decoded = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    try:
        return decoded.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(f"a column of {column.type} cannot be read as text; pass texts or numbers") from None


def numbers(column: ArrowColumn) -> AnyArray:
    """The values of a column of numbers, NaN where there is none: float32 where that holds them all, else float64."""
    kind = column.type
    is_single = pa.types.is_null(kind) or (not pa.types.is_decimal(kind) and kind.bit_width <= 16)
    single = is_single or pa.types.is_float32(kind)
    values: AnyArray = column.cast(pa.float32() if single else pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values


def equal_texts(column: ArrowColumn, text: str) -> FloatArray:
    """1 where a column says this text, blanks around it aside, else 0; NaN where it is missing."""
    is_equal = pc.equal(pc.utf8_trim_whitespace(texts(column)), text.strip())
    return np.asarray(is_equal.cast(pa.float64()).to_numpy(zero_copy_only=False))


def equal_numbers(values: FloatArray, number: float) -> FloatArray:
    """1 where a value is this number, else 0; NaN where it is missing."""
    return np.where(np.isnan(values), np.nan, values == number)


def category_values(column: ArrowColumn, name: str) -> tuple[str, ...]:
    """The values of a column that is to be a category: in the order of a category type, sorted where they are texts."""
    if pa.types.is_dictionary(column.type):
        values = dict.fromkeys(texts(_dictionary(column).dictionary).drop_null().to_pylist())
    else:
        values = dict.fromkeys(sorted(texts(pc.unique(column)).drop_null().to_pylist()))
    check_category_count(len(values), name)
    warn_of_numbers(tuple(values), name)
    return tuple(values)


def warn_of_numbers(values: Sequence[str], name: str) -> None:
    """Log where the texts that become categories are numbers as people write them."""
    if len(values) > 1 and all(map(is_written_number, values)):
        log.warning(
            "column %r is taken for categories, though its texts look like numbers, such as %r; convert it to numbers",
            name,
            values[0],
        )


def is_written_number(text: str) -> bool:
    """Whether a text is a number with decimals, thousands, a currency or a percent sign: no code of a category."""
    return WRITTEN_NUMBER.fullmatch(text.strip()) is not None


def check_category_count(count: int, name: str) -> None:
    """Raise DataError where a feature has more categories than a model takes."""
    if count > MAX_CATEGORIES:
        raise DataError(
            f"column {name!r} must have at most {MAX_CATEGORIES:,} different texts to be a category, got {count:,}; "
            "leave it out"
        )


def category_codes(column: ArrowColumn, values: Sequence[str]) -> NDArray[np.float32]:
    """The place of each text among the values; NaN where it is missing or none of them."""
    encoded = _dictionary(column)
    places = pc.index_in(texts(encoded.dictionary), value_set=pa.array(values, pa.string()))
    codes: NDArray[np.float32] = places.take(encoded.indices).cast(pa.float32()).to_numpy(zero_copy_only=False)
    return codes


def changed_codes(codes: AnyArray, values: Sequence[str], new_values: Sequence[str]) -> AnyArray:
    """Codes for other values of the same feature; NaN for a value that is none of them."""
    place = {value: float(code) for code, value in enumerate(new_values)}
    new_codes = np.array([*(place.get(value, np.nan) for value in values), np.nan], dtype=codes.dtype)
    return new_codes[np.where(np.isnan(codes), len(values), codes).astype(np.int64)]


def _dictionary(column: ArrowColumn) -> pa.DictionaryArray:
    """The column as one dictionary array."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):  # older pyarrow keeps the chunks of an empty column
        whole = pa.array([], whole.type)
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def query_ids(pieces: Sequence[ArrowColumn]) -> AnyArray:
    """Whole numbers where all ids are such, else text."""
    if len({piece.type for piece in pieces}) > 1:
        pieces = [texts(piece) for piece in pieces]
    column = pa.chunked_array(list(pieces))
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy())
    ids = texts(column)
    try:
        return np.asarray(ids.cast(pa.int64()).to_numpy())
    except pa.ArrowInvalid:
        return np.asarray(ids.to_pylist())
