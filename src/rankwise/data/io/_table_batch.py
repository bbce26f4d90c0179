"""Some rows of a table: columns as numbers or texts, and which rows are fit to keep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rankwise.data._arrow_columns import (
    ArrowColumn,
    equal_numbers,
    equal_texts,
    is_category,
    is_number,
    is_text,
    pc,
    texts,
)
from rankwise.data._single_precision import loses_values
from rankwise.errors import FormatError
from rankwise.types import AnyArray, BoolArray, FloatArray

# As Python's float takes it, blanks trimmed; "nan" is a missing value and has become null before.
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
INFINITE = r"^[+-]?(?i:inf|infinity)$"
ROWS_AT_ONCE = 1024  # of columns that become rows: what is written stays in the cache


class TableBatch:
    """A batch of rows, the first of them on `line`; `good` marks the rows that nothing has rejected."""

    def __init__(self, batch: pa.RecordBatch, path: Path, line: int, skip_bad: bool) -> None:
        self._batch, self._path, self._line, self._skip_bad = batch, path, line, skip_bad
        self.good = np.ones(batch.num_rows, dtype=bool)

    def numbers(self, name: str, kind: pa.DataType, *, remedy: str = "name it in categories") -> AnyArray:
        """A column as finite numbers, NaN where it is empty; `remedy` is what to do where it is none of numbers."""
        column = self._batch[name]
        if not (is_text(column.type) or is_number(column.type)):
            raise FormatError(
                f"column {name!r} must hold numbers, got {column.type}; convert it or drop it",
                path=self._path,
            )
        try:
            # Texts by way of doubles, as Python and LETOR text have it: rounded twice.
            numbers = (column.cast(pa.float64()) if is_text(column.type) else column).cast(kind, safe=False)
        except pa.ArrowInvalid:
            trimmed = self.texts(name)
            is_finite = pc.match_substring_regex(trimmed, NUMBER).fill_null(True)
            self.reject(~is_finite.to_numpy(False), name, "hold finite numbers", f", or {remedy}")
            numbers = pc.if_else(is_finite, trimmed, None).cast(pa.float64()).cast(kind, safe=False)
        values: AnyArray = numbers.to_numpy(zero_copy_only=False)
        self.reject(np.isinf(values), name, "hold finite numbers")
        return values

    def matrix(
        self,
        features: Sequence[str],
        there: Collection[str],
        encoders: Mapping[str, Callable[[ArrowColumn], NDArray[np.float32]]],
    ) -> NDArray[np.float32]:
        """The features as one array; one that is not `there` is 0, one that has an encoder is codes."""
        X = np.zeros((len(self.good), len(features)), dtype=np.float32)
        columns = []
        for place, name in enumerate(features):
            if name in there:
                codes = name in encoders
                values = self.codes(name, encoders[name]) if codes else self.numbers(name, pa.float32())
                columns.append((place, values))
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            for place, values in columns:
                X[rows, place] = values[rows]
        return X

    def loses_values(self, name: str) -> bool:
        """Whether different numbers of a column become equal in single precision, by its first rows."""
        column = self._batch[name][:ROWS_AT_ONCE]
        if not len(column) or pa.types.is_float32(column.type) or not (is_text(column.type) or is_number(column.type)):
            return False
        try:
            values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return False
        with np.errstate(over="ignore"):
            return loses_values(values, values.astype(np.float32))

    def texts(self, name: str) -> ArrowColumn:
        """A column as texts without blanks around them, null where it is empty."""
        trimmed = pc.utf8_trim_whitespace(texts(self._batch[name]))
        return pc.if_else(pc.equal(trimmed, ""), None, trimmed)

    def codes(self, name: str, encode: Callable[[ArrowColumn], NDArray[np.float32]]) -> NDArray[np.float32]:
        """A column of categories as codes; those of a category type keep its order."""
        column = self._batch[name]
        return encode(self.texts(name) if is_text(column.type) else column)

    def is_category(self, name: str) -> bool:
        """Whether a column is of a category type, or of texts of which more than half are no numbers."""
        column = self._batch[name]
        if not is_text(column.type):
            return is_category(column.type)
        try:
            column.cast(pa.float64())
        except pa.ArrowInvalid:
            values = self.texts(name).drop_null()
            is_number = pc.match_substring_regex(values, f"{NUMBER}|{INFINITE}")
            return 2 * int(pc.sum(is_number).as_py() or 0) < len(values)
        return False

    def has_order(self, name: str) -> bool:
        """Whether a column is of a category type, which says the order of its values."""
        return bool(pa.types.is_dictionary(self._batch[name].type))

    def labels(self, name: str, positive: str | float | None) -> FloatArray:
        """Labels as numbers; with a positive one, 1 where it is that and else 0."""
        if isinstance(positive, str):
            return equal_texts(self.texts(name), positive)
        values = self.numbers(name, pa.float64(), remedy="say by positive which text counts as 1")
        return values if positive is None else equal_numbers(values, positive)

    def missing(self, name: str) -> BoolArray:
        """Where a column is empty."""
        empty: BoolArray = self._batch[name].is_null(nan_is_null=True).to_numpy(False)
        return empty

    def good_rows(self, name: str) -> ArrowColumn:
        """A column's values in the rows that are good so far; categories are what they stand for."""
        column = self._batch[name].filter(pa.array(self.good))
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column

    def reject(self, bad: BoolArray, name: str, must: str, remedy: str = "") -> None:
        """Rows not to keep; the first of them is an error unless bad rows are skipped."""
        bad = bad & self.good
        if bad.any() and not self._skip_bad:
            row = int(np.flatnonzero(bad)[0])
            value = self._batch[name][row].as_py()
            got = "nothing" if value is None else repr(str(value)[:40])
            raise FormatError(
                f"column {name!r} must {must}, got {got}; fix the row, or read with skip_bad{remedy}",
                path=self._path,
                line=self._line + row,
            )
        self.good &= ~bad
