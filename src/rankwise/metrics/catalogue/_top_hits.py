"""What precision, recall and their kin share: relevant documents among the first k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics._base import Labels, check_cutoff
from rankwise.metrics.catalogue._linear import LinearMetric, top


@dataclass(frozen=True)
class TopHits(LinearMetric):
    """Σ_{i≤k} [y_i > 0] / normalizer; subclasses say what it is divided by."""

    k: int

    def __post_init__(self) -> None:
        check_cutoff(self.k)

    @compiled
    def gains(self, labels: Labels, ideal: Labels) -> Labels:
        """1 for a relevant document."""
        return (labels > 0) * 1.0

    @compiled
    def discounts(self, ideal: Labels) -> Labels:
        """1 down to rank k."""
        return np.ones(top(self.k, ideal.size))
