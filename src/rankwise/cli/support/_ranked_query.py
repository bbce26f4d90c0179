"""The documents of one query as a model ranks them, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.cli.support._model_data import LoadedModel
from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.rankers._explanation import Contribution


@dataclass(frozen=True)
class Ranked:
    """A document at its rank; `row` is its place in the data, from 1."""

    rank: int
    document: str
    row: int
    label: float
    score: float


@dataclass(frozen=True)
class Reason:
    """Why the document at rank `above` is over the one at rank `below`: parts add up to `difference`."""

    above: int
    below: int
    difference: float
    parts: list[Contribution]


def rank_query(loaded: LoadedModel, data: RankingData, query: str) -> list[Ranked]:
    """All documents of a query, best first; equal scores as in the data."""
    qids = [str(qid) for qid in data.groups.qids.tolist()]
    if query not in qids:
        some = ", ".join(qids[:3])
        raise DataError(f"there is no query {query!r} in the data, its first are {some}; name one that it has")
    rows = np.flatnonzero(data.groups.query_of_row() == qids.index(query))
    scores = loaded.scores(data.rows(rows))
    ids = data.doc_ids
    return [
        Ranked(
            rank=rank,
            document=f"row {rows[k] + 1}" if ids is None else str(ids[rows[k]]),
            row=int(rows[k]) + 1,
            label=float(data.y[rows[k]]),
            score=float(scores[k]),
        )
        for rank, k in enumerate(np.argsort(-scores, kind="stable"), start=1)
    ]


def reasons(loaded: LoadedModel, data: RankingData, ranked: list[Ranked]) -> list[Reason]:
    """For each two neighbours, the features that matter, those that add or take most first."""
    rows = data.rows(np.array([document.row - 1 for document in ranked]))
    names, found = loaded.features, []
    for upper in range(len(ranked) - 1):
        told = loaded.ranker.explain(rows, upper, upper + 1)
        found.append(Reason(ranked[upper].rank, ranked[upper + 1].rank, told.difference, told.parts(names)))
    return found
