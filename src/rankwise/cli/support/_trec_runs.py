"""TREC runs: several beside one file of judgements, one beside data that names its documents, or one to write."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np

from rankwise.data import RankingData
from rankwise.data.io._trec import QRELS_COLUMNS, RUN_COLUMNS, UNJUDGED, read_by_query
from rankwise.errors import DataError
from rankwise.types import FloatArray

GRADE_AT, SCORE_AT = QRELS_COLUMNS.index("grade"), RUN_COLUMNS.index("score")


def read_runs(
    qrels_path: Path, run_paths: Mapping[str, Path], skip_bad: bool, notes: list[str]
) -> tuple[RankingData, dict[str, FloatArray]]:
    """The documents that are judged or that any run retrieved, and each run's scores of them.

    Queries are those that the judgements and at least one run know; a run that lacks one of them has retrieved
    nothing there. A document that a run did not retrieve has the score −inf.
    """
    qrels = read_by_query(qrels_path, QRELS_COLUMNS, GRADE_AT, skip_bad, notes)
    runs = {name: read_by_query(path, RUN_COLUMNS, SCORE_AT, skip_bad, notes) for name, path in run_paths.items()}
    retrieved_for = dict.fromkeys(chain(*runs.values()))
    qids: list[str] = []
    documents: list[str] = []
    for query in (query for query in retrieved_for if query in qrels):
        of_query = dict.fromkeys(chain(*(run.get(query, ()) for run in runs.values()), qrels[query]))
        qids += [query] * len(of_query)
        documents += of_query
    if not qids:
        raise DataError(
            f"{', '.join(map(str, run_paths.values()))} and {qrels_path} have no query in common, got "
            f"{next(iter(retrieved_for))!r} and {next(iter(qrels))!r} as first queries; "
            "check that the files belong together"
        )
    queries = set(qids)
    _note(notes, len(retrieved_for.keys() - queries), "left out: no judgements")
    _note(notes, len(qrels.keys() - queries), "of the judgements left out: no retrieved documents")
    for name, run in runs.items():
        _note(notes, len(queries - run.keys()), f"without a retrieved document in {name}, evaluated as such")
    keys = list(zip(qids, documents, strict=True))
    grades = np.array([qrels[query].get(document, UNJUDGED) for query, document in keys])
    scores = {
        name: np.array([run.get(query, {}).get(document, -math.inf) for query, document in keys])
        for name, run in runs.items()
    }
    no_features = np.zeros((len(keys), 0), dtype=np.float32)
    return RankingData(no_features, grades, np.array(qids), np.array(documents)), scores


def match_run(path: Path, data: RankingData, skip_bad: bool, notes: list[str]) -> FloatArray:
    """A run's scores of the rows by query and document id; −inf for those that it lacks."""
    if data.doc_ids is None:
        raise DataError(
            f"{path} is a TREC run, which names documents by id, but the data has no ids; "
            "write one score per line in the order of the rows"
        )
    run = read_by_query(path, RUN_COLUMNS, SCORE_AT, skip_bad, notes)
    keys = list(zip(map(str, data.qid.tolist()), data.doc_ids.tolist(), strict=True))
    retrieved = {(query, document) for query, documents in run.items() for document in documents}
    unknown = len(retrieved.difference(keys))
    if unknown == len(retrieved):
        raise DataError(
            f"{path} and the data have no document in common, got {' '.join(min(retrieved))} and "
            f"{' '.join(keys[0])}; check that the files belong together"
        )
    if unknown:
        notes.append(f"{unknown} document{'s' if unknown != 1 else ''} of {path} left out: not in the data")
    return np.array([run.get(query, {}).get(document, -math.inf) for query, document in keys])


def _note(notes: list[str], count: int, what: str) -> None:
    if count:
        notes.append(f"{count} {'query' if count == 1 else 'queries'} {what}")


def run_lines(data: RankingData, scores: FloatArray, tag: str) -> Iterator[str]:
    """A TREC run of the rows, best first in each query; equal scores by falling document id, as trec_eval has them."""
    if data.doc_ids is None:
        raise DataError(
            "a TREC run names documents by id, but the data has no ids; write one score per line without --trec-run"
        )
    groups = data.groups
    documents = groups.grouped(data.doc_ids).tolist()
    values = groups.grouped(scores).tolist()
    for place, query in enumerate(map(str, groups.qids.tolist())):
        of_query = slice(groups.offsets[place], groups.offsets[place + 1])
        ranked = sorted(zip(values[of_query], documents[of_query], strict=True), reverse=True)
        _check_names(query, [document for _, document in ranked])
        for rank, (score, document) in enumerate(ranked, start=1):
            yield f"{query} Q0 {document} {rank} {score!r} {tag}"


def _check_names(query: str, documents: list[str]) -> None:
    """A line of a run is six words, and a document is in a query once."""
    for name in (query, *documents):
        if len(name.split()) != 1:
            raise DataError(f"a TREC run has ids without blanks, got {name!r} in query {query!r}; rename it")
    if len(set(documents)) < len(documents):
        twice = next(name for name in documents if documents.count(name) > 1)
        raise DataError(f"a TREC run has a document once per query, got {twice} twice in query {query}; drop one")
