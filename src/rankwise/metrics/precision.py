"""Precision at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels.compiled import compiled
from rankwise.metrics.base import Labels, check_cutoff
from rankwise.metrics.linear import LinearMetric, top

__all__ = ["Precision"]


@dataclass(frozen=True)
class Precision(LinearMetric):
    """Share of relevant documents (label above 0) among the first k: P@k = |{i ≤ k: y_i > 0}| / k.

    Divides by k even where the list is shorter, as trec_eval does; `min` divides by the number of documents
    there, as XGBoost does.

    >>> Precision(k=4).value([1, 0, 2]), Precision(k=4, min=True).value([1, 0, 2])
    (0.5, 0.666666...)
    """

    name: ClassVar[str] = "p"
    k: int
    min: bool = False

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
        """The cut-off k."""
        return 1.0 * (top(self.k, ideal.size) if self.min else self.k)
