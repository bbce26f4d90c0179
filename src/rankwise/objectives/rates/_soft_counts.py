"""Operating points by soft counts: the bounds of Eban 2017 made tight, so that a good start is not lost to their slack.

At an operating point with threshold b, true and false positives are counted through a sigmoid of a width τ,

    tp ≈ Σ_{Y+} σ((s − b)/τ),    fp ≈ Σ_{Y−} σ((s − b)/τ),

and what is lost there is price · fp − gain · tp: Eban 2017 (7), a weighted classification. The ratio of the two prices
is the multiplier. It need not be searched for: the threshold is where the metric has its operating point, and only one
ratio makes that threshold the best one, K+/K− with K± = Σ_{Y±} σ'((s − b)/τ).

Near thresholds of a metric are a little easier and a little harder ones: they tell much the same, and their mean is
less of an accident than the one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.kernels.rows._soft_counts import add_log_loss, soft_rates, soft_sums
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
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._ranked_rows import RankedRows
from rankwise.types import BoolArray, FloatArray

DEAREST = 50.0  # a false positive against a true one, and the inverse


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


def operating_threshold(point: CurveMetric, scores: FloatArray, positive: BoolArray, weight: FloatArray) -> float:
    """Where a metric has its operating point: see `RankedRows.threshold`."""
    ranked = RankedRows(scores, positive)
    return ranked.threshold(point, *ranked.counts(weight))


@dataclass(frozen=True, eq=False)
class SoftPoints:
    """Operating points at thresholds: what a true positive gains and a false positive costs there, in rows."""

    thresholds: FloatArray
    gains: FloatArray
    prices: FloatArray
    width: float

    def sums(
        self, scores: FloatArray, positive: BoolArray, weight: FloatArray, thresholds: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """The weighted sum over rows at these thresholds, its derivative by each score over the row's weight, and by
        each threshold.
        """
        total, slope, _, by_threshold = self._sums(scores, positive, weight, thresholds)
        return total, slope, by_threshold

    def with_log_loss(
        self, scores: FloatArray, positive: BoolArray, weight: FloatArray, gamma: float
    ) -> tuple[FloatArray, FloatArray]:
        """Derivative and a positive curvature of weight · (log loss + γ · cost) of each row, for a tree booster."""
        _, slope, bend, _ = self._sums(scores, positive, weight, self.thresholds)
        add_log_loss(scores, positive, weight, gamma, slope, bend)
        return slope, bend

    def _sums(
        self, scores: FloatArray, positive: Any, weight: FloatArray, thresholds: FloatArray
    ) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        slope, bend, by_threshold = np.empty(scores.size), np.empty(scores.size), np.zeros(thresholds.size)
        worth = (thresholds, self.gains, self.prices, self.width)
        total = soft_sums(scores, positive, weight, *worth, slope, bend, by_threshold)
        return float(total), slope, bend, by_threshold

    def of_tensors(self, scores: Any, positive: Any, thresholds: Any) -> Any:
        """What each row costs at these thresholds, of torch tensors."""
        gains, prices = (scores.new_tensor(values) for values in (self.gains, self.prices))
        above = ((scores[:, None] - thresholds) / self.width).sigmoid()
        return (prices.where(~positive[:, None], -gains) * above).sum(1)

    @property
    def multipliers(self) -> FloatArray:
        """True positives that a false positive is worth at each point."""
        return np.asarray(self.prices / self.gains)


class SoftCounts:
    """A rate objective on rows with known labels; `points(scores, width)` finds its operating points."""

    def __init__(self, objective: RateObjective, positive: BoolArray, weight: FloatArray) -> None:
        self.positive, self.weight = positive, weight
        self.positives = float(weight[positive].sum())
        self.near = [(term, near_points(term.metric, term.statement.anchors)) for term in objective.terms]

    def points(self, scores: FloatArray, width: float) -> SoftPoints:
        """Where the operating points lie at these scores, and what rows are worth there."""
        ranked, shares = RankedRows(scores, self.positive), []
        hits, cuts = ranked.counts(self.weight)
        found: list[float] = []
        for term, points in self.near:
            found += [ranked.threshold(point, hits, cuts) for point in points]
            shares += [term.weight / len(points)] * len(points)
        thresholds = np.array(found)
        gains, prices = self._worth(scores, thresholds, width)
        gains *= np.array(shares) / sum(term.weight for term, _ in self.near)
        return SoftPoints(thresholds, gains, gains * prices, width)

    def _worth(self, scores: FloatArray, thresholds: FloatArray, width: float) -> tuple[FloatArray, FloatArray]:
        """What a true positive gains at each threshold, and how many of them a false positive costs."""
        counts, near = np.zeros((2, thresholds.size)), np.zeros((2, thresholds.size))
        soft_rates(np.ascontiguousarray(scores), self.positive, self.weight, thresholds, width, counts, near)
        prices = np.clip(near[1] / np.maximum(near[0], 1e-9), 1.0 / DEAREST, DEAREST)
        gains, place = np.ones(thresholds.size), 0
        for term, points in self.near:
            if isinstance(term.metric, AUCPR):
                # Precision at a recall falls by precision²/tp a false positive, and much faster where there are few.
                here = slice(place, place + len(points))
                fp, tp = counts[:, here]
                gains[here] = (tp / (tp + fp)) ** 2 / np.maximum(tp, 1.0) * self.positives / prices[here]
            place += len(points)
        return gains, prices
