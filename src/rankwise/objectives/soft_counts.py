"""Operating points by soft counts: the bounds of P1 made tight, so that a good start is not lost to their slack.

At an operating point with threshold b, true and false positives are counted through a sigmoid of a width τ,

    tp ≈ Σ_{Y+} σ((s − b)/τ),    fp ≈ Σ_{Y−} σ((s − b)/τ),

and what is lost there is price · fp − gain · tp: P1 (7), a weighted classification. The ratio of the two prices is the
multiplier. It need not be searched for: the threshold is where the metric has its operating point, and only one ratio
makes that threshold the best one, K+/K− with K± = Σ_{Y±} σ'((s − b)/τ).

Near thresholds of a metric are a little easier and a little harder ones: they tell much the same, and their mean is
less of an accident than the one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rankwise.metrics import (
    AUC,
    AUCPR,
    FBeta,
    Metric,
    PartialAUC,
    PartialAUCPR,
    PrecisionAtRecall,
    RecallAtPrecision,
    TPRAtFPR,
)
from rankwise.metrics.curve import CurveMetric
from rankwise.objectives.rates import RateObjective

__all__ = ["SoftCounts", "SoftPoints", "near_points", "operating_threshold"]

Array = NDArray[np.float64]
DEAREST = 50.0  # a false positive against a true one, and the inverse
FEWEST = 5.0  # true positives by which a precision is known at all


def near_points(metric: Metric, anchors: int) -> list[CurveMetric]:
    """The operating point of a metric with an easier and a harder one beside it; of an area, points all along it.

    >>> [str(near) for near in near_points(RecallAtPrecision(0.9), anchors=10)]
    ['r@p=0.94', 'r@p=0.9', 'r@p=0.85']
    """
    middles = (np.arange(anchors) + 0.5) / anchors
    match metric:
        case RecallAtPrecision(precision=level):
            return [RecallAtPrecision(near) for near in _beside(level)]
        case PrecisionAtRecall(recall=level):
            return [PrecisionAtRecall(near) for near in _beside(level)]
        case TPRAtFPR(rate=level):
            return [TPRAtFPR(near) for near in (0.5 * level, level, min(2.0 * level, 0.5 + 0.5 * level))]  # below 1
        case FBeta():
            return [metric]
        case AUCPR():
            return [PrecisionAtRecall(middle) for middle in middles.tolist()]
        case PartialAUCPR(low=low, high=high):
            return [RecallAtPrecision(low + (high - low) * middle) for middle in middles.tolist()]
        case AUC():
            return [TPRAtFPR(middle) for middle in middles.tolist()]
        case PartialAUC(low=low, high=high):
            return [TPRAtFPR(low + (high - low) * middle) for middle in middles.tolist()]
    raise AssertionError(f"{metric} passed rate_objective")


def _beside(level: float) -> list[float]:
    room = min(level, 1.0 - level)
    return list(dict.fromkeys(round(level + step * room, 12) for step in (0.4, 0.0, -0.5)))


def operating_threshold(point: CurveMetric, scores: Array, positive: NDArray[np.bool_], weight: Array) -> float:
    """Half-way below the last score at or above which the metric takes the point it is read off.

    Where no cut meets a precision, the one of the highest precision with a few true positives.
    """
    order = np.argsort(-scores, kind="stable")
    falling, share = scores[order], weight[order]
    hits, cuts = np.cumsum(share * positive[order]), np.cumsum(share)
    ends = np.append(np.flatnonzero(np.diff(falling)), falling.size - 1)
    hits, cuts = hits[ends], np.maximum(cuts[ends], 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.nan_to_num(np.asarray(point.point(hits, cuts, hits[-1], cuts[-1] - hits[-1]), dtype=np.float64))
    if not worth.any():
        worth = hits / cuts * (hits >= min(FEWEST, hits[-1]))
    best = ends.size - 1 - int(np.argmax(worth[::-1]))  # the lowest of equals: no recall is given away
    last = ends[best]
    return float(falling[last] if last + 1 == falling.size else 0.5 * (falling[last] + falling[last + 1]))


@dataclass(frozen=True, eq=False)
class SoftPoints:
    """Operating points at thresholds: what a true positive gains and a false positive costs there, in rows."""

    thresholds: Array
    gains: Array
    prices: Array
    width: float

    def sums(
        self, scores: Array, positive: NDArray[np.bool_], weight: Array, thresholds: Array
    ) -> tuple[float, Array, Array]:
        """The weighted sum over rows at these thresholds, its derivative by each score over the row's weight, and by
        each threshold.
        """
        total, slope, by_threshold = 0.0, np.zeros(scores.size), np.empty(thresholds.size)
        for k, (above, worth) in enumerate(self._each(scores, positive, thresholds)):
            steep = worth * above * (1.0 - above) / self.width
            total += float(weight @ (worth * above))
            slope += steep
            by_threshold[k] = -float(weight @ steep)
        return total, slope, by_threshold

    def bends(self, scores: Array, positive: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Derivative and a positive curvature of each row, for a tree booster."""
        slope, bend = np.zeros(scores.size), np.zeros(scores.size)
        for above, worth in self._each(scores, positive, self.thresholds):
            steep = worth * above * (1.0 - above) / self.width
            slope += steep
            bend += 0.5 * np.abs(steep) / self.width
        return slope, bend

    def _each(self, scores: Array, positive: NDArray[np.bool_], thresholds: Array) -> Iterator[tuple[Array, Array]]:
        """At each point, how far a row counts as above the threshold, and what it costs if it does."""
        for threshold, gain, price in zip(thresholds, self.gains, self.prices, strict=True):
            yield expit((scores - threshold) / self.width), np.where(positive, -gain, price)

    def of_tensors(self, scores: Any, positive: Any, thresholds: Any) -> Any:
        """What each row costs at these thresholds, of torch tensors."""
        gains, prices = (scores.new_tensor(values) for values in (self.gains, self.prices))
        above = ((scores[:, None] - thresholds) / self.width).sigmoid()
        return (prices.where(~positive[:, None], -gains) * above).sum(1)

    @property
    def multipliers(self) -> Array:
        """True positives that a false positive is worth at each point."""
        return np.asarray(self.prices / self.gains)


