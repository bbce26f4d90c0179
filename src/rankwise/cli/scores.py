"""Files of scores: one number a line, a table with a score column, or a TREC run."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data import RankingData
from rankwise.data.formats import PARQUET_MAGIC, TABLE_ENDINGS
from rankwise.data.streams import opened, without_compression
from rankwise.data.trec import RUN_COLUMNS
from rankwise.data.trec import _parse as read_by_query
from rankwise.errors import DataError, FormatError

__all__ = ["read_scores"]

Scores = NDArray[np.float64]

SCORE_NAMES = ("score", "scores", "prediction")


def read_scores(path: Path, data: RankingData, notes: list[str]) -> Scores:
    """One score a row of the data; −inf is a document that was not retrieved."""
    with opened(path) as file:
        content = file.read()
    if content.startswith(PARQUET_MAGIC):
        scores = _from_parquet(path, content)
        return _checked(scores, path, data, first_line=None)
    lines = content.decode(errors="replace").removeprefix("\ufeff").rstrip().splitlines()
    if not lines:
        raise FormatError("this file is empty; write one score a line", path=path)
    delimiter = TABLE_ENDINGS.get(without_compression(path).suffix.lower())
    if delimiter is not None:
        return _from_table(path, lines, delimiter, data)
    if len(lines[0].split()) == len(RUN_COLUMNS):
        return _from_run(path, data, notes)
    return _checked(_numbers(lines, path, first_line=1), path, data, first_line=1)


def _from_parquet(path: Path, content: bytes) -> Scores:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(content))
        column = table.column(_score_column(table.column_names, path))
        return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(f"its scores cannot be read ({reason}); make the file again", path=path) from error


def _from_table(path: Path, lines: list[str], delimiter: str, data: RankingData) -> Scores:
    rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter))
    names = [name.strip() for name in rows[0]]
    if len(names) == 1 and _is_number(names[0]):
        return _checked(_numbers(lines, path, first_line=1), path, data, first_line=1)
    place = _score_column(names, path)
    # A row that is too short has no score, which is then said with its line.
    words = [row[place] if place < len(row) else "" for row in rows[1:]]
    return _checked(_numbers(words, path, first_line=2), path, data, first_line=2)


def _score_column(names: list[str], path: Path) -> int:
    if len(names) == 1:
        return 0
    found = [place for place, name in enumerate(names) if name.lower() in SCORE_NAMES]
    if len(found) != 1:
        raise FormatError(
            f"there must be one column named score, got {', '.join(names)[:200]}; rename the one to use", path=path
        )
    return found[0]


def _from_run(path: Path, data: RankingData, notes: list[str]) -> Scores:
    """Scores by query and document id; the data's documents that the run lacks were not retrieved."""
    if data.doc_ids is None:
        raise DataError(
            f"{path} is a TREC run, which names documents by id, but the data has no ids; "
            "write one score a line in the order of the rows"
        )
    run = read_by_query(path, RUN_COLUMNS, 4, False, notes)
    keys = list(zip(map(str, data.qid.tolist()), data.doc_ids.tolist(), strict=True))
    scores = np.array([run.get(query, {}).get(document, -math.inf) for query, document in keys])
    found = int(np.isfinite(scores).sum())
    if not found:
        raise DataError(
            f"{path} has no document of the data, got query {next(iter(run))!r} first where the data has "
            f"{keys[0][0]!r}; check that the files belong together"
        )
    unknown = sum(map(len, run.values())) - len({key for key, score in zip(keys, scores, strict=True) if score > -math.inf})
    if unknown:
        notes.append(f"{unknown} documents of {path} left out: not in the data")
    return scores


def _numbers(words: list[str], path: Path, first_line: int) -> Scores:
    try:
        return np.array(list(map(float, words)))
    except ValueError:
        line, word = next((at, word) for at, word in enumerate(words) if not _is_number(word))
        got = repr(word.strip()[:40]) if word.strip() else "a blank line"
        raise FormatError(
            f"a line must hold one score, got {got}; mend the line", path=path, line=first_line + line
        ) from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _checked(scores: Scores, path: Path, data: RankingData, first_line: int | None) -> Scores:
    bad = np.flatnonzero(np.isnan(scores) | (scores == np.inf))
    if bad.size:
        raise FormatError(
            f"a score must be a finite number, or -inf for a document not retrieved, got {scores[bad[0]]}"
            f"{'' if first_line else f' in row {bad[0] + 1}'}; repair it",
            path=path,
            line=None if first_line is None else first_line + int(bad[0]),
        )
    if len(scores) != len(data):
        raise FormatError(
            f"there must be one score a row of the data, got {len(scores)} for {len(data)} rows; "
            "check that the files belong together",
            path=path,
            line=None if first_line is None else first_line + min(len(scores), len(data)) - (len(scores) < len(data)),
        )
    return scores
