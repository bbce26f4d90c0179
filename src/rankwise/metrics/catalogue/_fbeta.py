"""F-beta at its best threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.errors import MetricError
from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric, CutCounts
from rankwise.types import FloatArray

MAX_BETA = 1e100  # whose square, times a number of documents, is a number


@dataclass(frozen=True)
class FBeta(CurveMetric):
    """F_β at the best threshold (Eban 2017 section 6): max over cuts of (1+β²)·tp / (β²·m + tp + fp).

    Parameters
    ----------
    beta : float, default=1.0
        How much more recall weighs than precision.

    Notes
    -----
    m is the number of relevant documents, tp and fp those above the threshold that are and are not relevant.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous & Elidan (2017). Scalable learning of non-decomposable objectives. AISTATS.

    Examples
    --------
    >>> FBeta(1.0).value([1, 0, 1])  # after 3: 2·2 / (2 + 3)
    0.8
    >>> str(FBeta(0.5))
    'f0.5'
    """

    name: ClassVar[str] = "f"
    held = "beta"
    beta: float = 1.0

    def _check(self, level: float) -> None:
        if not 0.0 < level <= MAX_BETA:
            raise MetricError(f"beta must be a positive number up to {MAX_BETA:g}, got {level:g}; 1 weighs both alike")

    def _near_levels(self) -> tuple[float, ...]:
        """Its own alone."""
        return (self.beta,)

    @compiled
    def _point(self, hits: CutCounts, cut: CutCounts, relevant: float, irrelevant: float) -> FloatArray:
        """(1+β²)·tp / (β²·m + k)."""
        return (1.0 + self.beta**2) * hits / (self.beta**2 * relevant + cut)
