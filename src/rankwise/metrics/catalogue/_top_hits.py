"""What precision, recall and their kin share: relevant documents among the first k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics._fields import check_cutoff
from rankwise.metrics.catalogue._linear import LinearMetric, top
from rankwise.types import FloatArray


@dataclass(frozen=True)
class TopHits(LinearMetric):
    """Σ_{i≤k} [y_i > 0] / normalizer; subclasses say what it is divided by."""

    k: int

    def __post_init__(self) -> None:
        check_cutoff(self.k)

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """1 down to rank k."""
        return np.ones(top(self.k, ideal.size))
