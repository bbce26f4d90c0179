"""Files: judgements in LETOR text, CSV, TSV, Parquet and TREC's form, and texts of documents in JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rankwise.data import RankingData, read, write
from rankwise.data._columns import DOC_ID_NAMES, QID_NAMES
from rankwise.data.io._formats import detect
from rankwise.data.io._qrels import read_qrels, write_qrels
from rankwise.data.io._streams import without_compression
from rankwise.data.text._files import ID_NAMES, take_id
from rankwise.data.text._json_lines import json_lines
from rankwise.errors import DataError, FormatError
from rankwise.labels._checks import whole_number
from rankwise.labels._database import Database
from rankwise.labels._items import item_named
from rankwise.labels._judgements import HeldState, add, state
from rankwise.labels._rounds import open_round
from rankwise.types import JsonObject

QRELS_ENDING = ".qrels"
FieldsById: TypeAlias = dict[str, JsonObject]


@dataclass(frozen=True)
class ImportResult:
    """What became of the labels of a file that was imported.

    Parameters
    ----------
    recorded : int
        Labels that were recorded as new judgements.
    unchanged : int
        Labels that the labeller held already.
    unknown : int
        Labels of documents that are not in the store.
    """

    recorded: int
    unchanged: int
    unknown: int


def export_labels(data: RankingData, path: Path) -> int:
    """Write the judged rows of labelled data, and say how many; `.qrels` is TREC's form, others as `write` has them."""
    judged = np.flatnonzero(data.y >= 0)
    if judged.size == 0:
        raise DataError(f"there is nothing to write to {path}, nobody has judged anything; judge first")
    rows = data.rows(judged)
    if rows.query_weight is not None:
        rows = replace(rows, query_weight=None)
    to_file = write_qrels if without_compression(path).suffix == QRELS_ENDING else write
    try:
        to_file(rows, path)
    except OSError as problem:
        raise DataError(f"cannot write {path} ({problem.strerror or problem}); free space or name another") from problem
    return len(rows)


def import_labels(
    database: Database, path: Path, labeller: str, highest_grade: int, skip_unknown: bool
) -> ImportResult:
    """Record the labels of a file as judgements of one labeller: all of them, or none if one cannot be."""
    data = read_qrels(path) if detect(path).format == "qrels" else read(path)
    recorded = unchanged = unknown = 0
    grades: dict[int, int] = {}
    with database.transaction() as connection:
        round = open_round(connection)
        for qid, doc_id, label in _judged(data, path):
            item = item_named(connection, qid, doc_id)
            if item is None:
                if not skip_unknown:
                    raise DataError(
                        f"{path} judges document {doc_id!r} of query {qid!r}, which is not in the store; "
                        "leave it out, or skip what is unknown"
                    )
                unknown += 1
                continue
            grade = whole_number(
                int(label) if label.is_integer() else label, f"the grade of {doc_id!r}", 0, highest_grade
            )
            if grades.setdefault(item, grade) != grade:
                raise DataError(
                    f"{path} judges document {doc_id!r} of query {qid!r} twice, as {grades[item]} and as {grade}; "
                    "keep one of the lines"
                )
            before = state(connection, item, labeller)
            if before.grade == grade:
                unchanged += 1
                continue
            add(connection, item, labeller, "grade", HeldState(grade, False, before.note), round)
            recorded += 1
    return ImportResult(recorded, unchanged, unknown)


def _judged(data: RankingData, path: Path) -> Iterator[tuple[str, str, float]]:
    """Query, document and label of the rows that are judged."""
    if data.doc_ids is None:
        raise DataError(f"{path} has no document ids to find its rows by; add them")
    rows = zip(data.qid.tolist(), data.doc_ids.tolist(), data.y.tolist(), strict=True)
    return ((str(qid), doc_id, label) for qid, doc_id, label in rows if label >= 0)


def read_texts(path: str | PathLike[str], data: RankingData) -> tuple[FieldsById, FieldsById]:
    """Read what documents and queries say from a file of JSON lines.

    A line with a `doc_id` (or `docid`) tells of a document, one with a `qid` (or `query_id`, `query`) of a query, one
    with neither but an `id` (or `_id`) of a document; all else on the line is kept as its fields:
    `{"doc_id": "d1", "title": "Rain", "text": "It rains."}`.

    Parameters
    ----------
    path : str or PathLike
        The file, which may be packed (`.gz`, …), and may hold far more than the data.
    data : RankingData
        The documents and queries to read about.

    Returns
    -------
    texts : dict
        The fields of documents of `data` by their id, as `LabelStore.create` takes them.
    query_texts : dict
        The fields of queries of `data` by their id.

    Raises
    ------
    FormatError
        If a line is not a JSON object with an id, or an id stands twice; it names the line.
    """
    wanted = {
        "document": set() if data.doc_ids is None else set(data.doc_ids.tolist()),
        "query": set(map(str, data.groups.qids.tolist())),
    }
    fields_of: dict[str, FieldsById] = {"document": {}, "query": {}}
    for number, row in json_lines(Path(path)):
        kind, name, fields = _document_or_query(row, Path(path), number)
        if name in fields_of[kind]:
            raise FormatError(f"{kind} {name[:40]!r} stands twice; keep one of the lines", path=path, line=number)
        if name in wanted[kind]:
            fields_of[kind][name] = fields
    return fields_of["document"], fields_of["query"]


def _document_or_query(fields: JsonObject, path: Path, number: int) -> tuple[str, str, JsonObject]:
    """Whether a line tells of a document or a query, of which one, and what."""
    for kind, names in (("document", DOC_ID_NAMES), ("query", QID_NAMES), ("document", ID_NAMES)):
        name = take_id(fields, names, path, number)
        if name is not None:
            return kind, name, fields
    raise FormatError("a line must have a doc_id or a qid, got neither; add one", path=path, line=number)
