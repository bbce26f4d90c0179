"""CSV and TSV files as batches of rows: of texts, so that a bad one can be named, or of numbers where none is odd."""

from __future__ import annotations

import codecs
import csv as plain_csv
import io
import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, Protocol

import pyarrow as pa
from pyarrow import csv

from rankwise.data._columns import Columns
from rankwise.data.io._chunks import CHUNK_BYTES, each_chunk
from rankwise.data.io._formats import Detected
from rankwise.data.io._plain_batch import CsvChunk, PlainReader
from rankwise.data.io._streams import fill_lines, open_stream, skip_bytes
from rankwise.data.io._table_batch import TableBatch
from rankwise.errors import FormatError
from rankwise.kernels._threads import thread_count

BLOCK_BYTES = 1 << 22
PLAIN_FROM_BYTES = 1 << 24  # of a file; in a smaller one the kernel gains less than compiling it may cost


class _Skipping(Protocol):
    skipped: int


class _Utf8Stream(io.RawIOBase):
    """A stream that refuses what is not UTF-8, of which pyarrow would print a traceback amid a malformed row."""

    def __init__(self, stream: io.BufferedIOBase, file: Detected) -> None:
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


class CsvTable:
    """A file of delimited text.

    Parameters
    ----------
    file : Detected
        The file.
    skip_bad : bool
        Whether malformed rows are left out.
    counter : object
        Its `skipped` grows by the rows of another number of values than there are columns.
    header : bool
        Whether the first line has the names of the columns; else they are numbers.
    """

    def __init__(self, file: Detected, skip_bad: bool, counter: _Skipping, *, header: bool) -> None:
        self._file, self._skip_bad, self._counter = file, skip_bad, counter
        with open_stream(file.path) as stream:
            first = stream.readline()
        self._start, self._line = (len(first), 2) if header else (0, 1)
        first_line = first.decode(errors="replace").removeprefix("\ufeff").rstrip("\r\n")
        try:
            words = next(plain_csv.reader([first_line], delimiter=file.delimiter, skipinitialspace=True))
        except plain_csv.Error as problem:
            raise FormatError(
                f"the names of its columns cannot be read ({problem}); fix them", path=file.path
            ) from None
        self.names = [name.strip() for name in words] if header else list(map(str, range(1, len(words) + 1)))

    def batches(
        self, columns: Columns, features: Sequence[str], categories: Collection[str], positive: str | float | None
    ) -> Iterator[TableBatch]:
        """All rows, some at a time; `categories` are looked at once the first batch was taken."""
        start, line = self._start, self._line
        block = self._first_block()
        if block:
            for batch in self._text_batches(io.BytesIO(block), line):
                yield batch
                line += len(batch.good)
            start += len(block)
        if line > self._line:  # the caller has seen rows, and so knows the categories
            texts = {columns.qid, columns.doc_id, *categories, *([columns.label] if isinstance(positive, str) else [])}
            reader = PlainReader(self._file.path, self._file.delimiter, self.names, columns, features, texts)
            buffers = [CsvChunk(CHUNK_BYTES) for _ in range(thread_count() + 1)]
            for plain in each_chunk(self._file.path, buffers, reader.read, itertools.repeat(None), start):
                if plain.has_quotes:
                    break
                for batch in [plain.rows] if plain.rows else self._text_batches(io.BytesIO(plain.text), line):
                    yield batch
                    line += len(batch.good)
                start += plain.size
            else:
                return
        with open_stream(self._file.path) as stream:
            skip_bytes(stream, start)
            yield from self._text_batches(stream, line)

    def _first_block(self) -> bytes:
        """The first lines of a large file; nothing where they have quotes, in which a line may go on."""
        if self._file.path.stat().st_size < PLAIN_FROM_BYTES:
            return b""
        with open_stream(self._file.path) as stream:
            skip_bytes(stream, self._start)
            block = bytearray(BLOCK_BYTES)
            size, _ = fill_lines(stream, block, b"")
        return b"" if b'"' in block else bytes(block[:size])

    def _text_batches(self, stream: io.BufferedIOBase, line: int) -> Iterator[TableBatch]:
        """The rows of a stream that begins on a line, every value still text."""
        short_rows: list[Any] = []

        def on_short_row(row: Any) -> Literal["skip", "error"]:
            short_rows.append(row)
            self._counter.skipped += 1
            return "skip" if self._skip_bad else "error"

        path, first_line = self._file.path, line
        try:
            reader = csv.open_csv(
                pa.PythonFile(_Utf8Stream(stream, self._file), mode="r"),
                csv.ReadOptions(block_size=BLOCK_BYTES, column_names=self.names, use_threads=False),
                csv.ParseOptions(delimiter=self._file.delimiter, invalid_row_handler=on_short_row),
                csv.ConvertOptions(column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=True),
            )
            for batch in reader:
                yield TableBatch(batch, path, line, self._skip_bad)
                line += batch.num_rows
        except pa.ArrowInvalid as error:
            if "Empty CSV" in str(error):
                return
            if not short_rows:
                reason = str(error).splitlines()[0]
                raise FormatError(f"this table cannot be read ({reason}); fix it", path=path) from error
            row = short_rows[-1]
            raise FormatError(
                f"a row must have {row.expected_columns} values, got {row.actual_columns} in {row.text[:40]!r}; "
                "fix the line",
                path=path,
                line=first_line + row.number - 1,
            ) from error
