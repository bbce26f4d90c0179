"""TREC files: judgements (`qid 0 doc grade`) and a run (`qid Q0 doc rank score tag`), put together."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from rankwise.data._ranking_data import DOC_ID_TYPE, RankingData
from rankwise.data.io._streams import open_stream
from rankwise.errors import FormatError

UNJUDGED = -1.0
QRELS_COLUMNS = ("qid", "iteration", "document", "grade")
RUN_COLUMNS = ("qid", "Q0", "document", "rank", "score", "tag")

# Query -> document -> grade or score, both in the order of the file.
ByQuery = dict[str, dict[str, float]]


def read_trec(qrels_path: Path, run_path: Path, skip_bad: bool = False) -> RankingData:
    """Judged and retrieved documents of the queries that both files know.

    Queries come in the order of the run; a query's retrieved documents first, as the run has them, then
    the judged ones that were not retrieved. As in trec_eval, a query that one file lacks is left out.
    """
    notes: list[str] = []
    qrels = read_by_query(qrels_path, QRELS_COLUMNS, 3, skip_bad, notes)
    run = read_by_query(run_path, RUN_COLUMNS, 4, skip_bad, notes)
    qids: list[str] = []
    doc_ids: list[str] = []
    grades: list[float] = []
    scores: list[float] = []
    for query, retrieved in run.items():
        judged = qrels.get(query)
        if judged is None:
            continue
        missed = [document for document in judged if document not in retrieved]
        qids += [query] * (len(retrieved) + len(missed))
        doc_ids += [*retrieved, *missed]
        grades += [judged.get(document, UNJUDGED) for document in retrieved]
        grades += [judged[document] for document in missed]
        scores += [*retrieved.values(), *[-math.inf] * len(missed)]
    if not qids:
        raise FormatError(
            f"the run and {qrels_path} have no query in common, got {next(iter(run))!r} and "
            f"{next(iter(qrels))!r} as first queries; check that the files belong together",
            path=run_path,
        )
    notes += _left_out(len(run.keys() - qrels.keys()), "the run", "judgements")
    notes += _left_out(len(qrels.keys() - run.keys()), "the judgements", "retrieved documents")
    X = np.zeros((len(qids), 0), dtype=np.float32)
    ids = np.array(doc_ids, dtype=DOC_ID_TYPE)
    return RankingData(X, np.array(grades), np.array(qids), ids, scores=np.array(scores), notes=tuple(notes))


def _left_out(count: int, where: str, lacking: str) -> list[str]:
    queries = "query" if count == 1 else "queries"
    return [f"{count} {queries} of {where} left out: no {lacking}"] if count else []


def read_by_query(path: Path, columns: tuple[str, ...], value_at: int, skip_bad: bool, notes: list[str]) -> ByQuery:
    """The file as query -> document -> number; the first bad line is an error, or all are counted."""
    found: ByQuery = {}
    skipped = 0
    with open_stream(path) as file:
        lines = file.read().decode(errors="replace").removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        problem = None
        if len(words) != len(columns):
            problem = f"a line must be {' '.join(columns)}, got {len(words)} words; mend the line"
        else:
            value = _finite(words[value_at])
            documents = found.setdefault(words[0], {})
            if value is None:
                problem = f"a {columns[value_at]} must be a finite number, got {words[value_at]!r}; mend the line"
            elif words[2] in documents:
                problem = f"document {words[2]} stands twice in query {words[0]}; keep one of the two lines"
            else:
                documents[words[2]] = value
        if problem is None:
            continue
        if not skip_bad:
            raise FormatError(problem, path=path, line=number)
        skipped += 1
    found = {query: documents for query, documents in found.items() if documents}
    if not found:
        raise FormatError("there are no rows, got blank or malformed lines only; check the file", path=path)
    if skipped:
        notes.append(f"{skipped} malformed line{'s' if skipped != 1 else ''} of {path} skipped")
    return found


def _finite(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
