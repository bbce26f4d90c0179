"""RandomSampler: documents drawn with equal chances, what every sampler must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


@dataclass(frozen=True)
class RandomSampler(Sampler):
    """Documents of each query drawn with equal chances.

    Parameters
    ----------
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).
    """

    kind: ClassVar[str] = "random"

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The same for all: equal utilities are taken at random."""
        return np.zeros(pool.candidates.size)
