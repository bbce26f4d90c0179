"""Some rows of a table: columns as numbers, and which rows are fit to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from rankwise.errors import FormatError
from rankwise.types import BoolArray

pc: Any = compute  # typed too narrowly by its stubs
# As Python's float takes it, blanks trimmed; "nan" is a missing value and has become null before.
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class TableBatch:
    """A batch of rows, the first of them on `line`; `good` marks the rows that nothing has rejected."""

    def __init__(self, batch: Any, path: Path, line: int, skip_bad: bool) -> None:
        self._batch, self._path, self._line, self._skip_bad = batch, path, line, skip_bad
        self.good = np.ones(batch.num_rows, dtype=bool)

    def numbers(self, name: str, kind: Any) -> NDArray[Any]:
        """A column as finite numbers, NaN where it is empty."""
        column = self._batch[name]
        is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        if not (is_text or _is_numeric(column.type)):
            raise FormatError(
                f"column {name!r} must hold numbers, got {column.type}; drop or encode it", path=self._path
            )
        try:
            numbers = column.cast(kind, safe=False)
        except pa.ArrowInvalid:
            trimmed = pc.utf8_trim_whitespace(column)
            is_number = pc.match_substring_regex(trimmed, NUMBER).fill_null(True)
            self.reject(~is_number.to_numpy(False), name, "hold finite numbers")
            numbers = pc.if_else(is_number, trimmed, None).cast(kind)
        values: NDArray[Any] = numbers.to_numpy(zero_copy_only=False)
        self.reject(np.isinf(values), name, "hold finite numbers")
        return values

    def missing(self, name: str) -> BoolArray:
        """Where a column is empty."""
        empty: BoolArray = self._batch[name].is_null(nan_is_null=True).to_numpy(False)
        return empty

    def kept(self, name: str) -> Any:
        """A column's values in the rows that are good so far; categories are what they stand for."""
        column = self._batch[name].filter(pa.array(self.good))
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column

    def reject(self, bad: BoolArray, name: str, must: str) -> None:
        """Rows not to keep; the first of them is an error unless bad rows are skipped."""
        bad = bad & self.good
        if bad.any() and not self._skip_bad:
            row = int(np.flatnonzero(bad)[0])
            value = self._batch[name][row].as_py()
            got = "nothing" if value is None else repr(str(value)[:40])
            raise FormatError(
                f"column {name!r} must {must}, got {got}; mend the row, or read with skip_bad",
                path=self._path,
                line=self._line + row,
            )
        self.good &= ~bad


def _is_numeric(kind: Any) -> bool:
    types = pa.types
    return any(is_kind(kind) for is_kind in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal))
