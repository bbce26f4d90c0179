"""Uncertainty (Yu 2005): label the most ambiguous set of documents, those whose scores differ least in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._threads import by_queries
from rankwise.kernels.sorting import _rising_lists as rising_lists
from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


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
        scores, numbers = pool.scores[rising], numbers[rising]
        utilities = np.empty(rising.size)
        by_queries(
            lambda low, high: rising_lists.ambiguous_sets(
                scores, rising, numbers, pool.offsets, self.size, low, high, utilities
            ),
            pool.offsets,
        )
        return utilities
