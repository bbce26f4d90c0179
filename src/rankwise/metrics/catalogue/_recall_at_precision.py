"""Recall at a precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric


@dataclass(frozen=True)
class RecallAtPrecision(CurveMetric):
    """The highest recall of any threshold whose precision is at least α (Eban 2017 section 4); 0 if there is none.

    >>> RecallAtPrecision(0.75).value([1, 1, 0, 1, 0, 1])  # the first 4 hold 3 of the 4 relevant ones
    0.75
    >>> str(RecallAtPrecision(0.95))
    'r@p=0.95'
    """

    name: ClassVar[str] = "r@p="
    precision: float

    @compiled
    def point(self, hits: Any, cut: Any, relevant: Any, irrelevant: Any) -> Any:
        """Recall where the precision suffices."""
        return hits / relevant * (hits / cut >= self.precision)
