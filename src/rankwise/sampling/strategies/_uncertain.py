"""Uncertain (Yu 2005): label the documents whose scores are closest to a neighbour's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Uncertain(Sampler):
    """Documents that the ranker can hardly tell from the next one up or down: the most ambiguous pairs."""

    kind: ClassVar[str] = "uncertain"

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """How near the nearest score of the query is, with the sign reversed."""
        order = pool.rising
        gap = np.full(order.scores.size + 1, np.inf)  # below each place, and above the last
        gap[1:-1] = np.where(order.query[1:] == order.query[:-1], np.diff(order.scores), np.inf)
        return order.back(-np.minimum(gap[:-1], gap[1:]))
