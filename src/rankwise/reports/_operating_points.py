"""Where on its curve per system stands by a metric such as `r@p=0.95`: the threshold that the metric's value is of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._precision_at_recall import PrecisionAtRecall
from rankwise.metrics.catalogue._recall_at_precision import RecallAtPrecision
from rankwise.metrics.catalogue._tpr_at_fpr import TPRAtFPR
from rankwise.metrics.certification._operating_point import counts_at
from rankwise.reports._judged import Judged
from rankwise.types import FloatArray

PointMetric = RecallAtPrecision | PrecisionAtRecall | TPRAtFPR


@dataclass(frozen=True)
class OperatingPoint:
    """What the best threshold of a metric does; `system` is the place of the system among all."""

    metric: str
    system: int
    threshold: float
    precision: float
    recall: float
    fpr: float

    @property
    def on_roc(self) -> bool:
        """Is it read off the ROC curve?"""
        return isinstance(parse(self.metric), TPRAtFPR)

    def __str__(self) -> str:
        held = f"false positive rate {self.fpr:.3g}" if self.on_roc else f"precision {self.precision:.3g}"
        rate = "true positive rate" if self.on_roc else "recall"
        return f"{rate} {self.recall:.3g} at {held}, threshold {self.threshold:.6g}"


def marks_a_point(metric: str) -> bool:
    """Is its value that of one threshold on a curve?"""
    return isinstance(parse(metric), PointMetric)


def operating_points(judged: Judged) -> list[OperatingPoint]:
    """Those of all systems by all such metrics; none for several queries, each of which has thresholds of its own."""
    if judged.groups.n_queries > 1:
        return []
    metrics = [metric for metric in judged.comparison.metrics if marks_a_point(metric)]
    found = [
        operating_point(metric, judged.labels, scores, system)
        for metric in metrics
        for system, scores in enumerate(judged.scores.values())
    ]
    return [point for point in found if point is not None]


def operating_point(metric: str, labels: FloatArray, scores: FloatArray, system: int = 0) -> OperatingPoint | None:
    """The best threshold by the metric; None where none has a value above 0.

    >>> labels, scores = np.array([1.0, 1.0, 0.0, 1.0]), np.array([4.0, 3.0, 2.0, 1.0])
    >>> print(operating_point("r@p=0.9", labels, scores))
    recall 0.667 at precision 1, threshold 3
    """
    judge = parse(metric)
    assert isinstance(judge, PointMetric)
    thresholds = np.unique(scores)[::-1]
    counts = counts_at(thresholds, labels > 0, scores)
    if counts.positives == 0 or counts.negatives == 0:
        return None
    values = judge.point(counts.tp, counts.tp + counts.fp, counts.positives, counts.negatives)
    best = int(np.argmax(values))
    if values[best] == 0:
        return None
    rates = (float(counts.share(rate)[best]) for rate in ("precision", "recall", "fpr"))
    precision, recall, specificity = rates
    return OperatingPoint(metric, system, float(thresholds[best]), precision, recall, 1.0 - specificity)
