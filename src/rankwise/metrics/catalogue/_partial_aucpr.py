"""Area under the interpolated precision-recall curve, whole or between two precisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.kernels._compile import compiled, helper
from rankwise.metrics.catalogue._linear import relevant_count
from rankwise.metrics.catalogue._rates import PartialArea, RateMetric
from rankwise.metrics.catalogue._recall_at_precision import RecallAtPrecision
from rankwise.types import FloatArray, IntArray


@helper
def _area(ranked: FloatArray, runs: IntArray, ideal: FloatArray, low: float, high: float) -> float:
    """∫ over precisions of the best recall: from the deepest cut up, a higher precision opens a new strip."""
    relevant = relevant_count(ideal)
    if relevant == 0:
        return np.nan
    hits = relevant_count(ranked)
    area = 0.0
    reached = low
    for run in range(runs.size - 2, -1, -1):
        precision = min(hits / runs[run + 1], high)
        if precision > reached:
            area += (precision - reached) * hits / relevant
            reached = precision
        hits -= relevant_count(ranked[runs[run] : runs[run + 1]])
    return area / (high - low)


@dataclass(frozen=True)
class PartialAUCPR(PartialArea):
    """Mean of R@P=α over the precisions α in [low, high] (Eban 2017 (11) with ever finer anchors).

    Parameters
    ----------
    low, high : float
        The precisions between which the area is taken, from 0 to 1.

    Notes
    -----
    Over [0, 1] that is the area under the interpolated precision-recall curve. Its change by a swap has no
    short form, because one exchange can move the whole upper envelope: it is recomputed.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous & Elidan (2017). Scalable learning of non-decomposable objectives. AISTATS.

    Examples
    --------
    >>> PartialAUCPR(0.0, 1.0).value([1, 0, 1])  # recall 1 up to precision 2/3, then 1/2
    0.833333...
    >>> PartialAUCPR(0.75, 1.0).value([1, 0, 1])
    0.5
    """

    name: ClassVar[str] = "aucpr"
    told_apart_by = "relevance"
    needs: ClassVar[str] = "a relevant document"
    held = "precision"
    anchor = RecallAtPrecision

    @inherit_sections(RateMetric.value_of_counts)
    def value_of_counts(self, hits: FloatArray, cuts: FloatArray) -> float:
        """Return the area where rows have weights."""
        precisions = np.minimum(hits / np.maximum(cuts, 1e-300), self.high)[::-1]
        reached = np.maximum.accumulate(np.append(self.low, precisions))  # from the deepest cut up
        return float(np.diff(reached) @ hits[::-1] / hits[-1] / (self.high - self.low))

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Every document is a threshold."""
        return _area(ranked, np.arange(ranked.size + 1), ideal, self.low, self.high)

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """Every run is a threshold."""
        return _area(ranked, runs, ideal, self.low, self.high)
