"""The saddle point of a rate objective: who owns thresholds and multipliers (Eban 2017 (6), (12), (16)).

    min over scores and thresholds b, ψ   max over multipliers λ >= 0   of   Σ_t Δ_t (cost_t + λ_t excess_t)

Nothing here knows a model: given scores it has the value, the derivatives by scores (and a positive curvature, for
trees), by b, ψ and λ, and a step for the latter three. Counts are in units of |Y+|.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.objectives.rates._statements import Counts
from rankwise.objectives.rates.saddle._bounded_counts import BoundedCounts, Slopes
from rankwise.objectives.rates.saddle._surrogates import Surrogate, parse_surrogate
from rankwise.objectives.rates.saddle._thresholds import best_thresholds
from rankwise.types import FloatArray

TINY = 1e-30  # a complex step this small derives exactly, as long as a statement is plain arithmetic
STEPS = 1j * TINY * np.eye(3)
MIN_SPLIT = 1e-3  # ψ, the true positives that F_β counts on, stays above this share of the positives
MAX_MULTIPLIER = 100.0  # λ stays below this: where no model meets a constraint, its excess costs so much and no more
PENALTY = 100.0  # of excess, where thresholds are chosen for given scores
LEAST_CURVATURE = 1e-3  # of a row in trees, where the surrogate is flat


@dataclass(frozen=True)
class Partials:
    """Costs and excesses of each anchor, and the derivatives of Σ_t Δ_t (cost_t + λ_t excess_t) by its counts and ψ."""

    costs: FloatArray
    excesses: FloatArray
    missed: FloatArray
    false: FloatArray
    split: FloatArray


def partials(objective: RateObjective, counts: Counts, multipliers: FloatArray) -> Partials:
    """By a complex step for each of L+, L− and ψ, all in one go."""
    missed, false, split = (
        np.asarray(one) + step.reshape(3, *[1] * np.ndim(one))
        for one, step in zip((counts.missed, counts.false, counts.split), STEPS, strict=True)
    )
    moved = replace(counts, missed=missed, false=false, split=split)
    costs, excesses = objective.costs(moved), objective.excesses(moved)
    by = objective.shares() * (costs + multipliers * excesses).imag / TINY
    return Partials(costs[0].real, excesses[0].real, by[0], by[1], by[2])


@dataclass(frozen=True)
class SaddleGradients:
    """The Lagrangian at some scores, and its derivatives."""

    value: float
    costs: FloatArray
    excesses: FloatArray  # derivative by multipliers, before Δ_t
    scores: FloatArray
    curvature: FloatArray
    thresholds: FloatArray
    bends: FloatArray  # curvature by thresholds
    splits: FloatArray


class SaddlePoint:
    """Thresholds, multipliers and ψ of an objective on rows with labels `y`, for scores that come from anywhere.

    `share` is the share of positives where it is not that of the rows. Steps: thresholds move by `threshold_step`
    Newton steps, multipliers by at most `multiplier_step` of themselves plus one. For trees, call `tree_gradients`
    once per round.

    >>> y, scores = np.array([0, 0, 1, 0, 1]), np.array([-2.0, 0.5, 0.3, -1.0, 3.0])
    >>> saddle = SaddlePoint("r@p=0.9", y, surrogate="ramp[0.01]").start(scores)
    >>> bool(scores[1] < saddle.thresholds[0] < scores[4])  # no false positive: a recall of 1/2
    True
    >>> saddle.gradients(scores).costs
    array([0.5])
    """

    def __init__(
        self,
        objective: str | Metric | RateObjective,
        y: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        surrogate: str | Surrogate = "hinge",
        share: float | None = None,
        threshold_step: float = 0.5,
        multiplier_step: float = 0.05,
    ) -> None:
        self.objective = rate_objective(objective)
        self.rows = BoundedCounts(y, weight)
        if self.rows.positives <= 0.0 or self.rows.negatives <= 0.0:
            raise DataError(f"{self.objective} needs rows of both classes with some weight, got one class alone")
        total = self.rows.positives + self.rows.negatives
        if share is not None and not 0.0 < share < 1.0:
            raise DataError(f"the share of positives must be between 0 and 1, got {share!r}")
        self.share = self.rows.positives / total if share is None else float(share)
        self.unit = self.share * total  # |Y+| in rows
        self.surrogate = parse_surrogate(surrogate)
        self.threshold_step, self.multiplier_step = threshold_step, multiplier_step
        self.levels = self.objective.levels(self.share)
        self.thresholds = np.zeros(self.objective.size)
        self.multipliers = np.ones(self.objective.size)
        self.splits = np.ones(self.objective.size)

    def counts(self, scores: ArrayLike) -> Counts:
        """Bounded counts at the thresholds."""
        missed, false = self.rows.sums(np.asarray(scores, dtype=np.float64), self.thresholds, self.surrogate)
        return self.known(missed / self.unit, false / self.unit, self.splits)

    def known(self, missed: Any, false: Any, splits: Any) -> Counts:
        """Counts in units of |Y+|."""
        return Counts(missed, false, 1.0, (1.0 - self.share) / self.share, self.levels, splits)

    def _least(self, scores: FloatArray, price: Any, splits: FloatArray | None) -> FloatArray:
        """Thresholds of the least cost + price(excess) for these scores; without `splits`, ψ is the true positives."""
        rows, values = self.rows.condensed(scores)

        def judge(tried: FloatArray) -> FloatArray:
            missed, false = (one[:, None] / self.unit for one in rows.sums(values, tried, self.surrogate))
            shape = np.zeros((tried.size, self.objective.size))
            split = np.maximum(1.0 - missed, MIN_SPLIT) if splits is None else splits
            counts = self.known(missed + shape, false + shape, split + shape)
            return np.asarray(self.objective.costs(counts) + price(self.objective.excesses(counts)))

        return best_thresholds(judge, values, rows.positive_rows, self.surrogate.reach)

    def start(self, scores: ArrayLike) -> SaddlePoint:
        """Thresholds that are best for these scores, and the multipliers with which they stay: −∂cost/∂excess."""
        values = np.asarray(scores, dtype=np.float64)
        self.thresholds = self._least(values, lambda excess: PENALTY * np.maximum(excess, 0.0), None)
        self.splits = np.maximum(1.0 - self.counts(values).missed, MIN_SPLIT)
        counts, none = self.counts(values), np.zeros(self.objective.size)
        slopes = self._slopes(values, none, none)
        of_cost, of_both = (partials(self.objective, counts, none + one) for one in (0.0, 1.0))
        by_b = [one.missed * slopes.missed + one.false * slopes.false for one in (of_cost, of_both)]
        excess_by_b = by_b[1] - by_b[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(-by_b[0] / excess_by_b, nan=1.0, posinf=1.0, neginf=1.0)
        # Where no threshold meets the constraint, the ratio means nothing yet, and 1 is neither cheap nor dear.
        met = of_cost.excesses < 0.01
        self.multipliers = np.where(met, np.clip(ratio, 0.0, MAX_MULTIPLIER), 1.0)
        return self

    def _slopes(self, scores: FloatArray, p: FloatArray, q: FloatArray, *, curved: bool = False) -> Slopes:
        return self.rows.slopes(scores, self.thresholds, self.surrogate, p, q, curved=curved)

    def gradients(self, scores: ArrayLike, *, curved: bool = False) -> SaddleGradients:
        """The value and all derivatives at these scores; curvatures only if asked for."""
        values = np.asarray(scores, dtype=np.float64)
        counts = self.counts(values)
        by = partials(self.objective, counts, self.multipliers)
        slopes = self._slopes(values, by.missed / self.unit, by.false / self.unit, curved=curved)
        by_threshold = (by.missed * slopes.missed + by.false * slopes.false) / self.unit
        return SaddleGradients(
            float(self.objective.lagrangian(counts, self.multipliers)),
            by.costs,
            by.excesses,
            slopes.scores,
            slopes.curvature,
            by_threshold,
            slopes.bends,
            by.split,
        )

    def step(self, at: SaddleGradients) -> None:
        """Descend in thresholds and ψ, ascend in multipliers, which are projected to [0, MAX_MULTIPLIER].

        `at` is of `gradients(scores, curved=True)`: without curvature, thresholds move by the longest step.
        """
        newton = at.thresholds / np.maximum(at.bends, 1e-3 * self.objective.shares())
        self.thresholds = self.thresholds - self.threshold_step * np.clip(newton, -1.0, 1.0)
        self._raise(at)

    def _raise(self, at: SaddleGradients) -> None:
        downhill = np.clip(self.splits * at.splits / self.objective.shares(), -1.0, 1.0)
        self.splits = np.clip(self.splits * np.exp(-0.5 * self.threshold_step * downhill), MIN_SPLIT, 1.0)
        rise = self.multiplier_step * (1.0 + self.multipliers) * np.clip(at.excesses, -1.0, 1.0)
        self.multipliers = np.clip(self.multipliers + rise, 0.0, MAX_MULTIPLIER)

    def tree_gradients(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Gradient and positive Hessian of each row, in rows' own size, for a booster; then multipliers take a step.

        Thresholds are the best for the scores and multipliers: the same shift of all scores then changes nothing, so
        trees and thresholds do not chase each other.
        """
        values = np.asarray(scores, dtype=np.float64)
        self.thresholds = self._least(values, lambda excess: self.multipliers * excess, self.splits)
        at = self.gradients(values, curved=True)
        self._raise(at)
        return at.scores * self.unit, np.maximum(at.curvature * self.unit, LEAST_CURVATURE)

    def bound(self, at: SaddleGradients) -> float:
        """The value of the metric on these rows that the costs guarantee, as far as no excess is positive."""
        return self.objective.bound(at.costs, self.share)
