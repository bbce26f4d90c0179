"""Precision at a recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric


@dataclass(frozen=True)
class PrecisionAtRecall(CurveMetric):
    """The highest precision of any threshold whose recall is at least β (Eban 2017 (8)).

    >>> PrecisionAtRecall(0.5).value([0, 1, 1, 0])  # both relevant ones are among the first 3
    0.666666...
    """

    name: ClassVar[str] = "p@r="
    recall: float

    @compiled
    def point(self, hits: Any, cut: Any, relevant: Any, irrelevant: Any) -> Any:
        """Precision where the recall suffices."""
        return hits / cut * (hits / relevant >= self.recall)
