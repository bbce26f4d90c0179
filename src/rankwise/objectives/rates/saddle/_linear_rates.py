"""Linear models for rate objectives, on all rows at once and to convergence.

Augmented Lagrangian (Bertsekas 1982): for fixed λ, L-BFGS minimizes over w, b and log ψ

    Σ_t Δ_t (cost_t + μ_t excess_t − (μ_t − λ_t)²/2ρ) + l2/2 |w|² + proximal/2 |w − start|²

with μ_t = λ_t + ρ excess_t, kept within 0 and MAX_MULTIPLIER; then λ becomes μ. At the minimum μ makes the plain
Lagrangian, which is a weighted classification (Eban 2017 (7)), stationary too: for a convex surrogate its value there
is the dual's. An excess costs MAX_MULTIPLIER a unit at most, so there is a solution where no model meets the
constraints, and the gap to the primal is Σ_t Δ_t (MAX_MULTIPLIER max(0, excess_t) − λ_t excess_t). Corners of hinge and
ramp are rounded, less and less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._statements import RateCounts
from rankwise.objectives.rates.saddle._partials import partials
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER, MIN_SPLIT, SaddlePoint
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import FloatArray

CORNERS = (0.3, 0.03, 0.003)
MULTIPLIER_ROUNDS = 30  # for each corner
LBFGS_STEPS = 500  # between two rounds, at most
MAX_RHO = 1e4


@dataclass(frozen=True)
class LinearRates:
    """A linear model, w·x against a threshold per anchor, and how well it solves its program.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights w.
    thresholds : ndarray of shape (size,)
        The threshold of each anchor of the objective.
    multipliers : ndarray of shape (size,)
        What an excess costs at each anchor, λ.
    levels : ndarray of shape (size,)
        What each anchor asks for: a precision, a recall, a false positive rate or a β.
    costs : ndarray of shape (size,)
        What is minimized at each anchor, in shares of the positives.
    excesses : ndarray of shape (size,)
        What must not be positive at each anchor.
    bound : float
        The metric on these rows is at least this, if there is no violation.
    gap : float
        Between primal and dual, of the program with rounded corners, for a convex surrogate.
    violation : float
        The largest excess, in shares of the positives: not 0 where no model was found that has none.
    iterations : int
        Steps of L-BFGS.
    converged : bool
        Whether the gap is within the tolerance.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous and Elidan (2017), Scalable Learning of Non-Decomposable Objectives, AISTATS.
    """

    weights: FloatArray
    thresholds: FloatArray
    multipliers: FloatArray
    levels: FloatArray
    costs: FloatArray
    excesses: FloatArray
    bound: float
    gap: float
    violation: float
    iterations: int
    converged: bool


class _Program:
    """The augmented Lagrangian as a function of one vector: w, b, log ψ."""

    def __init__(self, saddle: SaddlePoint, X: FloatArray, start: FloatArray, l2: float, proximal: float) -> None:
        self.saddle, self.X, self.start, self.l2, self.proximal = saddle, X, start, l2, proximal
        self.rho = 1.0
        self.loss = saddle.surrogate

    def unpack(self, z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """w, b and ψ."""
        d, k = self.X.shape[1], self.saddle.objective.size
        return z[:d], z[d : d + k], np.maximum(np.exp(np.clip(z[d + k :], -50.0, 50.0)), MIN_SPLIT)

    def counts(self, z: FloatArray) -> tuple[FloatArray, RateCounts]:
        """Scores and bounded counts at w, b and ψ."""
        w, b, split = self.unpack(z)
        scores = self.X @ w
        return scores, self.saddle._scaled_counts(*self.saddle.rows.sums(scores, b, self.loss), split)

    def raised(self, excesses: FloatArray) -> FloatArray:
        """The multipliers μ."""
        return np.clip(self.saddle.multipliers + self.rho * excesses, 0.0, MAX_MULTIPLIER)

    def __call__(self, z: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient."""
        saddle, (w, b, split) = self.saddle, self.unpack(z)
        scores, counts = self.counts(z)
        multipliers = self.raised(saddle.objective.excesses(counts))
        by = partials(saddle.objective, counts, multipliers)
        slack = (multipliers - saddle.multipliers) ** 2 / (2.0 * self.rho)
        value = saddle.objective.shares() @ (by.costs + multipliers * by.excesses - slack)
        value += 0.5 * self.l2 * w @ w + 0.5 * self.proximal * (w - self.start) @ (w - self.start)
        p, q = by.missed / saddle.unit, by.false / saddle.unit
        slopes = saddle.rows.slopes(scores, b, self.loss, p, q)
        by_w = self.X.T @ slopes.scores + self.l2 * w + self.proximal * (w - self.start)
        return float(value), np.concatenate([by_w, p * slopes.missed + q * slopes.false, by.split * split])


