"""What a threshold does: counts, rates, and the one that a metric such as `r@p=0.95` demands.

Predicted positive is a score at or above the threshold, positive a label above 0, here as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.errors import MetricError
from rankwise.metrics._base import Metric
from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._rates import Demand, Rate, RateMetric
from rankwise.types import BoolArray, FloatArray, IntArray


def demand_of(objective: str | Metric) -> Demand:
    """What `r@p=α`, `p@r=β` or `tpr@fpr=φ` asks for.

    >>> demand_of("tpr@fpr=0.01")
    Demand(rate='fpr', target=0.01, gain='recall')
    """
    metric = parse(objective)
    demand = metric.demand() if isinstance(metric, RateMetric) else None
    if demand is None:
        raise MetricError(
            f"the metric must demand a rate, got {metric}; name one such as r@p=0.95, p@r=0.9 or tpr@fpr=0.01"
        )
    return demand


@dataclass(frozen=True, eq=False)
class ThresholdCounts:
    """True and false positives at each of some thresholds, and how many positives and negatives there are."""

    tp: IntArray
    fp: IntArray
    positives: int
    negatives: int

    def trials(self, rate: Rate) -> tuple[IntArray, IntArray]:
        """Hits and trials of a rate that is to be high; for the FPR, which is to be low, those of 1 − FPR."""
        if rate == "precision":
            return self.tp, self.tp + self.fp
        if rate == "recall":
            return self.tp, np.full_like(self.tp, self.positives)
        return self.negatives - self.fp, np.full_like(self.fp, self.negatives)

    def share(self, rate: Rate) -> FloatArray:
        """The observed share of hits; 0 where there is no trial."""
        hits, trials = self.trials(rate)
        return hits / np.maximum(trials, 1)


def counts_at(thresholds: FloatArray, positive: BoolArray, scores: FloatArray) -> ThresholdCounts:
    """Counts at each threshold.

    >>> counts = counts_at(np.array([0.5]), np.array([True, False, True]), np.array([0.5, 0.7, 0.1]))
    >>> counts.tp, counts.fp, counts.positives
    (array([1]), array([1]), 2)
    """
    order = np.argsort(scores)
    first = np.searchsorted(scores[order], thresholds, side="left")
    from_here = np.append(np.cumsum(positive[order][::-1])[::-1], 0)
    tp = from_here[first]
    positives = int(np.count_nonzero(positive))
    return ThresholdCounts(tp, scores.size - first - tp, positives, scores.size - positives)
