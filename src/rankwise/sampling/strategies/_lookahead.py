"""Lookahead (ours): the best-ranked documents, the later ones of a batch as if the first had proved irrelevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Lookahead(Sampler):
    """The best-ranked documents, of which all but the `first` are chosen by a second look `among` the best.

    A batch of the best-ranked (`TopRanked`) errs in one direction, that of the ranker's own errors: where most of it
    proves irrelevant, the ranker turns against all that it looked for, and may become worse before it becomes better.
    So the ranker is fitted once more as if the `first` documents of every query were irrelevant, as most will be where
    relevant ones are rare; of those next in rank it chooses by the scores of this second ranker.

    Parameters
    ----------
    first : int, default=3
        Documents per query that are chosen by the ranker itself.
    among : int, default=10
        Documents per query among which the second look chooses; at least `first`.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).
    """

    first: int = 3
    among: int = 10

    kind: ClassVar[str] = "lookahead"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("first", self.first, 1, example=10)
        check_count("among", self.among, self.first, example=10)

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The ranker's scores, but for the `among` best: those are above, in the order that the second look gives."""
        best = pool.best_per_query(pool.scores, self.among, rng)  # by query, the best first
        query = pool.query[best]
        place = np.arange(best.size) - np.searchsorted(query, query)
        supposed = pool.candidates[best[place < self.first]]
        rows = np.concatenate([pool.labelled, supposed])
        labels = np.concatenate([pool.y[pool.labelled], np.zeros(supposed.size)])
        if not pool.can_learn(rows, labels):
            return pool.scores
        try:
            second = pool.scores_by(pool.refit(rows, labels), best)
        except DataError:  # rankers differ in how few rows they refuse
            return pool.scores
        order = np.lexsort((place, np.where(place < self.first, -np.inf, -second), query))
        utilities: FloatArray = pool.scores - pool.scores.max(initial=-np.inf)
        utilities[best[order]] = self.among - place  # at least 1, and so above all others
        return utilities
