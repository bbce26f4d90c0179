"""Rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.errors import MetricError
from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._average_precision import TopRelevance
from rankwise.metrics.catalogue._linear import LinearMetric, top
from rankwise.types import FloatArray


@dataclass(frozen=True)
class RBP(TopRelevance, LinearMetric):
    """Rank-biased precision (Moffat & Zobel 2008): RBP = (1 − p) Σ_i [y_i > 0] p^{i−1}.

    Parameters
    ----------
    p : float, default=0.8
        The chance that a reader goes on to the next document, above 0 and below 1: `rbp[0.95]`.
    k : int, optional
        The cut-off; by default the whole list counts.

    Notes
    -----
    A reader goes on with chance p, and gains from each relevant document. A document is relevant or not; grades above
    0 count alike. A list of n documents has at most 1 − pⁿ.

    References
    ----------
    Moffat & Zobel (2008). Rank-biased precision for measurement of retrieval effectiveness. ACM TOIS 27.

    Examples
    --------
    >>> RBP(p=0.5).value([1, 0, 1, 0])  # (1/2) (1 + 1/4)
    0.625
    """

    name: ClassVar[str] = "rbp"
    p: float = 0.8
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.p < 1.0:
            raise MetricError(f"p of rbp must be above 0 and below 1, got {self.p:g}; rbp[0.8] is usual")

    @compiled
    def _gains(self, labels: FloatArray, ideal: FloatArray) -> FloatArray:
        """1 − p for a relevant document."""
        return (labels > 0) * (1.0 - self.p)  # type: ignore[return-value]

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """The chance that a reader gets as far."""
        chances = np.ones(top(self.k, ideal.size))
        for i in range(1, chances.size):
            chances[i] = chances[i - 1] * self.p
        return chances
