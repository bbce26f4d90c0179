"""A lower bound of a rate objective of scores X·w that holds whatever optimizer found its ingredients.

A convex loss lies above its tangents, ℓ(m) >= tangent(a) − a·m for each of its slopes −a. So for any a_ti of rows i at
anchors t, and any λ between 0 and MAX_MULTIPLIER,

    Σ_t Δ_t (cost_t + λ_t excess_t) >= constant + Σ_ti c_ti tangent(a_ti) − v·w + Σ_t u_t b_t

with v = Σ_ti c_ti a_ti y_i x_i and u_t = Σ_i c_ti a_ti y_i. Scaling the larger side of each anchor down makes every u_t
0; then the right side and a penalty of w have their lowest value in closed form, which is below every model's.

F_β is a fraction, N/D with N = β² + L− and D = 1 − L+. For a model with D = ψ/s the same inequality holds with c
multiplied by s, and its right side is concave in s: so the lower of its values at the ends of the range that s can have
is below every model. As N >= β², a model better than a known value V has β²/V <= D <= 1.
"""

from __future__ import annotations

import numpy as np

from rankwise.objectives.rates.saddle._bounded_counts import SIGNS
from rankwise.objectives.rates.saddle._linear_problem import Coefficients, LinearProblem
from rankwise.objectives.rates.saddle._saddle import MIN_SPLIT
from rankwise.types import FloatArray

MAX_WEIGHT = 1e6  # without a penalty, the bound is one of models whose weights are no larger

Slopes = list[FloatArray]  # a_ti >= 0 of the positives, and of the negatives


def trivial_bound(problem: LinearProblem) -> float:
    """No cost is below 0, and that of F_β not below β²."""
    return float(problem.shares @ np.where(problem.is_fraction, problem.saddle.levels**2, 0.0))


def dual_bound(
    problem: LinearProblem, coefficients: Coefficients, multipliers: FloatArray, slopes: Slopes, value: float
) -> float:
    """The bound by these slopes and multipliers; `value` is that of a known model."""
    if problem.is_fraction.any() and problem.objective.size > 1:
        return trivial_bound(problem)  # a sum of fractions, or of a fraction and others, is not even quasi-convex
    constant, *prices = problem.shares * coefficients.weights(multipliers)
    weighted = [
        price * weight[:, None] * slope for price, (_, weight), slope in zip(prices, problem.sides, slopes, strict=True)
    ]
    totals = [side.sum(0) for side in weighted]
    least = np.minimum(*totals)
    scales = [np.divide(least, total, out=np.zeros(total.size), where=total > 0.0) for total in totals]
    tangents, pull = 0.0, np.zeros(problem.X.shape[1])
    for sign, (X, weight), price, slope, scale in zip(SIGNS, problem.sides, prices, slopes, scales, strict=True):
        scaled = scale * slope
        tangents += float(weight @ problem.loss.tangent(-scaled) @ price)
        pull += sign * (X.T @ (weight[:, None] * scaled)) @ price
    if not problem.is_fraction.any():
        return float(constant.sum()) + tangents + _lowest(problem, pull)
    return _fraction_bound(problem, coefficients, tangents, pull, value)


def _lowest(problem: LinearProblem, pull: FloatArray) -> float:
    """The least of penalty(w) − pull·w."""
    penalty = problem.penalty
    if penalty.curvature == 0.0:
        return -MAX_WEIGHT * float(np.abs(pull).sum())
    target = pull + penalty.proximal * penalty.start
    constant = 0.5 * penalty.proximal * penalty.start @ penalty.start
    return float(constant - 0.5 * target @ target / penalty.curvature)


def _fraction_bound(
    problem: LinearProblem, coefficients: Coefficients, tangents: float, pull: FloatArray, value: float
) -> float:
    """The lower of the values at the ends of the range of s."""
    (share,), beta_squared = problem.shares, float(problem.saddle.levels[0] ** 2)
    multiplier, split = coefficients.cost[1, 0], 1.0 / coefficients.cost[2, 0]
    per_split = share * (beta_squared / split - multiplier)
    least_split = max(share * beta_squared / value, MIN_SPLIT)
    ends = [
        share * multiplier * split + s * (per_split + tangents) + _lowest(problem, s * pull)
        for s in (split, split / least_split)
    ]
    return float(min(*ends, value))
