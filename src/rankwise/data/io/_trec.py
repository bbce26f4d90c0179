"""TREC files: judgements (`qid 0 doc grade`) and runs (`qid Q0 doc rank score tag`), put together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from rankwise.data._ranking_data import DOC_ID_TYPE, RankingData
from rankwise.data.io._streams import open_stream
from rankwise.errors import DataError, FormatError
from rankwise.types import FloatArray

UNJUDGED = -1.0
QRELS_COLUMNS = ("qid", "iteration", "document", "grade")
RUN_COLUMNS = ("qid", "Q0", "document", "rank", "score", "tag")
GRADE_AT, SCORE_AT = QRELS_COLUMNS.index("grade"), RUN_COLUMNS.index("score")

# Query -> document -> grade or score, both in the order of the file.
ByQuery = dict[str, dict[str, float]]


def read_trec(qrels_path: Path, run_path: Path, skip_bad: bool = False) -> RankingData:
    """Judged and retrieved documents of the queries that both files know, with the scores of the run.

    Queries come in the order of the run; a query's retrieved documents first, as the run has them, then
    the judged ones that were not retrieved. As in trec_eval, a query that one file lacks is left out.
    """
    data, scores = read_runs(qrels_path, {"the run": run_path}, skip_bad)
    return replace(data, scores=scores["the run"])


def read_runs(
    qrels_path: Path, run_paths: Mapping[str, Path], skip_bad: bool = False
) -> tuple[RankingData, dict[str, FloatArray]]:
    """What `join_runs` makes of the files."""
    notes: list[str] = []
    qrels = read_by_query(qrels_path, QRELS_COLUMNS, GRADE_AT, skip_bad, notes)
    runs = {name: read_by_query(path, RUN_COLUMNS, SCORE_AT, skip_bad, notes) for name, path in run_paths.items()}
    try:
        return join_runs(qrels, runs, notes)
    except DataError as problem:
        raise FormatError(str(problem), path=qrels_path) from None


def join_runs(
    qrels: ByQuery, runs: Mapping[str, ByQuery], notes: list[str]
) -> tuple[RankingData, dict[str, FloatArray]]:
    """The documents that are judged or that any run retrieved, and each run's scores of them, by its name.

    Queries are those that the judgements and at least one run know; a run that lacks one of them has retrieved
    nothing there. A document that a run did not retrieve has the score −inf.
    """
    retrieved_for = dict.fromkeys(chain(*runs.values()))
    qids: list[str] = []
    documents: list[str] = []
    for query in (query for query in retrieved_for if query in qrels):
        of_query = dict.fromkeys(chain(*(run.get(query, ()) for run in runs.values()), qrels[query]))
        qids += [query] * len(of_query)
        documents += of_query
    if not qids:
        raise DataError(
            f"the judgements have no query in common with {', '.join(runs)}, got {next(iter(qrels), 'none')!r} and "
            f"{next(iter(retrieved_for), 'none')!r} as first queries; check that they belong together"
        )
    judged = set(qids)
    _note(notes, len(retrieved_for.keys() - judged), "left out: no judgements")
    _note(notes, len(qrels.keys() - judged), "of the judgements left out: no retrieved documents")
    for name, run in runs.items():
        _note(notes, len(judged - run.keys()), f"without a retrieved document in {name}, evaluated as such")
    keys = list(zip(qids, documents, strict=True))
    data = RankingData(
        np.zeros((len(keys), 0), dtype=np.float32),
        np.array([qrels[query].get(document, UNJUDGED) for query, document in keys]),
        np.array(qids),
        np.array(documents, dtype=DOC_ID_TYPE),
        notes=tuple(notes),
    )
    return data, {name: run_scores(run, keys) for name, run in runs.items()}


def run_scores(run: ByQuery, keys: Sequence[tuple[str, str]]) -> FloatArray:
    """A run's scores of documents by query and document id; −inf for those that it lacks."""
    return np.array([run.get(query, {}).get(document, -math.inf) for query, document in keys])


def _note(notes: list[str], queries: int, what: str) -> None:
    if queries:
        notes.append(f"{queries} {'query' if queries == 1 else 'queries'} {what}")


def read_by_query(path: Path, columns: tuple[str, ...], value_at: int, skip_bad: bool, notes: list[str]) -> ByQuery:
    """The file as query -> document -> number; the first bad line is an error, or all are counted."""
    by_query: ByQuery = {}
    skipped = 0
    with open_stream(path) as file:
        lines = file.read().decode(errors="replace").removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        problem = None
        if len(words) != len(columns):
            problem = f"a line must be {' '.join(columns)}, got {len(words)} words; fix the line"
        else:
            value = _finite(words[value_at])
            documents = by_query.setdefault(words[0], {})
            if value is None:
                problem = f"a {columns[value_at]} must be a finite number, got {words[value_at]!r}; fix the line"
            elif words[2] in documents:
                problem = f"document {words[2]} stands twice in query {words[0]}; keep one of the two lines"
            else:
                documents[words[2]] = value
        if problem is None:
            continue
        if not skip_bad:
            raise FormatError(problem, path=path, line=number)
        skipped += 1
    by_query = {query: documents for query, documents in by_query.items() if documents}
    if not by_query:
        raise FormatError("there are no rows, got blank or malformed lines only; check the file", path=path)
    if skipped:
        notes.append(f"{skipped} malformed line{'s' if skipped != 1 else ''} of {path} skipped")
    return by_query


def _finite(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
