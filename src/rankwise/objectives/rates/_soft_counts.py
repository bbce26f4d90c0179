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

from rankwise.kernels.rows._sigmoid_sums import near_log_loss, soft_rates, soft_sums
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

    def counts_at_positives(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same down to each different score of a positive, and to the end; a row each of many weights.

        A rate metric is highest at one of them: what follows, up to the next, adds negatives alone.
        """
        at = np.flatnonzero(self.positive)
        ends = np.unique(np.append(self.ends[np.searchsorted(self.ends, at)], self.positive.size - 1))
        starts = np.append(0, ends[:-1] + 1)
        cuts = np.cumsum(np.add.reduceat(weight[..., self.order], starts, axis=-1), axis=-1)
        hits = np.cumsum(weight[..., self.order[at]], axis=-1)
        return hits[..., np.searchsorted(at, ends, side="right") - 1], cuts

    def threshold(self, point: CurveMetric, hits: FloatArray, cuts: FloatArray) -> float:
        """Half-way below the last score at or above which the metric takes the point it is read off.

        Where no cut meets a precision, the one of the highest precision with a few true positives.
        """
        values = point.values_of_counts(hits, cuts)
        if not values.any():
            values = hits / np.maximum(cuts, 1e-300) * (hits >= min(MIN_TRUE_POSITIVES, hits[-1]))
        best = values.size - 1 - int(np.argmax(values[::-1]))  # the lowest of equals: no recall is given away
        end = int(self.ends[best])
        return float(0.5 * (self.falling[end] + self.falling[min(end + 1, self.falling.size - 1)]))


def operating_threshold(point: CurveMetric, scores: FloatArray, positive: BoolArray, weight: FloatArray) -> float:
    """Where a metric has its operating point: see `RankedRows.threshold`."""
    ranked = RankedRows(scores, positive)
    return ranked.threshold(point, *ranked.counts(weight))


def is_reached(point: CurveMetric, scores: FloatArray, positive: BoolArray, weight: FloatArray) -> bool:
    """Whether a threshold meets the precision, recall or rate that the metric is read off at.

    A precision of fewer true positives than would be trusted is an accident, unless these are all that there are.
    """
    ranked = RankedRows(scores, positive)
    counts = ranked.counts(weight)
    if not point.values_of_counts(*counts).any():
        return False
    flagged, positives = scores[positive] >= ranked.threshold(point, *counts), int(np.count_nonzero(positive))
    return point.held != "precision" or int(np.count_nonzero(flagged)) >= min(MIN_TRUE_POSITIVES, positives)


def objective_value(
    objective: RateObjective, scores: FloatArray, positive: BoolArray, weight: FloatArray | None
) -> float | None:
    """The metric, or sum of metrics, that an objective names, each wherever its threshold; None of one class alone."""
    weight = np.ones(positive.size) if weight is None else weight
    counted = weight > 0
    if not positive[counted].any() or positive[counted].all():
        return None
    counts = RankedRows(scores[counted], positive[counted]).counts(weight[counted])
    return float(sum(term.weight * term.metric.value_of_counts(*counts) for term in objective.terms))


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

    def near_log_loss(
        self, scores: FloatArray, positive: BoolArray, weight: FloatArray, gamma: float
    ) -> tuple[FloatArray, FloatArray]:
        """Derivative and curvature, for a tree booster, of the log loss of each row and of γ times one about the point.

        The second takes the threshold for its zero, and rows count by how near they are to it and by what they are
        worth there. Unlike soft counts it is convex: a tree cannot give a row up, nor gain by confusing others.
        """
        slope, curvature = np.empty(scores.size), np.empty(scores.size)
        points = (self.thresholds, self.gains, self.prices, self.width)
        near_log_loss(scores, positive, weight, *points, gamma, slope, curvature)
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

    def values(self, ranked: RankedRows, weight: FloatArray) -> FloatArray:
        """Σ over terms of the mean over near levels of the metric; 0 without both kinds of rows.

        The metric at one level alone is an accident of few rows; near levels say the same with less noise.
        """
        hits, cuts = ranked.counts_at_positives(weight)
        total = np.zeros(hits.shape[:-1])
        for term, points in self.terms:
            best = [point.values_of_counts(hits, cuts).max(axis=-1) for point in points]
            total += term.weight * np.mean(best, axis=0)
        return np.where((hits[..., -1] > 0.0) & (hits[..., -1] < cuts[..., -1]), total, 0.0)

    def value(self, scores: FloatArray) -> float:
        """The same of scores of the rows themselves."""
        return float(self.values(RankedRows(scores, self.positive), self.weight))

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
