"""Runs to fuse, however they come: arrays beside rows, or dictionaries and frames that name documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.data.io._trec import ByQuery, run_scores
from rankwise.data.io._trec_objects import by_query, names_documents
from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray


@dataclass(frozen=True, eq=False)
class AlignedRuns:
    """Scores of the same rows by several runs; where runs named documents, `keys` has the query and id of each row."""

    names: tuple[str, ...]
    scores: list[FloatArray]
    groups: QueryGroups
    queries: tuple[str, ...] = ()
    keys: list[tuple[str, str]] | None = None

    @property
    def grouped(self) -> list[FloatArray]:
        """The scores with the rows of a query together."""
        return [self.groups.grouped(scores) for scores in self.scores]

    def as_run(self, fused: FloatArray) -> ByQuery:
        """Scores of the rows by query and document, best first; equal ones by falling id, as trec_eval has them."""
        by_document: ByQuery = {query: {} for query in self.queries}
        rows = sorted(zip(fused.tolist(), self.keys or [], strict=True), key=lambda row: row[1][1], reverse=True)
        for score, (query, document) in sorted(rows, key=lambda row: -row[0]):
            by_document[query][document] = score
        return by_document


def aligned_runs(runs: Mapping[str, Any] | Sequence[Any], qid: ArrayLike | None) -> AlignedRuns:
    """Runs as scores of the same rows."""
    named = dict(runs) if isinstance(runs, Mapping) else {f"run {at}": run for at, run in enumerate(runs, start=1)}
    names = tuple(map(str, named))
    if len(named) < 2:
        raise DataError(f"there must be two or more runs to fuse, got {', '.join(names) or 'none'}; pass another")
    if any(map(names_documents, named.values())):
        if qid is not None:
            raise DataError("runs that name documents name their queries too, got qid; leave it out")
        tables = [by_query(name, run, "score") for name, run in named.items()]
        return _of_documents(names, tables)
    scores = [as_vector(f"scores of {name}", run, low=-np.inf) for name, run in named.items()]
    for name, values in zip(names, scores, strict=True):
        if values.size != scores[0].size:
            raise ShapeError(
                f"runs must score the same rows, got {scores[0].size} scores of {names[0]} and {values.size} of {name}"
            )
    return AlignedRuns(names, scores, QueryGroups.of_rows(qid, scores[0].size))


def _of_documents(names: tuple[str, ...], tables: list[ByQuery]) -> AlignedRuns:
    queries = tuple(dict.fromkeys(chain(*tables)))
    keys = [(query, d) for query in queries for d in dict.fromkeys(chain(*(table.get(query, ()) for table in tables)))]
    if not keys:
        raise DataError("there are no documents to fuse, got empty runs; pass at least one document")
    groups = QueryGroups.from_qid(np.array([query for query, _ in keys]))
    return AlignedRuns(names, [run_scores(table, keys) for table in tables], groups, queries, keys)
