"""Recall at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels.compiled import compiled
from rankwise.metrics.base import Labels, check_cutoff
from rankwise.metrics.linear import LinearMetric, relevant_count, top

__all__ = ["Recall"]


@dataclass(frozen=True)
class Recall(LinearMetric):
    """Share of the relevant documents that stand among the first k: R@k = |{i ≤ k: y_i > 0}| / R.

    >>> Recall(k=2).value([1, 0, 2])
    0.5
    """

    name: ClassVar[str] = "r"
    needs: ClassVar[str] = "a relevant document"
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

    @compiled
    def normaliser(self, ideal: Labels) -> float:
        """R, the relevant documents."""
        return 1.0 * relevant_count(ideal)
