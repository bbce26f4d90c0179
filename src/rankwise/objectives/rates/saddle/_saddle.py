"""The saddle point of a rate objective: who owns thresholds and multipliers (Eban 2017 (6), (12), (16)).

    min over scores and thresholds b, ψ   max over multipliers λ >= 0   of   Σ_t Δ_t (cost_t + λ_t excess_t)

Nothing here depends on a model: at any scores it has the value, the derivatives by scores (and a positive curvature),
by b, ψ and λ, and a step for the latter three. RateCounts are in units of |Y+|.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.objectives.rates._statements import RateCounts
from rankwise.objectives.rates.saddle._bounded_counts import BoundedCounts
from rankwise.objectives.rates.saddle._partials import partials
from rankwise.objectives.rates.saddle._surrogates import Surrogate, parse_surrogate
from rankwise.types import FloatArray, IntArray

MIN_SPLIT = 1e-3  # ψ, the true positives that F_β counts on, stays above this share of the positives
MAX_MULTIPLIER = 100.0  # where no model meets a constraint, its excess costs so much and no more
EXCESS_PENALTY = 100.0  # where thresholds are chosen for fixed scores
QUANTILES, POSITIVE_QUANTILES = np.linspace(0.0, 1.0, 17), np.linspace(0.0, 1.0, 101)  # tried as thresholds
GRID_POINTS = 9  # around the best threshold
ZOOMS = 5
MAX_POSITIVES = 200  # up to so many, each is a threshold to try


@dataclass(frozen=True)
class SaddleGradients:
    """The Lagrangian at some scores, and its derivatives."""

    value: float
    costs: FloatArray
    excesses: FloatArray  # derivative by multipliers, before Δ_t
    scores: FloatArray
    curvature: FloatArray
    thresholds: FloatArray
    threshold_curvature: FloatArray
    splits: FloatArray


class SaddlePoint:
    """Thresholds, multipliers and ψ of an objective on labelled rows, for scores that come from anywhere.

    Parameters
    ----------
    objective : str, Metric or RateObjective
        What is trained for, such as `r@p=0.9`.
    y : array-like of shape (n_rows,)
        Labels; above 0 is positive.
    sample_weight : array-like of shape (n_rows,), optional
        What each row weighs.
    surrogate : str or Surrogate, default="hinge"
        The bound of the counts: "hinge", "smooth-hinge", "log2", "ramp[0.5]" or "sigmoid[0.5]".
    share : float, optional
        The share of positives, where it is not that of the rows.
    threshold_step : float, default=0.5
        How many Newton steps thresholds move by.
    multiplier_step : float, default=0.05
        Multipliers move by at most this much of themselves plus one.

    Attributes
    ----------
    thresholds : ndarray of shape (size,)
        The threshold of each anchor of the objective.
    multipliers : ndarray of shape (size,)
        What an excess costs at each anchor.
    splits : ndarray of shape (size,)
        ψ, for F_β.
    levels : ndarray of shape (size,)
        What each anchor asks for.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous and Elidan (2017), Scalable Learning of Non-Decomposable Objectives, AISTATS.

    Examples
    --------
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
        sample_weight: ArrayLike | None = None,
        *,
        surrogate: str | Surrogate = "hinge",
        share: float | None = None,
        threshold_step: float = 0.5,
        multiplier_step: float = 0.05,
    ) -> None:
        self.objective = rate_objective(objective)
        self.rows = BoundedCounts(y, sample_weight)
        if self.rows.positives <= 0.0 or self.rows.negatives <= 0.0:
            raise DataError(
                f"{self.objective} needs rows of both classes with some weight, got one class alone; add rows"
            )
        total = self.rows.positives + self.rows.negatives
        if share is not None and not 0.0 < share < 1.0:
            raise DataError(f"the share of positives must be between 0 and 1, got {share!r}; 0.1 is 10%")
        self.share = self.rows.positives / total if share is None else float(share)
        self.unit = self.share * total  # |Y+| in rows
        self.surrogate = parse_surrogate(surrogate)
        self.threshold_step, self.multiplier_step = threshold_step, multiplier_step
        self.levels = self.objective.levels(self.share)
        self.thresholds = np.zeros(self.objective.size)
        self.multipliers, self.splits = np.ones((2, self.objective.size))

    def counts(self, scores: FloatArray) -> RateCounts:
        """Return the bounded counts at the thresholds.

        Parameters
        ----------
        scores : ndarray of shape (n_rows,)
            Scores of the rows.

        Returns
        -------
        RateCounts
            Counts in units of |Y+|.
        """
        return self._scaled_counts(*self.rows.sums(scores, self.thresholds, self.surrogate), self.splits)

    def _scaled_counts(self, missed: FloatArray, false: FloatArray, splits: FloatArray) -> RateCounts:
        """Counts of rows in units of |Y+|."""
        negatives = (1.0 - self.share) / self.share
        return RateCounts(missed / self.unit, false / self.unit, 1.0, negatives, self.levels, splits)

    def _best_thresholds(
        self, scores: FloatArray, price: Callable[[FloatArray], FloatArray], splits: FloatArray | None = None
    ) -> FloatArray:
        """Thresholds of the lowest cost + price(excess) for these scores; without `splits`, ψ is the true positives."""
        rows, means = self.rows.condensed(scores)

        def values_at(thresholds: FloatArray) -> FloatArray:
            shape = np.zeros((thresholds.size, self.objective.size))
            missed, false = (sums[:, None] + shape for sums in rows.sums(means, thresholds, self.surrogate))
            split = np.maximum(1.0 - missed / self.unit, MIN_SPLIT) if splits is None else splits + shape
            counts = self._scaled_counts(missed, false, split)
            return np.asarray(self.objective.costs(counts) + price(self.objective.excesses(counts)))

        return _search_thresholds(values_at, means, rows.positive_rows, self.surrogate.reach)

    def start(self, scores: ArrayLike) -> Self:
        """Set the thresholds that are best for these scores, and the multipliers with which they stay: −∂cost/∂excess.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            Scores of the rows.

        Returns
        -------
        SaddlePoint
            This one.
        """
        values = as_vector("scores", scores)
        self.thresholds = self._best_thresholds(values, lambda excess: EXCESS_PENALTY * np.maximum(excess, 0.0))
        self.splits = np.maximum(1.0 - self.counts(values).missed, MIN_SPLIT)
        counts, zeros = self.counts(values), np.zeros(self.objective.size)
        slopes = self.rows.slopes(values, self.thresholds, self.surrogate, zeros, zeros)
        of_cost, of_both = (partials(self.objective, counts, zeros + multiplier) for multiplier in (0.0, 1.0))
        cost_slope, both_slope = (by.missed * slopes.missed + by.false * slopes.false for by in (of_cost, of_both))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(cost_slope / (cost_slope - both_slope), nan=1.0, posinf=1.0, neginf=1.0)
        # Where no threshold meets the constraint, the ratio means nothing yet, and 1 is neither cheap nor dear.
        self.multipliers = np.where(of_cost.excesses < 0.01, np.clip(ratio, 0.0, MAX_MULTIPLIER), 1.0)
        return self

    def gradients(self, scores: ArrayLike, *, curved: bool = False) -> SaddleGradients:
        """Return the value and all derivatives at these scores.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            Scores of the rows.
        curved : bool, default=False
            Whether to compute curvatures, which are 0 otherwise.

        Returns
        -------
        SaddleGradients
            The Lagrangian, costs, excesses and derivatives.
        """
        values = as_vector("scores", scores)
        by = partials(self.objective, self.counts(values), self.multipliers)
        p, q = by.missed / self.unit, by.false / self.unit
        slopes = self.rows.slopes(values, self.thresholds, self.surrogate, p, q, curved=curved)
        return SaddleGradients(
            value=float(self.objective.shares() @ (by.costs + self.multipliers * by.excesses)),
            costs=by.costs,
            excesses=by.excesses,
            scores=slopes.scores,
            curvature=slopes.curvature,
            thresholds=p * slopes.missed + q * slopes.false,
            threshold_curvature=slopes.threshold_curvature,
            splits=by.split,
        )

    def step(self, at: SaddleGradients) -> None:
        """Descend in thresholds and ψ, ascend in multipliers, which are projected to [0, MAX_MULTIPLIER].

        Parameters
        ----------
        at : SaddleGradients
            Of `gradients(scores, curved=True)`: without curvature, thresholds move by the longest step.
        """
        newton = at.thresholds / np.maximum(at.threshold_curvature, 1e-3 * self.objective.shares())
        self.thresholds = self.thresholds - self.threshold_step * np.clip(newton, -1.0, 1.0)
        self._raise_multipliers(at)

    def _raise_multipliers(self, at: SaddleGradients) -> None:
        """Descend in ψ and ascend in multipliers, and leave thresholds as they are."""
        downhill = np.clip(self.splits * at.splits / self.objective.shares(), -1.0, 1.0)
        self.splits = np.clip(self.splits * np.exp(-0.5 * self.threshold_step * downhill), MIN_SPLIT, 1.0)
        rise = self.multiplier_step * (1.0 + self.multipliers) * np.clip(at.excesses, -1.0, 1.0)
        self.multipliers = np.clip(self.multipliers + rise, 0.0, MAX_MULTIPLIER)

    def bound(self, at: SaddleGradients) -> float:
        """Return the value of the metric on these rows that the costs guarantee, as far as no excess is positive.

        Parameters
        ----------
        at : SaddleGradients
            Of `gradients(scores)`.

        Returns
        -------
        float
            The value.
        """
        return self.objective.bound(at.costs, self.share)


