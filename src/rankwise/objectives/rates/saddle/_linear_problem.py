"""A rate objective of scores X·w: what its solvers minimize, and its derivatives by w and by thresholds.

    Σ_t Δ_t (cost_t + MAX_MULTIPLIER max(0, excess_t)) + l2/2 |w|² + proximal/2 |w − start|²

An excess costs so much a unit and no more, so there is a solution where no model meets the constraints. With λ between
0 and MAX_MULTIPLIER in the place of that price it is a weighted classification, Eban 2017 (7).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.objectives.rates._statements import RateCounts
from rankwise.objectives.rates.saddle._bounded_counts import SIGNS
from rankwise.objectives.rates.saddle._partials import partials
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER, MIN_SPLIT, SaddlePoint
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import BoolArray, FloatArray

HALVINGS = 80  # of the range of a threshold: down to the last bit
FAR = 50.0  # beyond the scores, where every surrogate has died away


@dataclass(frozen=True, eq=False)
class Penalty:
    """l2/2 |w|² + proximal/2 |w − start|²."""

    l2: float
    proximal: float
    start: FloatArray

    @property
    def curvature(self) -> float:
        """The same for every weight."""
        return self.l2 + self.proximal

    def value(self, w: FloatArray) -> float:
        """Of weights."""
        return float(0.5 * self.l2 * w @ w + 0.5 * self.proximal * (w - self.start) @ (w - self.start))

    def slope(self, w: FloatArray) -> FloatArray:
        """Derivatives by the weights."""
        return self.l2 * w + self.proximal * (w - self.start)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Cost and excess of each anchor as linear functions of L+ and L−: rows are constant, by L+, by L−.

    F_β is linear for a given ψ; its cost has the multiplier N/ψ² that belongs to ψ in it, and nothing is in excess.
    """

    cost: FloatArray
    excess: FloatArray

    def weights(self, multipliers: FloatArray) -> FloatArray:
        """Of cost + λ excess."""
        return self.cost + multipliers * self.excess

    def excesses(self, missed: FloatArray, false: FloatArray) -> FloatArray:
        """At these counts."""
        constant, by_missed, by_false = self.excess
        return np.asarray(constant + by_missed * missed + by_false * false)


@dataclass(frozen=True, eq=False)
class CountSlopes:
    """L+ and L− at each threshold, in units of |Y+|, and their derivatives; the first axis is which of the two."""

    counts: FloatArray
    by_weights: FloatArray  # (2, features, thresholds)
    by_threshold: FloatArray
    bends: list[FloatArray]  # curvature of each row (of a side) and threshold, times its weight


