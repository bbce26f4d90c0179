"""CSV and TSV files as batches of text columns."""

from __future__ import annotations

import codecs
import csv as plain_csv
import io
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Literal, Protocol

import pyarrow as pa
from pyarrow import csv

from rankwise.data.io._formats import Detected
from rankwise.data.io._streams import open_stream
from rankwise.errors import FormatError

BLOCK_BYTES = 1 << 22


class _Skipping(Protocol):
    skipped: int


class _Utf8Stream(io.RawIOBase):
    """A stream that refuses what is not UTF-8, of which pyarrow would print a traceback amid a malformed row."""

    def __init__(self, stream: io.BufferedReader, file: Detected) -> None:
        self._stream, self._file, self._decoder = stream, file, codecs.getincrementaldecoder("utf-8")()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        try:
            self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as problem:
            raise FormatError(f"this table is not UTF-8 text ({problem}); convert it", path=self._file.path) from None
        return block


def csv_batches(
    file: Detected, skip_bad: bool, counter: _Skipping, *, header: bool = True
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Column names, and batches in which every value is still text, so that a bad one can be named."""
    short_rows: list[Any] = []

    def on_short_row(row: Any) -> Literal["skip", "error"]:
        short_rows.append(row)
        counter.skipped += 1
        return "skip" if skip_bad else "error"

    with open_stream(file.path) as stream:
        first_line = stream.readline().decode(errors="replace").removeprefix("\ufeff").rstrip("\r\n")
    try:
        words = next(plain_csv.reader([first_line], delimiter=file.delimiter, skipinitialspace=True))
    except plain_csv.Error as problem:
        raise FormatError(f"the names of its columns cannot be read ({problem}); fix them", path=file.path) from None
    names = [name.strip() for name in words] if header else [str(number) for number in range(1, len(words) + 1)]

    def batches() -> Iterator[pa.RecordBatch]:
        with ExitStack() as stack:
            stream: Any = pa.PythonFile(_Utf8Stream(stack.enter_context(open_stream(file.path)), file), mode="r")
            try:
                reader = csv.open_csv(
                    stream,
                    csv.ReadOptions(
                        block_size=BLOCK_BYTES, column_names=names, skip_rows=int(header), use_threads=False
                    ),
                    csv.ParseOptions(delimiter=file.delimiter, invalid_row_handler=on_short_row),
                    csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True),
                )
                yield from reader
            except pa.ArrowInvalid as error:
                if "Empty CSV" in str(error):
                    return
                if not short_rows:
                    reason = str(error).splitlines()[0]
                    raise FormatError(f"this table cannot be read ({reason}); fix it", path=file.path) from error
                row = short_rows[-1]
                raise FormatError(
                    f"a row must have {row.expected_columns} values, got {row.actual_columns} in "
                    f"{row.text[:40]!r}; fix the line",
                    path=file.path,
                    line=row.number,
                ) from error

    return names, batches()