def _search_thresholds(
    values_at: Callable[[FloatArray], FloatArray], scores: FloatArray, positive: IntArray, reach: float
) -> FloatArray:
    """Where `values_at`, which has a column per anchor and a row per threshold tried, is lowest.

    First the quantiles of all scores and of the positives' (with rare positives, thresholds lie among theirs), and as
    far to either side as the loss reaches; then ever finer grids around the best. Where the values are convex, that
    finds their minimum; where they are not, the best of the quantiles' neighbours.
    """
    of_positives = scores[positive]
    if of_positives.size > MAX_POSITIVES:
        of_positives = np.quantile(of_positives, POSITIVE_QUANTILES)
    first = np.append(np.quantile(scores, QUANTILES), of_positives)
    grid = np.unique(np.concatenate([first - reach, first, first + reach]))
    values = values_at(grid)
    best, anchors = np.argmin(values, axis=0), np.arange(values.shape[1])
    centers, lowest = grid[best], values[best, anchors]
    radius = np.maximum(grid[np.minimum(best + 1, grid.size - 1)] - centers, centers - grid[np.maximum(best - 1, 0)])
    for _ in range(ZOOMS):
        # All anchors' grids are evaluated at every anchor: rows are one pass, and there are few anchors.
        grids = centers[:, None] + radius[:, None] * np.linspace(-1.0, 1.0, GRID_POINTS)
        values = values_at(grids.ravel()).reshape(anchors.size, GRID_POINTS, anchors.size)[anchors, :, anchors]
        best = np.argmin(values, axis=1)
        centers = np.where(values[anchors, best] < lowest, grids[anchors, best], centers)
        lowest = np.minimum(lowest, values[anchors, best])
        radius = radius * (2.0 / (GRID_POINTS - 1))
    return np.asarray(centers)
