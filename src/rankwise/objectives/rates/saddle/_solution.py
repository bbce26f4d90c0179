"""What a solver of a rate objective comes to: the best model it tried, and the highest bound that was proved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankwise.objectives.rates.saddle._dual_bound import Slopes, dual_bound, trivial_bound
from rankwise.objectives.rates.saddle._linear_problem import Coefficients, LinearProblem
from rankwise.types import FloatArray


@dataclass(frozen=True, eq=False)
class Candidate:
    """Weights to try, and the ingredients of a bound."""

    weights: FloatArray
    multipliers: FloatArray
    coefficients: Coefficients
    slopes: Slopes
    iterations: int


@dataclass(frozen=True, eq=False)
class Solution:
    """The best weights and thresholds, and the multipliers of the highest bound."""

    weights: FloatArray
    thresholds: FloatArray
    multipliers: FloatArray
    gap: float
    iterations: int


def best_of(problem: LinearProblem, candidates: Iterable[Candidate], tolerance: float) -> Solution:
    """Try candidates until the best value and the highest bound are within the tolerance."""
    weights, multipliers, iterations = problem.penalty.start, problem.saddle.multipliers, 0
    thresholds = problem.best_thresholds(weights)
    value, bound = problem.value(weights, thresholds), trivial_bound(problem)
    for candidate in candidates:
        iterations = candidate.iterations
        at = problem.best_thresholds(candidate.weights)
        tried = problem.value(candidate.weights, at)
        if tried < value:
            value, weights, thresholds = tried, candidate.weights, at
        if problem.loss.is_convex:
            proved = dual_bound(problem, candidate.coefficients, candidate.multipliers, candidate.slopes, value)
            if proved > bound:
                bound, multipliers = proved, candidate.multipliers
        else:
            multipliers = candidate.multipliers
        if value - bound <= tolerance:
            break
    return Solution(weights, thresholds, multipliers, max(value - bound, 0.0), iterations)
