"""What thresholds do on one list: a model's own, the best in hindsight by a metric, and some to choose from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal

import numpy as np

from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.metrics.certification._operating_point import counts_at, demand_of
from rankwise.types import FloatArray

OWN = "own threshold"
SHARES = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
RECALLS = (0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold and its confusion matrix; `name` is why it is looked at, `system` the place of the system."""

    name: str
    system: int
    threshold: float
    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def is_own(self) -> bool:
        """Whether it was settled before these rows were seen."""
        return self.name == OWN

    @property
    def title(self) -> str:
        """What it is, in words."""
        return self.name if self.is_own else f"hindsight, {self.name}"

    @property
    def flagged(self) -> int:
        """How many rows get a yes."""
        return self.tp + self.fp

    @property
    def share(self) -> float:
        """Which share of the rows that is."""
        return self.flagged / (self.flagged + self.fn + self.tn)

    @property
    def precision(self) -> float:
        """The share of positives among the flagged; NaN where none is."""
        return self.tp / self.flagged if self.flagged else math.nan

    @property
    def recall(self) -> float:
        """The share of the positives that is flagged."""
        return self.tp / (self.tp + self.fn)

    @property
    def fpr(self) -> float:
        """The share of the negatives that is flagged."""
        return self.fp / (self.fp + self.tn)

    @property
    def lift(self) -> float:
        """How many times more positives are among the flagged than among as many rows drawn at random."""
        return self.precision / ((self.tp + self.fn) / (self.flagged + self.fn + self.tn))

    @property
    def on_roc(self) -> bool:
        """Whether its metric is read off the ROC curve."""
        demand = None if self.is_own else parse(self.name)
        return isinstance(demand, CurveMetric) and demand.demand() is not None and demand_of(demand).rate == "fpr"

    def __str__(self) -> str:
        held = f"false positive rate {self.fpr:.3g}" if self.on_roc else f"precision {self.precision:.3g}"
        rate = "true positive rate" if self.on_roc else "recall"
        if not self.flagged:
            return f"no row is flagged, threshold {plain_number(self.threshold)}"
        return f"{rate} {self.recall:.3g} at {held}, threshold {plain_number(self.threshold)}"


def marks_a_point(metric: str) -> bool:
    """Whether the value of a metric is that of one threshold on a curve."""
    return isinstance(parse(metric), CurveMetric)


def point_at(
    threshold: float, labels: FloatArray, scores: FloatArray, name: str = OWN, system: int = 0
) -> OperatingPoint:
    """What a threshold does.

    >>> print(point_at(2.5, np.array([1.0, 1.0, 0.0, 1.0]), np.array([4.0, 3.0, 2.0, 1.0])))
    recall 0.667 at precision 1, threshold 2.5
    """
    counts = counts_at(np.array([threshold]), labels > 0, scores)
    tp, fp = int(counts.tp[0]), int(counts.fp[0])
    return OperatingPoint(name, system, threshold, tp, fp, counts.positives - tp, counts.negatives - fp)


def operating_point(metric: str, labels: FloatArray, scores: FloatArray, system: int = 0) -> OperatingPoint | None:
    """The best threshold by the metric, in hindsight; None where none has a value above 0.

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
    return point_at(short_threshold(float(thresholds[best]), scores), labels, scores, metric, system)


def points_to_choose_from(labels: FloatArray, scores: FloatArray, system: int = 0) -> list[OperatingPoint]:
    """A dozen thresholds, by the share of rows that they flag or by recall; equal ones are one, with both names."""
    falling, hits = np.sort(scores)[::-1], np.sort(scores[labels > 0])[::-1]
    names: dict[float, str] = {}
    for rates, ranked, words in ((SHARES, falling, "top {:.4g}%"), (RECALLS, hits, "recall {:.4g}%")):
        for rate in rates:
            place = math.ceil(round(rate * ranked.size, 9)) - 1
            threshold = short_threshold(float(ranked[max(place, 0)]), scores)
            name = words.format(100 * rate)
            names[threshold] = f"{names[threshold]}, {name}" if threshold in names else name
    return [point_at(threshold, labels, scores, name, system) for threshold, name in names.items()]


def short_threshold(threshold: float, scores: FloatArray) -> float:
    """The number of fewest digits that flags the same rows, so that what a page says can be copied.

    >>> short_threshold(0.123456, np.array([0.123456, 0.1229, 0.5]))
    0.123
    """
    below = scores[scores < threshold]
    floor = float(below.max()) if below.size else -math.inf
    exact = Decimal(repr(threshold))  # binary steps would take -1e-05 for a little less
    for digits in range(2, 17):
        rounded = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(exact))
        if floor < rounded <= threshold:
            return rounded
    return threshold


def plain_number(value: float) -> str:
    """All digits of a number, and no more."""
    return repr(float(value)).removesuffix(".0")
