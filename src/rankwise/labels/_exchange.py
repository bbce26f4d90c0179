"""Judgements from files and into files: LETOR text, CSV, TSV, Parquet and TREC judgements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankwise.data import RankingData, read, write
from rankwise.data.io._formats import detect
from rankwise.data.io._qrels import read_qrels, write_qrels
from rankwise.data.io._streams import without_compression
from rankwise.errors import DataError
from rankwise.labels._checked import whole_number
from rankwise.labels._database import Database
from rankwise.labels._items import item_named
from rankwise.labels._judgements import State, add, state
from rankwise.labels._rounds import open_round

QRELS_ENDING = ".qrels"


@dataclass(frozen=True)
class Imported:
    """What became of a file's labels: new ones, ones that the labeller held already, documents not in the store."""

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
    to_file(rows, path)
    return len(rows)


def import_labels(database: Database, path: Path, who: str, highest_grade: int, skip_unknown: bool) -> Imported:
    """Record the labels of a file as judgements of one labeller: all of them, or none if one cannot be."""
    data = read_qrels(path) if detect(path).format == "qrels" else read(path)
    recorded = unchanged = unknown = 0
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
            before = state(connection, item, who)
            if before.grade == grade:
                unchanged += 1
                continue
            add(connection, item, who, "grade", State(grade, False, before.note), round)
            recorded += 1
    return Imported(recorded, unchanged, unknown)


def _judged(data: RankingData, path: Path) -> Iterator[tuple[str, str, float]]:
    """Query, document and label of the rows that are judged."""
    if data.doc_ids is None:
        raise DataError(f"{path} has no document ids to find its rows by; add them")
    rows = zip(data.qid.tolist(), data.doc_ids.tolist(), data.y.tolist(), strict=True)
    return ((str(qid), doc_id, label) for qid, doc_id, label in rows if label >= 0)