def linear_rates(
    objective: str | Metric | RateObjective,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    surrogate: str | Surrogate = "hinge",
    l2: float = 1e-6,
    start: ArrayLike | None = None,
    proximal: float = 0.0,
    share: float | None = None,
    tolerance: float = 1e-3,
) -> LinearRates:
    """Solve a rate objective for scores X·w.

    Costs are in shares of the positives, so `l2` and `proximal` mean the same for any number of rows.

    Parameters
    ----------
    objective : str, Metric or RateObjective
        What is trained for, such as `r@p=0.9`.
    X : array-like of shape (n_rows, n_features)
        Features, all finite.
    y : array-like of shape (n_rows,)
        Labels; above 0 is positive.
    sample_weight : array-like of shape (n_rows,), optional
        What each row weighs.
    surrogate : str or Surrogate, default="hinge"
        The bound of the counts. One that is not convex (ramp) gives a minimum near the start, so give it one.
    l2 : float, default=1e-6
        Penalty of the squared weights.
    start : array-like of shape (n_features,), optional
        The first weights; 0 by default.
    proximal : float, default=0.0
        Penalty of the squared distance from the start.
    share : float, optional
        The share of positives, where it is not that of the rows.
    tolerance : float, default=1e-3
        The gap between primal and dual at which the solver has converged.

    Returns
    -------
    LinearRates
        The model, and how well it solves its program.
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != np.shape(y)[0]:
        raise ShapeError(f"X must have one row for each of {np.shape(y)[0]} labels, got the shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise DataError("a linear model needs finite features, got some that are not; fill in what is missing")
    first = np.zeros(rows.shape[1]) if start is None else np.array(start, dtype=np.float64)
    if first.shape != (rows.shape[1],):
        raise ShapeError(f"start must have one weight per feature: got the shape {first.shape} for {rows.shape[1]}")
    saddle = SaddlePoint(objective, y, sample_weight, surrogate=surrogate, share=share).start(rows @ first)
    program = _Program(saddle, rows, first, l2, proximal)
    w, gap, iterations = _solve(program, tolerance)
    multipliers = saddle.multipliers
    saddle.start(rows @ w)  # the best thresholds of the true surrogate, corners and all
    at = saddle.gradients(rows @ w)
    return LinearRates(
        w,
        saddle.thresholds,
        multipliers,
        saddle.levels,
        at.costs,
        at.excesses,
        bound=saddle.bound(at),
        gap=gap,
        violation=max(float(np.max(at.excesses)), 0.0),
        iterations=iterations,
        converged=gap < tolerance,
    )


def _solve(program: _Program, tolerance: float) -> tuple[FloatArray, float, int]:
    """Minimize and raise multipliers by turns: w; the gap; steps taken."""
    saddle, iterations, gap = program.saddle, 0, np.inf
    z = np.concatenate([program.start, saddle.thresholds, np.log(saddle.splits)])
    for loss in dict.fromkeys(saddle.surrogate.rounded(corner) for corner in CORNERS):
        program.loss, before = loss, np.inf
        for _ in range(MULTIPLIER_ROUNDS):
            result = minimize(program, z, jac=True, method="L-BFGS-B", options={"maxiter": LBFGS_STEPS, "maxcor": 20})
            z, iterations = result.x, iterations + int(result.nit)
            excesses = saddle.objective.excesses(program.counts(z)[1])
            saddle.multipliers = program.raised(excesses)
            prices = np.where(excesses > 0.0, MAX_MULTIPLIER, 0.0) - saddle.multipliers
            gap = float(saddle.objective.shares() @ (prices * excesses))
            if gap < 0.1 * tolerance:
                break
            if gap > 0.25 * before:
                program.rho = min(program.rho * 3.0, MAX_RHO)
            before = gap
    return program.unpack(z)[0], gap, iterations
