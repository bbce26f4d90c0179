"""Committee (Amini et al. 2006): label the documents on which rankers of folds of the labels disagree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Committee(Sampler):
    """Documents whose rank differs most between the ranker and those fitted on each of `folds` folds of the labels.

    Folds are of whole queries where there are enough of them, otherwise of documents, with like labels.

    Parameters
    ----------
    folds : int, default=5
        Into how many folds the labels are divided; at least 2.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).

    References
    ----------
    Amini, Usunier, Laviolette, Lacasse & Gallinari (2006). A selective sampling strategy for label ranking. ECML.
    """

    folds: int = 5

    kind: ClassVar[str] = "diverse"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("folds", self.folds, 2, example=5)

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The sum over folds of the difference of ranks; 0 where no fold has anything to learn."""
        utilities = np.zeros(pool.candidates.size)
        ranks = pool.ascending.by_candidate(pool.ascending.ranks)
        for scores in members(pool, self.folds, rng):
            order = pool.ascending_by(scores)
            utilities += np.abs(order.by_candidate(order.ranks) - ranks)
        return utilities


def members(pool: Pool, folds: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Scores of the candidates by a ranker of each fold of the labels that has anything to learn."""
    for rows in _folds(pool, folds, rng):
        if not pool.can_learn(rows, pool.y[rows]):
            continue
        try:
            member = pool.refit(rows, pool.y[rows])
        except DataError:  # rankers differ in how few rows they refuse
            continue
        yield pool.scores_by(member)


def _folds(pool: Pool, folds: int, rng: np.random.Generator) -> list[IntArray]:
    """The labelled rows of each fold."""
    rows = pool.labelled
    numbers = pool.random_numbers(rng)[rows]
    queries = pool.data.groups.query_of_row()[rows]
    n_labelled_queries = np.unique(queries).size
    if n_labelled_queries >= folds:
        lowest = np.full(pool.data.groups.n_queries, np.inf)
        np.minimum.at(lowest, queries, numbers)
        fold_of_query = np.empty(lowest.size, dtype=np.int64)
        fold_of_query[np.argsort(lowest)[:n_labelled_queries]] = np.arange(n_labelled_queries) % folds
        fold = fold_of_query[queries]
    else:
        fold = np.empty(rows.size, dtype=np.int64)
        fold[np.lexsort((numbers, pool.y[rows]))] = np.arange(rows.size) % folds
    return [rows[fold == k] for k in range(folds)]
