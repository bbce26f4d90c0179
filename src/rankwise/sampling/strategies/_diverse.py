"""Diverse (Amini et al. 2006): label the documents on which rankers of parts of the labels disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Diverse(Sampler):
    """Documents whose rank differs most between the ranker and those fitted on each of `folds` parts of the labels.

    Parts are of whole queries where there are enough of them, otherwise of documents, alike in their labels.
    """

    folds: int = 5

    kind: ClassVar[str] = "diverse"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.folds, bool) or not isinstance(self.folds, int) or self.folds < 2:
            raise DataError(f"folds must be a whole number from 2, got {self.folds!r}; pass for example 5")

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The sum over parts of the difference of ranks; 0 where no part of the labels has anything to learn."""
        found = np.zeros(pool.candidates.size)
        ranks = pool.rising.back(pool.rising.ranks)
        for rows in _parts(pool, self.folds, rng):
            if not pool.can_learn(rows, pool.y[rows]):
                continue
            try:
                other = pool.refitted(rows, pool.y[rows])
            except DataError:  # rankers differ in how few rows they refuse
                continue
            order = pool.rising_by(pool.scores_by(other))
            found += np.abs(order.back(order.ranks) - ranks)
        return found


def _parts(pool: Pool, folds: int, rng: np.random.Generator) -> list[IntArray]:
    """The labelled rows in `folds` parts."""
    rows = pool.labelled
    drawn = pool.drawn(rng)[rows]
    queries = pool.data.groups.query_of_row()[rows]
    there = np.unique(queries)
    if there.size >= folds:
        part_of_query = np.empty(pool.data.groups.n_queries, dtype=np.int64)
        lowest = np.full(pool.data.groups.n_queries, np.inf)
        np.minimum.at(lowest, queries, drawn)
        part_of_query[np.argsort(lowest)[: there.size]] = np.arange(there.size) % folds
        part = part_of_query[queries]
    else:
        part = np.empty(rows.size, dtype=np.int64)
        part[np.lexsort((drawn, pool.y[rows]))] = np.arange(rows.size) % folds
    return [rows[part == k] for k in range(folds)]
