"""Precision at a recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._curve import CurveMetric, CutCounts
from rankwise.types import FloatArray


@dataclass(frozen=True)
class PrecisionAtRecall(CurveMetric):
    """The highest precision of any threshold whose recall is at least β (Eban 2017 (8)).

    Parameters
    ----------
    recall : float
        The recall β, above 0 and at most 1.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous & Elidan (2017). Scalable learning of non-decomposable objectives. AISTATS.

    Examples
    --------
    >>> PrecisionAtRecall(0.5).value([0, 1, 1, 0])  # both relevant ones are among the first 3
    0.666666...
    """

    name: ClassVar[str] = "p@r="
    held = "recall"
    recall: float

    @compiled
    def _point(self, hits: CutCounts, cut: CutCounts, relevant: float, irrelevant: float) -> FloatArray:
        """Precision where the recall suffices."""
        return hits / cut * (hits / relevant >= self.recall)
