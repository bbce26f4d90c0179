"""Small lists for margin programs: ties, several queries, grades and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.objectives.margins._lists import PairLists


@dataclass(frozen=True)
class QueryData:
    H: np.ndarray  # values of hypotheses, one per column
    y: np.ndarray
    qid: np.ndarray
    weight: np.ndarray

    @property
    def lists(self) -> PairLists:
        offsets = np.append(0, np.cumsum(np.unique(self.qid, return_counts=True)[1])).astype(np.int64)
        return PairLists.of(self.y, offsets, self.weight)


def make_data(seed, rows=14, columns=4, queries=1, grades=2, weighted=False, ties=False, shift=0.5) -> QueryData:
    """Hypotheses from −1 to 1, higher for better rows; every query has all grades."""
    random = np.random.default_rng(seed)
    qid = np.sort(np.append(np.arange(queries).repeat(grades), random.integers(0, queries, rows - queries * grades)))
    y = np.empty(rows)
    for query in range(queries):
        members = np.flatnonzero(qid == query)
        y[members] = random.permutation(np.append(np.arange(grades), random.integers(0, grades, members.size - grades)))
    H = random.uniform(-1, 1, (rows, columns)) + shift * (y[:, None] / (grades - 1) - 0.5)
    H = np.clip(np.rint(2 * H) / 2 if ties else H, -1.0, 1.0)
    weight = random.choice([0.5, 1.0, 2.0, 3.3], rows) if weighted else np.ones(rows)
    return QueryData(H, y, qid, weight)


KINDS: dict[str, Any] = {
    "one list": {},
    "one list, ties": {"ties": True},
    "one list, weights": {"weighted": True},
    "few rows": {"rows": 4},
    "queries": {"rows": 18, "queries": 3},
    "queries, weights, ties": {"rows": 18, "queries": 3, "weighted": True, "ties": True},
    "grades": {"rows": 16, "grades": 4, "weighted": True},
    "queries and grades": {"rows": 24, "queries": 3, "grades": 3, "ties": True},
    "many grades": {"rows": 20, "grades": 15},
}
