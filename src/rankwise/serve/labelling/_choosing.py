"""Which documents a round has: some of the queries with the fewest labels, and what a sampler takes of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data import RankingData
from rankwise.sampling import Pool, RandomSampler, Sampler
from rankwise.types import BoolArray, IntArray


@dataclass(frozen=True)
class Chooser:
    """A sampler, and how much of it a person can label in one go."""

    sampler: Sampler
    per_query: int = 5
    queries: int = 10
    seed: int = 0

    def choose(self, data: RankingData, skipped: BoolArray, ranker: Any, number: int) -> tuple[str, IntArray]:
        """The rows of round `number` and the sampler that chose them; without a ranker they are drawn at random."""
        seed = int(np.random.default_rng([self.seed, number]).integers(2**31))
        query = data.groups.query_of_row()
        open_rows = (data.y < 0) & ~skipped
        labels = np.bincount(query[~open_rows], minlength=data.groups.n_queries)
        left = np.bincount(query[open_rows], minlength=data.groups.n_queries)
        # Fewest labels first, so that every query gets its turn; those with nothing left come last of all.
        order = np.lexsort([np.random.default_rng(seed).random(left.size), labels, left == 0])
        turn = np.zeros(left.size, dtype=bool)
        turn[order[: self.queries]] = True
        sampler = RandomSampler() if ranker is None else self.sampler
        pool = Pool(data, data.y, ranker, closed=skipped | ~turn[query])
        if pool.candidates.size == 0:
            return sampler.kind, np.empty(0, np.int64)
        return sampler.kind, sampler.select(pool, self.per_query, seed)
