"""Operating points by soft counts: the bounds of Eban 2017 made tight, so that a good start is not lost to their slack.

At an operating point with threshold b, true and false positives are counted through a sigmoid of a width τ,

    tp ≈ Σ_{Y+} σ((s − b)/τ),    fp ≈ Σ_{Y−} σ((s − b)/τ),

and what is lost there is price · fp − gain · tp: Eban 2017 (7), a weighted classification. The ratio of the two prices
is the multiplier. It need not be searched for: the threshold is where the metric has its operating point, and only one
ratio makes that threshold the best one, K+/K− with K± = Σ_{Y±} σ'((s − b)/τ).

Besides the operating point of a metric, a little easier and a little harder ones are counted
(`RateMetric.operating_points`): their values are much the same, and their mean is less noisy than the one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankwise.kernels.rows._sigmoid_sums import add_log_loss, soft_rates, soft_sums
from rankwise.metrics._ranking import descending_order
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import torch

MAX_PRICE = 50.0  # of a false positive in true ones; the lowest price is the inverse
MIN_TRUE_POSITIVES = 5.0  # without which a precision is not trusted


class RankedRows:
    """Sorted once, read for any operating points and weights; a threshold cannot separate equal scores."""

    def __init__(self, scores: FloatArray, positive: BoolArray) -> None:
        offsets = np.array([0, scores.size], dtype=np.int64)
        self.order = descending_order(np.ascontiguousarray(scores), offsets)
        self.falling, self.positive = scores[self.order], positive[self.order]
        self.ends = np.append(np.flatnonzero(np.diff(self.falling)), scores.size - 1)

    def counts(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weight of the positives, and of all rows, down to each different score."""
        sorted_weight = weight[self.order]
        return np.cumsum(sorted_weight * self.positive)[self.ends], np.cumsum(sorted_weight)[self.ends]

    def threshold(self, point: CurveMetric, hits: FloatArray, cuts: FloatArray) -> float:
        """Half-way below the last score at or above which the metric takes the point it is read off.

        Where no cut meets a precision, the one of the highest precision with a few true positives.
        """
        values = values_of_cuts(point, hits, cuts)
        if not values.any():
            values = hits / np.maximum(cuts, 1e-300) * (hits >= min(MIN_TRUE_POSITIVES, hits[-1]))
        best = values.size - 1 - int(np.argmax(values[::-1]))  # the lowest of equals: no recall is given away
        end = int(self.ends[best])
        return float(0.5 * (self.falling[end] + self.falling[min(end + 1, self.falling.size - 1)]))


def values_of_cuts(point: CurveMetric, hits: FloatArray, cuts: FloatArray) -> FloatArray:
    """The metric at each cut; 0 where nothing has been counted yet."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(point.point(hits, np.maximum(cuts, 1e-300), hits[-1], cuts[-1] - hits[-1]))


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
    ) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        """The weighted sum over rows at these thresholds, and its derivatives.

        They are those by each score over the row's weight, and by each threshold; last is a curvature by each score.
        """
        slope, curvature, by_threshold = np.empty(scores.size), np.empty(scores.size), np.zeros(thresholds.size)
        points = (thresholds, self.gains, self.prices, self.width)
        total = soft_sums(scores, positive, weight, *points, slope, curvature, by_threshold)
        return float(total), slope, by_threshold, curvature

    def with_log_loss(
        self, scores: FloatArray, positive: BoolArray, weight: FloatArray, gamma: float
    ) -> tuple[FloatArray, FloatArray]:
        """Derivative and a positive curvature of weight · (log loss + γ · cost) of each row, for a tree booster."""
        _, slope, _, curvature = self.sums(scores, positive, weight, self.thresholds)
        add_log_loss(scores, positive, weight, gamma, slope, curvature)
        return slope, curvature

    def of_tensors(self, scores: torch.Tensor, positive: torch.Tensor, thresholds: torch.Tensor) -> torch.Tensor:
        """What each row costs at these thresholds."""
        gains, prices = (scores.new_tensor(values) for values in (self.gains, self.prices))
        above = ((scores[:, None] - thresholds) / self.width).sigmoid()
        return (prices.where(~positive[:, None], -gains) * above).sum(1)

    @property
    def multipliers(self) -> FloatArray:
        """True positives that a false positive is worth at each point."""
        return self.prices / self.gains


class SoftCounts:
    """A rate objective on rows whose labels are given; `points(scores, width)` finds its operating points."""

    def __init__(self, objective: RateObjective, positive: BoolArray, weight: FloatArray) -> None:
        self.positive, self.weight = positive, weight
        self.positives = float(weight[positive].sum())
        self.terms = [(term, term.metric.operating_points(term.statement.anchors)) for term in objective.terms]

    def points(self, scores: FloatArray, width: float) -> SoftPoints:
        """Where the operating points lie at these scores, and what rows are worth there."""
        ranked = RankedRows(scores, self.positive)
        counts = ranked.counts(self.weight)
        thresholds = np.array([ranked.threshold(point, *counts) for _, points in self.terms for point in points])
        counted, slopes = np.zeros((2, 2, thresholds.size))  # of negatives and of positives
        soft_rates(np.ascontiguousarray(scores), self.positive, self.weight, thresholds, width, counted, slopes)
        prices = np.clip(slopes[1] / np.maximum(slopes[0], 1e-9), 1.0 / MAX_PRICE, MAX_PRICE)
        gains, total, start = np.empty(thresholds.size), sum(term.weight for term, _ in self.terms), 0
        for term, points in self.terms:
            anchors = slice(start, start := start + len(points))
            share = term.weight / len(points) / total
            fp, tp = counted[:, anchors]
            gains[anchors] = share * term.metric.hit_gains(tp, fp, self.positives, prices[anchors])
        return SoftPoints(thresholds, gains, gains * prices, width)
