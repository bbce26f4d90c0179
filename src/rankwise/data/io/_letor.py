"""LETOR / SVM-rank text, read in two passes over chunks of lines: one to count, one to fill.

Counting first means that the arrays are made once, at their size, and nothing else of that size is ever
in memory. The count is a mere scan that trusts the text; the parse then checks it. Chunks are parsed by
threads (the kernel holds no GIL) but come back in order, so that line numbers and rows do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from rankwise.data._ranking_data import DOC_ID_TYPE, RankingData
from rankwise.data.io._chunks import CHUNK_BYTES, each_chunk
from rankwise.data.io._letor_chunk import Chunk, Parsed
from rankwise.errors import DataError, FormatError
from rankwise.kernels._threads import thread_count
from rankwise.types import AnyArray, IntArray

# Wide data that is mostly empty becomes sparse; anything else is faster and hardly larger when dense.
SPARSE_FROM_FEATURES = 1_000
SPARSE_BELOW_FILLED = 0.1


@dataclass(frozen=True)
class LetorFile:
    """A file, whether its lines have a qid, and the sizes of its queries if a `.query` file states them."""

    path: Path
    has_qid: bool
    query_sizes: IntArray | None = None

    @property
    def base(self) -> int:
        """Index of the first feature: 0 in LightGBM's own files (those with a `.query`), 1 in all others."""
        return 1 if self.query_sizes is None else 0


@dataclass
class _Count:
    """What the first pass finds: for each chunk the rows and entries before it and in it, and the totals."""

    chunks: list[tuple[int, int, int, int]]
    rows: int = 0
    entries: int = 0
    features: int = 0
    skipped: int = 0
    has_doc_ids: bool = False


def read_letor(
    files: Sequence[LetorFile],
    skip_bad: bool = False,
    *,
    chunk_bytes: int = CHUNK_BYTES,
    threads: int | None = None,
) -> RankingData:
    """Read files of one data set, one after the other."""
    threads = threads or thread_count()
    count = _Count([])
    rows_before = []
    for file in files:
        rows_before.append(count.rows)
        _count(file, count, skip_bad, chunk_bytes, threads)
    if count.rows == 0:
        names = ", ".join(str(file.path) for file in files)
        left_out = f" ({count.skipped} malformed lines were skipped)" if count.skipped else ""
        raise FormatError(f"there are no rows, got blank lines and comments only{left_out}; check the file", path=names)
    target = _Target(count, files[0].has_qid)
    places = iter(count.chunks)
    for file in files:
        _fill(file, target, places, skip_bad, chunk_bytes, threads)
    if next(places, None) is not None:
        raise _changed(files[-1].path)
    qid = _qid_of_sizes(files, rows_before, count) if files[0].query_sizes is not None else target.qid
    note = f"{count.skipped} malformed line{'s' if count.skipped != 1 else ''} skipped"
    doc_ids = target.doc_ids if target.found_doc_ids else None
    return RankingData(target.features(), target.y, qid, doc_ids, notes=(note,) if count.skipped else ())


def _count(file: LetorFile, count: _Count, skip_bad: bool, chunk_bytes: int, threads: int) -> None:
    def look(chunk: Chunk, _: None) -> Parsed:
        # Which lines are bad, and so not counted, only parsing tells.
        return chunk.parse(file.base, file.has_qid, skip_bad) if skip_bad else chunk.scan(file.base, file.has_qid)

    buffers = [Chunk(chunk_bytes) for _ in range(threads + 1)]
    for parsed in each_chunk(file.path, buffers, look, itertools.repeat(None)):
        count.chunks.append((count.rows, count.entries, parsed.rows, parsed.entries))
        count.rows += parsed.rows
        count.entries += parsed.entries
        count.features = max(count.features, parsed.features)
        count.skipped += parsed.skipped
        count.has_doc_ids |= parsed.has_doc_ids


