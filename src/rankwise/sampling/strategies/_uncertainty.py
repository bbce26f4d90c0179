"""Uncertainty (Yu 2005): label the most ambiguous set of documents, those whose scores differ least in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Uncertainty(Sampler):
    """The most ambiguous set of `size` documents: that of the least sum of score differences over all its pairs.

    Such a set is always one of neighbours in the ranking, so that one pass over the sorted scores finds it. The
    utility of a document outside of it is minus the least sum of a set of neighbours that the document is in.

    Parameters
    ----------
    size : int, default=5
        Documents of the set, which should be as many as are labelled per query and round; at least 2. A query with
        fewer candidates has no set, and its candidates are equal.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).

    References
    ----------
    Yu (2005). SVM selective sampling for ranking with application to data retrieval. KDD.
    """

    size: int = 5

    kind: ClassVar[str] = "uncertain"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("size", self.size, 2, example=5)

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """Minus the least sum of a set that the document is in; 1 in the most ambiguous set, of equal ones one."""
        numbers = pool.random_numbers(rng)[pool.candidates]
        rising = pool.descending(-pool.scores, rng)  # equal scores in an order that does not depend on that of the rows
        sums = self._set_sums(pool, rising)
        least = _least_around(sums, self.size)
        utilities = np.empty(rising.size)
        utilities[rising] = -least
        firsts = _first_sets(sums, pool.offsets, numbers[rising])
        utilities[rising[firsts[:, None] + np.arange(self.size if firsts.size else 0)]] = 1.0  # all others: 0 at most
        return utilities

    def _set_sums(self, pool: Pool, rising: IntArray) -> FloatArray:
        """For each place, the sum over the pairs of the set that starts there; infinity where it leaves the query.

        A gap between neighbours counts once for each pair that it lies between.
        """
        if self.size > rising.size:
            return np.full(rising.size, np.inf)
        gaps = np.full(rising.size + self.size, np.inf)
        gaps[: rising.size - 1] = np.where(pool.query[1:] == pool.query[:-1], np.diff(pool.scores[rising]), np.inf)
        sums = np.zeros(rising.size)
        for place in range(1, self.size):
            sums += place * (self.size - place) * gaps[place - 1 : place - 1 + rising.size]
        return sums


def _least_around(sums: FloatArray, size: int) -> FloatArray:
    """For each place, the least sum of a set that it is in."""
    least = sums.copy()
    for before in range(1, min(size, sums.size)):
        np.minimum(least[before:], sums[:-before], out=least[before:])
    return least


def _first_sets(sums: FloatArray, offsets: IntArray, numbers: FloatArray) -> IntArray:
    """Where the most ambiguous set of each query that has one starts, of equal ones that of the highest number."""
    starts = offsets[:-1][np.diff(offsets) > 0]
    if starts.size == 0:
        return starts
    sizes = np.diff(np.append(starts, sums.size))
    is_least = (sums == np.repeat(np.minimum.reduceat(sums, starts), sizes)) & np.isfinite(sums)
    highest = np.maximum.reduceat(np.where(is_least, numbers, -1.0), starts)
    return np.flatnonzero(is_least & (numbers == np.repeat(highest, sizes)))
