"""True positive rate at a false positive rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.errors import MetricError
from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric, CutCounts
from rankwise.types import FloatArray


@dataclass(frozen=True)
class TPRAtFPR(CurveMetric):
    """The highest true positive rate of any threshold whose false positive rate is at most φ.

    Parameters
    ----------
    rate : float
        The false positive rate φ, at least 0 and below 1.

    Examples
    --------
    >>> TPRAtFPR(0.5).value([1, 0, 1, 0, 1])  # one of two irrelevant documents may pass
    0.666666...
    """

    name: ClassVar[str] = "tpr@fpr="
    held = "fpr"
    needs: ClassVar[str] = "a relevant and an irrelevant document"
    rate: float

    def _check(self, level: float) -> None:
        if not 0.0 <= level < 1.0:
            raise MetricError(f"the rate of {self} must be at least 0 and below 1, got {level:g}")

    def _near_levels(self) -> tuple[float, ...]:
        """Half the rate, the rate and twice the rate, below 1."""
        return 0.5 * self.rate, self.rate, min(2.0 * self.rate, 0.5 + 0.5 * self.rate)

    @compiled
    def _point(self, hits: CutCounts, cut: CutCounts, relevant: float, irrelevant: float) -> FloatArray:
        """True positive rate where few enough irrelevant documents pass; NaN where there are none."""
        return hits / relevant * ((cut - hits) / irrelevant <= self.rate) + 0.0 / irrelevant
