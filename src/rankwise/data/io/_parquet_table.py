"""Parquet files as batches of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from rankwise.data.io._streams import COMPRESSIONS, open_stream
from rankwise.data.io._table_batch import TableBatch
from rankwise.errors import FormatError
from rankwise.kernels._threads import thread_count

COLUMN_BUFFER_BYTES = 1 << 16  # of each column of an open Parquet file
MAX_CELLS_PER_BYTE, MIN_CELLS_LIMIT = 100, 1 << 24  # more are a file that is made to fill the memory


class ParquetTable:
    """A Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    skip_bad : bool, default=False
        Whether malformed rows are left out.
    rows_at_once : int, default=16384
        Rows of a batch, at most.
    row_groups : list of int, optional
        The row groups that are read; None is all.
    """

    def __init__(
        self, path: Path, skip_bad: bool = False, *, rows_at_once: int = 16_384, row_groups: list[int] | None = None
    ) -> None:
        self._path, self._skip_bad, self._rows_at_once, self._row_groups = path, skip_bad, rows_at_once, row_groups
        self._file = _parquet_file(path)
        self.schema = self._file.schema_arrow
        self.names = self.schema.names

    def record_batches(self, names: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The columns of these names, or all, some rows at a time."""
        groups, columns = self._row_groups, None if names is None else list(names)
        try:
            yield from self._file.iter_batches(self._rows_at_once, groups, columns, use_threads=thread_count() > 1)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(self._path, error) from error

    def batches(self, names: Sequence[str]) -> Iterator[TableBatch]:
        """The same as batches that can be checked."""
        row = 1
        for batch in self.record_batches(names):
            yield TableBatch(batch, self._path, row, self._skip_bad)
            row += batch.num_rows


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
        file = parquet.ParquetFile(source, buffer_size=COLUMN_BUFFER_BYTES, pre_buffer=False)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(path, error) from error
    cells, size = file.metadata.num_rows * max(file.metadata.num_columns, 1), path.stat().st_size
    if cells > max(MAX_CELLS_PER_BYTE * size, MIN_CELLS_LIMIT) or cells < 0:
        raise FormatError(
            f"this Parquet file of {size} bytes says that it has {cells} values, which data hardly do; make it again",
            path=path,
        )
    return file


def _damaged(path: Path, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0]
    return FormatError(f"this Parquet file is cut off or damaged ({reason}); make it again", path=path)
