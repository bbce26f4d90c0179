"""Recall at a precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric, CutCounts
from rankwise.types import FloatArray


@dataclass(frozen=True)
class RecallAtPrecision(CurveMetric):
    """The highest recall of any threshold whose precision is at least α (Eban 2017 section 4); 0 if there is none.

    Parameters
    ----------
    precision : float
        The precision α, above 0 and at most 1.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous & Elidan (2017). Scalable learning of non-decomposable objectives. AISTATS.

    Examples
    --------
    >>> RecallAtPrecision(0.75).value([1, 1, 0, 1, 0, 1])  # the first 4 hold 3 of the 4 relevant ones
    0.75
    >>> str(RecallAtPrecision(0.95))
    'r@p=0.95'
    """

    name: ClassVar[str] = "r@p="
    held = "precision"
    precision: float

    @compiled
    def _point(self, hits: CutCounts, cut: CutCounts, relevant: float, irrelevant: float) -> FloatArray:
        """Recall where the precision suffices."""
        return hits / relevant * (hits / cut >= self.precision)
