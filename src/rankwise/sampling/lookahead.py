"""Lookahead (ours): the best-ranked documents, the later ones of a batch as if the first had proved irrelevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.sampling.base import Sampler
from rankwise.sampling.pool import Array, Pool

__all__ = ["Lookahead"]


@dataclass(frozen=True)
class Lookahead(Sampler):
    """The best-ranked documents, of which all but the `first` are chosen by a second look.

    A batch of the best-ranked (Top) errs in one direction, that of the ranker's own errors: where most of it proves
    irrelevant, the ranker turns against all that it looked for, and may become worse before it becomes better. So the
    ranker is fitted once more as if the `first` documents of every query were irrelevant, as most will be where
    relevant ones are rare; what stands first then is what is left to be said for the others.
    """

    first: int = 3

    kind: ClassVar[str] = "lookahead"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.first, bool) or not isinstance(self.first, int) or self.first < 1:
            raise DataError(f"first must be a whole number from 1, got {self.first!r}; pass for example 3")

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Array:
        """Negative places: those of the `first` by the ranker, of the others by the second look."""
        order = pool.falling_by(pool.scores, rng)
        chosen = pool.first_of(order, self.first)
        supposed = pool.candidates[chosen]
        rows = np.concatenate([pool.labelled, supposed])
        labels = np.concatenate([pool.y[pool.labelled], np.zeros(supposed.size)])
        if not pool.can_learn(rows, labels):
            return pool.scores
        try:
            second = pool.scores_by(pool.refitted(rows, labels))
        except DataError:  # rankers differ in how few rows they refuse
            return pool.scores
        place = pool.places(pool.falling_by(second, rng)) + self.first
        place[chosen] = pool.places(order)[chosen]
        return -place.astype(np.float64)
