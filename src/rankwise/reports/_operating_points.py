"""Where each system stands on its curve by a metric such as `r@p=0.95`: the threshold that the value belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.metrics.certification._operating_point import counts_at, demand_of
from rankwise.reports._report_data import ReportData
from rankwise.types import FloatArray


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
        """Whether it is read off the ROC curve."""
        return demand_of(self.metric).rate == "fpr"

    @property
    def place(self) -> tuple[float, float]:
        """Where it stands on its curve."""
        return (self.fpr, self.recall) if self.on_roc else (self.recall, self.precision)

    def __str__(self) -> str:
        held = f"false positive rate {self.fpr:.3g}" if self.on_roc else f"precision {self.precision:.3g}"
        rate = "true positive rate" if self.on_roc else "recall"
        return f"{rate} {self.recall:.3g} at {held}, threshold {self.threshold:.6g}"


def marks_a_point(metric: str) -> bool:
    """Whether the value of a metric is that of one threshold on a curve."""
    point_metric = parse(metric)
    return isinstance(point_metric, CurveMetric) and point_metric.demand() is not None


def operating_points(report: ReportData) -> list[OperatingPoint]:
    """Those of all systems by all such metrics; none for several queries, each of which has thresholds of its own."""
    if report.groups.n_queries > 1:
        return []
    points = [
        operating_point(metric, report.labels, scores, system)
        for metric in filter(marks_a_point, report.comparison.metrics)
        for system, scores in enumerate(report.scores.values())
    ]
    return [point for point in points if point is not None]


def operating_point(metric: str, labels: FloatArray, scores: FloatArray, system: int = 0) -> OperatingPoint | None:
    """The best threshold by the metric; None where none has a value above 0.

    >>> labels, scores = np.array([1.0, 1.0, 0.0, 1.0]), np.array([4.0, 3.0, 2.0, 1.0])
    >>> print(operating_point("r@p=0.9", labels, scores))
    recall 0.667 at precision 1, threshold 3
    """
    point_metric = parse(metric)
    assert isinstance(point_metric, CurveMetric)
    thresholds = np.unique(scores)[::-1]
    counts = counts_at(thresholds, labels > 0, scores)
    if counts.positives == 0 or counts.negatives == 0:
        return None
    values = point_metric.point(counts.tp, counts.tp + counts.fp, counts.positives, counts.negatives)
    best = int(np.argmax(values))
    if values[best] == 0:
        return None
    precision, recall, specificity = (float(counts.share(rate)[best]) for rate in ("precision", "recall", "fpr"))
    return OperatingPoint(metric, system, float(thresholds[best]), precision, recall, 1.0 - specificity)
