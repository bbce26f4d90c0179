"""TopRanked: label the documents that the ranker puts first (relevance feedback)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


@dataclass(frozen=True)
class TopRanked(Sampler):
    """The best-ranked documents without a label, as in relevance feedback; Donmez 2009 leaves this baseline out.

    Parameters
    ----------
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).
    """

    kind: ClassVar[str] = "top"

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The ranker's scores."""
        return pool.scores
