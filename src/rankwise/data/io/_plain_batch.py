"""Rows of a CSV or TSV table that a kernel reads, since nothing in them is odd."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from rankwise.data._arrow_columns import ArrowColumn, pc
from rankwise.data._columns import Columns
from rankwise.data.io._table_batch import TableBatch
from rankwise.kernels import _csv_text as kernel
from rankwise.kernels._number_text import NEWLINE
from rankwise.types import AnyArray, FloatArray, IntArray

MISSING_WORDS = [word.encode() for word in csv.ConvertOptions().null_values if word]
_WORDS = np.frombuffer(b"".join(MISSING_WORDS), dtype=np.uint8)
_WORD_ENDS = np.cumsum([len(word) for word in MISSING_WORDS])


class CsvChunk:
    """Whole lines of a table; used again and again."""

    def __init__(self, text_bytes: int) -> None:
        self.text = bytearray(text_bytes)
        self.size = 0


@dataclass(frozen=True, eq=False)
class PlainRows:
    """What a chunk of `size` bytes holds; where its rows are not plain, `rows` is None and `text` has the chunk."""

    size: int
    rows: PlainBatch | None
    text: bytes

    @property
    def has_quotes(self) -> bool:
        """Whether there are quotes, in which a line may go on."""
        return b'"' in self.text


class PlainBatch(TableBatch):
    """Rows whose numbers are there already; the texts are an Arrow batch."""

    def __init__(
        self, X: NDArray[np.float32], y: FloatArray, texts: pa.RecordBatch, columns: Columns, path: Path
    ) -> None:
        super().__init__(texts, path, 1, skip_bad=False)
        self.good = np.ones(len(X), dtype=bool)
        self._X, self._y, self._columns = X, y, columns

    @property
    def lacks_values(self) -> bool:
        """Whether a label or a query is missing."""
        label, qid = self._columns.label, self._columns.qid
        unknown = self.texts(label).null_count if label in self._batch.schema.names else ~np.isfinite(self._y)
        return bool(np.any(unknown)) or (qid is not None and bool(self.missing(qid).any()))

    def numbers(self, name: str, kind: pa.DataType, *, remedy: str = "") -> AnyArray:
        """The labels; other columns of numbers are in the matrix."""
        assert name == self._columns.label
        return self._y

    def matrix(
        self,
        features: Sequence[str],
        there: Collection[str],
        encoders: Mapping[str, Callable[[ArrowColumn], NDArray[np.float32]]],
    ) -> NDArray[np.float32]:
        """The features; those that are categories become codes only now, since codes depend on the rows before."""
        for name, encode in encoders.items():
            self._X[:, features.index(name)] = self.codes(name, encode)
        return self._X


class PlainReader:
    """Reads chunks of a table whose columns are known."""

    def __init__(
        self,
        path: Path,
        delimiter: str,
        names: Sequence[str],
        columns: Columns,
        features: Sequence[str],
        texts: Collection[str | None],
    ) -> None:
        self._path, self._delimiter, self._n_features = path, ord(delimiter), len(features)
        self._texts = [name for name in names if name in texts]
        self._columns = columns
        kinds, places = np.zeros(len(names), dtype=np.int8), np.zeros(len(names), dtype=np.int64)
        for column, name in enumerate(names):
            if name in self._texts:
                kinds[column], places[column] = kernel.TEXT, self._texts.index(name)
            elif name == columns.label:
                kinds[column] = kernel.LABEL
            elif name in columns.features:
                kinds[column], places[column] = kernel.FEATURE, features.index(name)
        self._kinds, self._places = kinds, places

    def read(self, chunk: CsvChunk, _: None) -> PlainRows:
        """The rows of a chunk."""
        rows = self._rows(chunk)
        return PlainRows(chunk.size, rows, b"" if rows else bytes(chunk.text[: chunk.size]))

    def _rows(self, chunk: CsvChunk) -> PlainBatch | None:
        text = np.frombuffer(chunk.text, dtype=np.uint8, count=chunk.size + 1)
        if chunk.text.find(b'"', 0, chunk.size) >= 0 or text.max() > 127:
            return None
        room = int(np.count_nonzero(text == NEWLINE))
        X = np.empty((room, self._n_features), dtype=np.float32)
        y = np.zeros(room)
        text_bytes = np.empty((len(self._texts), chunk.size), dtype=np.uint8)
        text_ends = np.empty((len(self._texts), room + 1), dtype=np.int32)
        hard = np.empty((kernel.MAX_HARD, 4), dtype=np.int64)
        rows, n_hard = kernel.parse_rows(
            text, chunk.size, self._delimiter, self._kinds, self._places, _WORDS, _WORD_ENDS, X, y, text_bytes,
            text_ends, hard,
        )  # fmt: skip
        if rows < 0:
            return None
        for row, column, start, end in hard[:n_hard].tolist():
            number = float(chunk.text[start:end])
            if column < 0:
                y[row] = number
            else:
                X[row, column] = number
        arrays = [_arrow_texts(text_bytes[k], text_ends[k, : rows + 1]) for k in range(len(self._texts))]
        texts = pa.RecordBatch.from_arrays(arrays, names=self._texts)
        batch = PlainBatch(X[:rows], y[:rows], texts, self._columns, self._path)
        return None if batch.lacks_values else batch  # what is wrong the other reader says


def _arrow_texts(text: NDArray[np.uint8], ends: IntArray | NDArray[np.int32]) -> pa.Array:
    """Texts that follow each other, null where a word stands for a missing value."""
    data = pa.py_buffer(text[: ends[-1]].tobytes())
    texts = pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends.tobytes()), data)
    missing = pc.is_in(texts, value_set=pa.array(csv.ConvertOptions().null_values))
    return pc.if_else(missing, None, texts) if pc.any(missing).as_py() else texts
