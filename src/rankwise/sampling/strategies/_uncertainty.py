"""Uncertainty (Yu 2005): label the documents whose scores are closest to a neighbour's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Uncertainty(Sampler):
    """Documents that the ranker can hardly tell from the next one up or down: the most ambiguous pairs.

    Parameters
    ----------
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).

    References
    ----------
    Yu (2005). SVM selective sampling for ranking with application to data retrieval. KDD.
    """

    kind: ClassVar[str] = "uncertain"

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """How near the nearest score of the query is, with the sign reversed."""
        order = pool.ascending
        gap = np.full(order.scores.size + 1, np.inf)  # below each place, and above the last
        gap[1:-1] = np.where(order.query[1:] == order.query[:-1], np.diff(order.scores), np.inf)
        return order.by_candidate(-np.minimum(gap[:-1], gap[1:]))
