"""TREC runs: one beside data that names its documents, or one to write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankwise.data import RankingData
from rankwise.data.io._trec import RUN_COLUMNS, SCORE_AT, read_by_query, run_scores
from rankwise.errors import DataError
from rankwise.types import FloatArray


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
    return run_scores(run, keys)


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