class SoftCounts:
    """A rate objective on rows with known labels; `points(scores, width)` finds its operating points."""

    def __init__(self, objective: RateObjective, positive: NDArray[np.bool_], weight: Array) -> None:
        self.objective, self.positive, self.weight = objective, positive, weight
        self.positives = float(weight[positive].sum())
        self.near = [(term, near_points(term.metric, term.statement.anchors)) for term in objective.terms]

    def points(self, scores: Array, width: float) -> SoftPoints:
        """Where the operating points lie at these scores, and what rows are worth there."""
        thresholds, gains, prices = [], [], []
        total = sum(term.weight for term, _ in self.near)
        for term, points in self.near:
            for point in points:
                threshold = operating_threshold(point, scores, self.positive, self.weight)
                gain, price = self._worth(term.metric, scores, threshold, width)
                share = term.weight / (total * len(points))
                thresholds.append(threshold)
                gains.append(share * gain)
                prices.append(share * gain * price)
        return SoftPoints(np.array(thresholds), np.array(gains), np.array(prices), width)

    def _worth(self, metric: Metric, scores: Array, threshold: float, width: float) -> tuple[float, float]:
        above = expit((scores - threshold) / width)
        steep = self.weight * above * (1.0 - above)
        near_positives, near_negatives = steep[self.positive].sum(), steep[~self.positive].sum()
        price = float(np.clip(near_positives / max(near_negatives, 1e-9), 1.0 / DEAREST, DEAREST))
        if not isinstance(metric, AUCPR):
            return 1.0, price
        # Precision at a recall falls by precision²/tp a false positive, and much faster where there are few.
        tp, fp = (float((self.weight * above)[which].sum()) for which in (self.positive, ~self.positive))
        return (tp / (tp + fp)) ** 2 / max(tp, 1.0) * self.positives / price, price
