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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER, MIN_SPLIT, SaddlePoint, partials
from rankwise.objectives.rates.saddle._smoothing import rounded
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import FloatArray

CORNERS = (0.3, 0.03, 0.003)
ROUNDS = 30  # of multipliers, for each corner
INNER = 500  # steps of L-BFGS between them


@dataclass(frozen=True)
class LinearRates:
    """A linear model, w·x against a threshold for each anchor, and how well it solves its program."""

    weights: FloatArray
    thresholds: FloatArray
    multipliers: FloatArray
    levels: FloatArray
    costs: FloatArray
    excesses: FloatArray
    bound: float  # the metric on these rows is at least this, if there is no violation
    gap: float  # between primal and dual, of the program with rounded corners, for a convex surrogate
    violation: float  # the largest excess, in shares of the positives: not 0 where no model was found that has none
    iterations: int
    converged: bool


class _Program:
    """The augmented Lagrangian as a function of one vector: w, b, log ψ."""

    def __init__(self, saddle: SaddlePoint, X: FloatArray, start: FloatArray, l2: float, proximal: float) -> None:
        self.saddle, self.X, self.start, self.l2, self.proximal = saddle, X, start, l2, proximal
        self.dearness = 1.0  # ρ
        self.loss = saddle.surrogate

    def unpack(self, z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """w, b and ψ."""
        d, k = self.X.shape[1], self.saddle.objective.size
        return z[:d], z[d : d + k], np.maximum(np.exp(np.clip(z[d + k :], -50.0, 50.0)), MIN_SPLIT)

    def excesses(self, z: FloatArray) -> FloatArray:
        """At w, b and ψ."""
        return self.saddle.objective.excesses(self._counts(z, self.X @ self.unpack(z)[0]))

    def _counts(self, z: FloatArray, scores: FloatArray) -> Any:
        _, b, split = self.unpack(z)
        missed, false = self.saddle.rows.sums(scores, b, self.loss)
        return self.saddle.known(missed / self.saddle.unit, false / self.saddle.unit, split)

    def __call__(self, z: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient."""
        saddle, (w, b, split) = self.saddle, self.unpack(z)
        scores = self.X @ w
        counts = self._counts(z, scores)
        shares, old = saddle.objective.shares(), saddle.multipliers
        excesses = saddle.objective.excesses(counts)
        new = np.clip(old + self.dearness * excesses, 0.0, MAX_MULTIPLIER)
        value = shares @ (saddle.objective.costs(counts) + new * excesses - (new - old) ** 2 / (2.0 * self.dearness))
        value += 0.5 * self.l2 * w @ w + 0.5 * self.proximal * (w - self.start) @ (w - self.start)
        by = partials(saddle.objective, counts, new)
        slopes = saddle.rows.slopes(scores, b, self.loss, by.missed / saddle.unit, by.false / saddle.unit)
        by_w = self.X.T @ slopes.scores + self.l2 * w + self.proximal * (w - self.start)
        by_b = (by.missed * slopes.missed + by.false * slopes.false) / saddle.unit
        return float(value), np.concatenate([by_w, by_b, by.split * split])


def linear_rates(
    objective: str | Metric | RateObjective,
    X: ArrayLike,
    y: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    surrogate: str | Surrogate = "hinge",
    l2: float = 1e-6,
    start: ArrayLike | None = None,
    proximal: float = 0.0,
    share: float | None = None,
    tolerance: float = 1e-3,
) -> LinearRates:
    """Solve a rate objective for scores X·w; `start` is the first w, to which `proximal` holds it.

    Costs are in shares of the positives, so `l2` and `proximal` mean the same for any number of rows. A surrogate that
    is not convex (ramp) gives a minimum near the start, so give it one.
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != np.shape(y)[0]:
        raise ShapeError(f"X must have a row for each of {np.shape(y)[0]} labels, got the shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise DataError("a linear model needs finite features, got some that are not; fill in what is missing")
    first = np.zeros(rows.shape[1]) if start is None else np.array(start, dtype=np.float64)
    if first.shape != (rows.shape[1],):
        raise ShapeError(f"start must have a weight for each of {rows.shape[1]} features, got the shape {first.shape}")
    saddle = SaddlePoint(objective, y, weight, surrogate=surrogate, share=share).start(rows @ first)
    program = _Program(saddle, rows, first, l2, proximal)
    z = np.concatenate([first, saddle.thresholds, np.log(saddle.splits)])
    z, gap, iterations = _solve(program, z, tolerance)
    w, multipliers = z[: rows.shape[1]], saddle.multipliers
    saddle.start(rows @ w)  # the best thresholds of the true surrogate, corners and all
    at = saddle.gradients(rows @ w)
    found = (w, saddle.thresholds, multipliers, saddle.levels, at.costs, at.excesses, saddle.bound(at), gap)
    return LinearRates(*found, max(float(np.max(at.excesses)), 0.0), iterations, gap < tolerance)


def _solve(program: _Program, z: FloatArray, tolerance: float) -> tuple[FloatArray, float, int]:
    """Minimize and raise multipliers by turns: w, b and log ψ; the gap; steps taken."""
    saddle, iterations, gap = program.saddle, 0, np.inf
    corners = [rounded(saddle.surrogate, corner) for corner in CORNERS]
    for loss in dict.fromkeys(corners):
        program.loss, before = loss, np.inf
        for _ in range(ROUNDS):
            result = minimize(program, z, jac=True, method="L-BFGS-B", options={"maxiter": INNER, "maxcor": 20})
            z, iterations = result.x, iterations + int(result.nit)
            excesses = program.excesses(z)
            saddle.multipliers = np.clip(saddle.multipliers + program.dearness * excesses, 0.0, MAX_MULTIPLIER)
            prices = np.where(excesses > 0.0, MAX_MULTIPLIER, 0.0) - saddle.multipliers
            gap = float(saddle.objective.shares() @ (prices * excesses))
            if gap < 0.1 * tolerance:
                break
            if gap > 0.25 * before:
                program.dearness = min(program.dearness * 3.0, 1e4)
            before = gap
    return z, gap, iterations
