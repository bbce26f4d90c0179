"""What the partial areas share: a range of rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.errors import MetricError
from rankwise.metrics.catalogue._rates import AreaMetric


@dataclass(frozen=True)
class PartialArea(AreaMetric):
    """An area under a curve between two rates, over their distance."""

    ranks_everything: ClassVar[bool] = True
    thresholds: ClassVar[bool] = True
    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        if not 0.0 <= self.low < self.high <= 1.0:
            raise MetricError(f"{self.name} needs 0 <= low < high <= 1, got [{self.low:g},{self.high:g}]")

    def levels(self) -> tuple[float, float]:
        """Return the two rates."""
        return self.low, self.high
