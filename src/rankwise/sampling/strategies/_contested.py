"""Contested (ours): the best-ranked documents, and those on whose place near the top a committee disagrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool, QueryOrder
from rankwise.sampling.strategies._committee import members
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Contested(Sampler):
    """The `first` best-ranked documents, then those on whose place near the top rankers of folds disagree most.

    The best-ranked (`TopRanked`) are what to label where relevant documents are rare, and those on whose ranks a
    committee disagrees (`Committee`) where they are common. Here a disagreement is a difference of log(rank + depth·n),
    summed over folds, where n is the number of relevant documents (label above 0) that the query has among its labels:
    while few are known, only disagreement about the very top counts; the more there are, the further down it reaches.

    Parameters
    ----------
    first : int, default=2
        Documents per query that are chosen by the ranker itself.
    folds : int, default=5
        Into how many folds the labels are divided, as in `Committee`; at least 2.
    depth : int, default=10
        How many ranks further down a disagreement counts for each relevant document; 0 for the very top alone.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).
    """

    first: int = 2
    folds: int = 5
    depth: int = 10

    kind: ClassVar[str] = "contested"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("first", self.first, 0, example=2)
        check_count("folds", self.folds, 2, example=5)
        check_count("depth", self.depth, 0, example=10)

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The disagreement, with the `first` above all others; scores where no fold has anything to learn."""
        by_members = list(members(pool, self.folds, rng))
        if not by_members:
            return pool.scores
        place = self._log_places(pool, pool.ascending)
        disagreement = np.zeros(place.size)
        for scores in by_members:
            disagreement += np.abs(self._log_places(pool, pool.ascending_by(scores)) - place)
        if self.first:
            best = pool.best_per_query(pool.scores, self.first, rng)  # by query, the best first
            query = pool.query[best]
            nth = np.arange(best.size) - np.searchsorted(query, query)
            disagreement[best] = disagreement.max(initial=0.0) + self.first - nth
        return disagreement

    def _log_places(self, pool: Pool, order: QueryOrder) -> FloatArray:
        sizes = np.diff(pool.offsets)
        relevant = pool.labelled[pool.y[pool.labelled] > 0]
        n_relevant = np.bincount(pool.data.groups.query_of_row()[relevant], minlength=sizes.size)
        from_best = 1 + sizes[pool.query] - order.by_candidate(order.ranks)
        places: FloatArray = np.log(from_best + self.depth * n_relevant[pool.query])
        return places
