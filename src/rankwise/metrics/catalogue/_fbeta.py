"""F-beta at its best threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.errors import MetricError
from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class FBeta(CurveMetric):
    """F_β at the best threshold (Eban 2017 section 6): max over cuts of (1+β²)·tp / (β²·m + tp + fp).

    >>> FBeta(1.0).value([1, 0, 1])  # after 3: 2·2 / (2 + 3)
    0.8
    >>> str(FBeta(0.5))
    'f0.5'
    """

    name: ClassVar[str] = "f"
    held = "beta"
    beta: float = 1.0

    def _check(self, level: float) -> None:
        if not 0.0 < level < float("inf"):
            raise MetricError(f"beta must be a positive number, got {level:g}; 1 weighs precision and recall alike")

    def operating_points(self, anchors: int) -> list[FBeta]:
        """Return the metric alone."""
        return [self]

    @compiled
    def point(
        self, hits: FloatArray | IntArray, cut: FloatArray | IntArray, relevant: float, irrelevant: float
    ) -> FloatArray:
        """(1+β²)·tp / (β²·m + k)."""
        return (1.0 + self.beta**2) * hits / (self.beta**2 * relevant + cut)