def _fill(
    file: LetorFile,
    target: _Target,
    places: Iterator[tuple[int, int, int, int]],
    skip_bad: bool,
    chunk_bytes: int,
    threads: int,
) -> None:
    def store(chunk: Chunk, place: tuple[int, int, int, int] | None) -> Parsed:
        parsed = chunk.parse(file.base, file.has_qid, skip_bad)
        if parsed.problem is None:
            # The kernel that fills X does not check bounds, so this must.
            if place is None or (parsed.rows, parsed.entries) != place[2:] or parsed.features > target.shape[1]:
                raise _changed(file.path)
            target.store(chunk, parsed, row=place[0], entry=place[1])
        return parsed

    lines = 0
    buffers = [Chunk(chunk_bytes) for _ in range(threads + 1)]
    for parsed in each_chunk(file.path, buffers, store, places):
        lines += parsed.lines
        if parsed.problem is not None:
            message, column = parsed.problem
            raise FormatError(message, path=file.path, line=lines, column=column)


def _changed(path: Path) -> DataError:
    return DataError(f"{path} changed while it was being read; read it again")


class _Target:
    """The arrays to fill, at their final sizes."""

    def __init__(self, count: _Count, has_qid: bool) -> None:
        self.has_qid = has_qid
        self.y = np.zeros(count.rows)
        self.qid = np.zeros(count.rows, dtype=np.int64)
        self.doc_ids = np.zeros(count.rows, dtype=DOC_ID_TYPE) if count.has_doc_ids else None
        self.found_doc_ids = False
        self.shape = (count.rows, count.features)
        filled = count.entries / max(1, count.rows * count.features)
        self.is_sparse = count.features > SPARSE_FROM_FEATURES and filled < SPARSE_BELOW_FILLED
        if self.is_sparse:
            # scipy wants columns and row ends of one type, and would copy one of them otherwise.
            index = np.int32 if count.entries < 2**31 else np.int64
            self.values = np.zeros(count.entries, dtype=np.float32)
            self.columns = np.zeros(count.entries, dtype=index)
            self.row_ends = np.zeros(count.rows + 1, dtype=index)
        else:
            self.dense = np.zeros(self.shape, dtype=np.float32)

    def features(self) -> AnyArray | sp.csr_array:
        """X as it will be kept."""
        if self.is_sparse:
            return sp.csr_array((self.values, self.columns, self.row_ends), shape=self.shape)
        return self.dense

    def store(self, chunk: Chunk, parsed: Parsed, row: int, entry: int) -> None:
        """Put a chunk where it belongs."""
        rows = slice(row, row + parsed.rows)
        self.y[rows] = chunk.labels[: parsed.rows]
        if self.has_qid:
            self.qid[rows] = chunk.qids[: parsed.rows]
        if self.is_sparse:
            entries = slice(entry, entry + parsed.entries)
            self.values[entries] = chunk.values[: parsed.entries]
            self.columns[entries] = chunk.columns[: parsed.entries]
            self.row_ends[row + 1 : row + 1 + parsed.rows] = chunk.row_ends[: parsed.rows] + entry
        else:
            chunk.fill(self.dense[rows], parsed.rows)
        if self.doc_ids is not None and parsed.has_doc_ids:
            self.doc_ids[rows] = chunk.doc_ids(parsed.rows)
            self.found_doc_ids = True


def _qid_of_sizes(files: Sequence[LetorFile], rows_before: list[int], count: _Count) -> IntArray:
    """Query numbers from the `.query` files; those of a later file go on where the last one stopped."""
    if count.skipped:
        raise DataError(
            f"{count.skipped} malformed lines of {files[0].path} cannot be skipped, because its .query file "
            "counts them; mend the lines or use qid: in the lines"
        )
    for file, before, after in zip(files, rows_before, [*rows_before[1:], count.rows], strict=True):
        # As Python's own numbers: a sum of 64 bits may wrap around to the number of rows.
        stated = sum(file.query_sizes.tolist()) if file.query_sizes is not None else 0
        if stated != after - before:
            raise FormatError(
                f"query sizes must add up to the rows of the data, got {stated} for {after - before} rows; "
                "check that the two files belong together",
                path=f"{file.path}.query",
            )
    sizes = np.concatenate([file.query_sizes for file in files if file.query_sizes is not None])
    return np.repeat(np.arange(len(sizes)), sizes)
