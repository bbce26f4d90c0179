"""Area under the precision-recall curve, as average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.kernels._compile import compiled, helper
from rankwise.metrics.catalogue._average_precision import AveragePrecision
from rankwise.metrics.catalogue._linear import relevant_count
from rankwise.metrics.catalogue._precision_at_recall import PrecisionAtRecall
from rankwise.metrics.catalogue._rates import AreaMetric, RateMetric
from rankwise.types import FloatArray, IntArray


@helper
def _step_area(ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
    area = 0.0
    hits = 0
    for run in range(runs.size - 1):
        run_hits = relevant_count(ranked[runs[run] : runs[run + 1]])
        hits += run_hits
        area += run_hits * hits / runs[run + 1]
    relevant = relevant_count(ideal)
    return area / relevant if relevant else np.nan


@dataclass(frozen=True)
class AUCPR(AreaMetric):
    """Area under the precision-recall curve by its step function: Σ (recall_t − recall_{t−1})·precision_t.

    Notes
    -----
    Without ties that is average precision; equal scores are one threshold t, as in scikit-learn's
    `average_precision_score`. The interpolated area is `aucpr[0,1]`.

    Examples
    --------
    >>> AUCPR().value([1, 0, 1])  # (1/1 + 2/3) / 2
    0.833333...
    >>> AUCPR().tied_value([1, 0, 1], runs=[0, 2, 3])  # (1/2 + 2/3) / 2
    0.583333...
    """

    name: ClassVar[str] = "aucpr"
    told_apart_by = "relevance"
    needs: ClassVar[str] = "a relevant document"
    ranks_everything: ClassVar[bool] = True
    thresholds: ClassVar[bool] = True
    held = "precision"
    anchor = PrecisionAtRecall

    @inherit_sections(RateMetric.hit_gains)
    def hit_gains(self, tp: FloatArray, fp: FloatArray, positives: float, prices: FloatArray) -> FloatArray:
        """Return what is lost by a false positive, precision²/tp: a lot where there are few, over its price."""
        return (tp / (tp + fp)) ** 2 / np.maximum(tp, 1.0) * positives / prices

    @inherit_sections(RateMetric.value_of_counts)
    def value_of_counts(self, hits: FloatArray, cuts: FloatArray) -> float:
        """Return the area where rows have weights."""
        gained = np.diff(hits, prepend=0.0)
        return float(gained @ (hits / np.maximum(cuts, 1e-300)) / hits[-1])

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Each document is a threshold of its own."""
        return _step_area(ranked, np.arange(ranked.size + 1), ideal)

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """Σ over thresholds of the recall gained times the precision there."""
        return _step_area(ranked, runs, ideal)

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """As average precision."""
        return AveragePrecision()._swap_delta(ranked, i, j, ideal)
