"""Files of scores, read and written: one number per line, a table with a score column, or a TREC run."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from rankwise.cli.support._reading import is_parquet
from rankwise.cli.support._trec_runs import match_run
from rankwise.data import RankingData, atomic_path
from rankwise.data.io._formats import PARQUET_MAGIC, TABLE_ENDINGS, is_number
from rankwise.data.io._streams import open_stream, without_compression
from rankwise.data.io._trec import RUN_COLUMNS
from rankwise.errors import FormatError
from rankwise.types import AnyArray, FloatArray


def read_scores(path: Path, data: RankingData, skip_bad: bool, notes: list[str]) -> FloatArray:
    """One score per row of the data; −inf is a document that was not retrieved."""
    with open_stream(path) as file:
        content = file.read()
    if content.startswith(PARQUET_MAGIC):
        return _of_all_rows(_from_parquet(path, content), path, data)
    text = content.decode(errors="replace").removeprefix("\ufeff").rstrip()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines == [""]:
        raise FormatError("this file is empty; write one score per line", path=path)
    delimiter = TABLE_ENDINGS.get(without_compression(path).suffix.lower())
    if delimiter is not None:
        return _of_all_rows(_from_table(path, lines, delimiter), path, data)
    if len(lines[0].split()) == len(RUN_COLUMNS):
        return match_run(path, data, skip_bad, notes)
    return _of_all_rows(_numbers(lines, path, first_line=1), path, data)


def _of_all_rows(scores: FloatArray, path: Path, data: RankingData) -> FloatArray:
    if len(scores) != len(data):
        raise FormatError(
            f"there must be one score per row of the data, got {len(scores)} for {len(data)} rows; "
            "check that the files belong together",
            path=path,
        )
    return scores


def _from_parquet(path: Path, content: bytes) -> FloatArray:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(content))
        column = table.column(_score_column(table.column_names, path)).cast(pa.float64())
        scores = np.asarray(column.to_numpy(), dtype=np.float64)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(f"its scores cannot be read ({reason}); make the file again", path=path) from error
    bad = _first_bad(scores)
    if bad is not None:
        raise FormatError(f"{_RULE}, got {scores[bad]} in row {bad + 1}; repair it", path=path)
    return scores


def _from_table(path: Path, lines: list[str], delimiter: str) -> FloatArray:
    """A column named score, or the only one; a single column may also be without a name."""
    names = next(_csv_rows(lines[:1], delimiter, path), [])
    if len(names) == 1 and is_number(names[0]):
        return _numbers(lines, path, first_line=1)
    place = _score_column(names, path)
    rows = _csv_rows(lines[1:], delimiter, path)
    # A row that is too short has no score, which is then said with its line.
    return _numbers([row[place] if place < len(row) else "" for row in rows], path, first_line=2)


def _csv_rows(lines: list[str], delimiter: str, path: Path) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines, delimiter=delimiter)
    except csv.Error as problem:
        raise FormatError(f"this table cannot be read ({problem}); fix it", path=path) from None


def _score_column(names: list[str], path: Path) -> int:
    places = [place for place, name in enumerate(names) if name.strip().lower() == "score"]
    if len(names) == 1:
        return 0
    if len(places) != 1:
        raise FormatError(
            f"there must be one column named score, got {', '.join(names)[:200]}; rename the one to use", path=path
        )
    return places[0]


_RULE = "a score must be a finite number, or -inf for a document not retrieved"


def _numbers(words: list[str], path: Path, first_line: int) -> FloatArray:
    try:
        scores = np.array(list(map(float, words)))
        bad = _first_bad(scores)
    except ValueError:
        bad = next(place for place, word in enumerate(words) if not is_number(word))
    if bad is not None:
        got = repr(words[bad].strip()[:40]) if words[bad].strip() else "nothing"
        raise FormatError(f"{_RULE}, got {got}; fix the line", path=path, line=first_line + bad)
    return scores


def _first_bad(scores: FloatArray) -> int | None:
    bad = np.flatnonzero(np.isnan(scores) | (scores == np.inf))
    return int(bad[0]) if bad.size else None


def write_column(blocks: Iterable[AnyArray], out: Path | None, name: str) -> int:
    """Write blocks of numbers or texts as they come to stdout, text or Parquet; returns how many there were."""
    if out is not None and is_parquet(out):
        return _write_parquet(blocks, out, name)
    values = (value for block in blocks for value in block.tolist())
    return write_lines((value if isinstance(value, str) else repr(value) for value in values), out)


def write_lines(lines: Iterable[str], out: Path | None) -> int:
    """Write lines to a file or to stdout; returns how many there were."""
    n_lines = 0
    with ExitStack() as stack:
        file = sys.stdout
        if out is not None:
            file = stack.enter_context(stack.enter_context(atomic_path(out)).open("w", encoding="utf-8"))
        for line in lines:
            file.write(f"{line}\n")
            n_lines += 1
    return n_lines


def _write_parquet(blocks: Iterable[AnyArray], out: Path, name: str) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    n_values, schema = 0, pa.schema([(name, pa.string() if name == "label" else pa.float64())])
    with atomic_path(out) as temporary, parquet.ParquetWriter(temporary, schema) as writer:
        for values in blocks:
            n_values += values.size
            writer.write_table(pa.table({name: values}, schema=schema))
    return n_values