class LinearProblem:
    """Rows, objective and penalty."""

    def __init__(self, saddle: SaddlePoint, X: FloatArray, penalty: Penalty) -> None:
        self.saddle, self.X, self.penalty = saddle, X, penalty
        self.objective, self.loss, self.shares = saddle.objective, saddle.surrogate, saddle.objective.shares()
        self.sides = [
            (X[at], (np.ones(at.size) if weight is None else weight) / saddle.unit) for at, weight in saddle.rows.sides
        ]

    @cached_property
    def is_fraction(self) -> BoolArray:
        """Which anchors are F_β."""
        held = [np.full(term.statement.anchors, term.metric.held == "beta") for term in self.objective.terms]
        return np.concatenate(held)

    def coefficients(self, counts: FloatArray) -> Coefficients:
        """Of the counts; F_β's are those at its true positives of these."""
        splits = np.maximum(1.0 - counts[0], MIN_SPLIT)
        at = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[:, :, None] + np.zeros(splits.size)
        made = self._scaled(at[:, 0], at[:, 1], splits)
        cost, excess = (
            np.vstack([values[:1], values[1:] - values[0]])
            for values in (self.objective.costs(made), self.objective.excesses(made))
        )
        true_cost = self.objective.costs(self._scaled(counts[0], counts[1], splits))
        cost = cost + np.where(self.is_fraction, true_cost / splits, 0.0) * excess
        return Coefficients(cost, np.where(self.is_fraction, [[-1.0], [0.0], [0.0]], excess))

    def _scaled(self, missed: FloatArray, false: FloatArray, splits: FloatArray) -> RateCounts:
        unit = self.saddle.unit
        return self.saddle._scaled_counts(missed * unit, false * unit, splits)

    def slopes(self, w: FloatArray, thresholds: FloatArray, loss: Surrogate) -> CountSlopes:
        """Counts and derivatives at weights and thresholds."""
        counts, by_threshold = np.empty((2, 2, thresholds.size))
        by_weights, bends = np.empty((2, w.size, thresholds.size)), []
        for side, (sign, (X, weight)) in enumerate(zip(SIGNS, self.sides, strict=True)):
            margins = sign * ((X @ w)[:, None] - thresholds)
            counts[side] = weight @ loss.value(margins)
            slope = sign * weight[:, None] * loss.slope(margins)
            by_weights[side], by_threshold[side] = X.T @ slope, -slope.sum(0)
            bends.append(weight[:, None] * loss.curvature(margins))
        return CountSlopes(counts, by_weights, by_threshold, bends)

    def counts(self, w: FloatArray, thresholds: FloatArray, loss: Surrogate) -> FloatArray:
        """L+ and L− alone."""
        counts = np.empty((2, thresholds.size))
        for side, (sign, (X, weight)) in enumerate(zip(SIGNS, self.sides, strict=True)):
            counts[side] = weight @ loss.value(sign * ((X @ w)[:, None] - thresholds))
        return counts

    def falls(self, w: FloatArray, thresholds: FloatArray, loss: Surrogate) -> list[FloatArray]:
        """−slope of each row's loss at each threshold, of the positives and of the negatives."""
        return [
            -np.asarray(loss.slope(sign * ((X @ w)[:, None] - thresholds)))
            for sign, (X, _) in zip(SIGNS, self.sides, strict=True)
        ]

    def best_thresholds(self, w: FloatArray) -> FloatArray:
        """Of the lowest cost and price of the excess for these weights: a convex loss by halving, else by a search."""
        scores = self.X @ w
        if not self.loss.is_convex:
            return self.saddle.start(scores).thresholds
        size = self.objective.size
        low, high = np.full(size, scores.min() - FAR), np.full(size, scores.max() + FAR)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            rises = self._rise(scores, middle) > 0.0
            low, high = np.where(rises, low, middle), np.where(rises, middle, high)
        ends = np.array([self._prices(self.counts(w, b, self.loss)) for b in (low, high)])
        return np.where(ends[0] <= ends[1], low, high)

    def _rise(self, scores: FloatArray, thresholds: FloatArray) -> FloatArray:
        """The derivative of each anchor's price by its threshold."""
        rows, zeros = self.saddle.rows, np.zeros(thresholds.size)
        missed, false = (sums / self.saddle.unit for sums in rows.sums(scores, thresholds, self.loss))
        slopes = rows.slopes(scores, thresholds, self.loss, zeros, zeros)
        counts = self._scaled(missed, false, np.maximum(1.0 - missed, MIN_SPLIT))
        multipliers = np.where(self.objective.excesses(counts) > 0.0, MAX_MULTIPLIER, 0.0)
        by = partials(self.objective, counts, multipliers)
        rise = (by.missed - by.split) * slopes.missed + by.false * slopes.false  # ψ falls as L+ rises
        # A fraction falls again where its denominator is held above 0, and is convex before.
        return np.where(self.is_fraction & (1.0 - missed <= MIN_SPLIT), 1.0, rise)

    def _prices(self, counts: FloatArray) -> FloatArray:
        scaled = self._scaled(counts[0], counts[1], np.maximum(1.0 - counts[0], MIN_SPLIT))
        excess = np.maximum(self.objective.excesses(scaled), 0.0)
        return np.asarray(self.objective.costs(scaled) + MAX_MULTIPLIER * excess)

    def value(self, w: FloatArray, thresholds: FloatArray) -> float:
        """What is minimized."""
        return float(self.shares @ self._prices(self.counts(w, thresholds, self.loss))) + self.penalty.value(w)
