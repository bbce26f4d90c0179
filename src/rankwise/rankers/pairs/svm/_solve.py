"""The minimum of ½|w|² + C · loss over pairs, step by step, each with a bound on how far it is from the minimum.

The bound is the duality gap. Every pair has a dual variable α from 0 to (for the hinge) C·ω; any choice of them bounds
the objective from below, by Σα − ½|Σ α (x_i − x_j)|² for the hinge, less Σ α²/4Cω for the squared hinge. We take those
that belong to the slope of the loss, with which Σ α (x_i − x_j) is w less the gradient. For the squared hinge the gap
is then half the square of the gradient's length.

The hinge is not smooth. It is rounded over a width that falls until the gap is small enough: rounding costs at most
what lies in the width, and among many pairs this falls by the square of it, so that few widths suffice.

Where all pairs can be told apart, rounding the hinge leaves the closest of them a little short of the margin, and a
large C makes much of it; longer weights cost next to nothing. So weights whose direction is found are scaled by the
best factor. Scaled scores have the same order, so that a factor is tried without a sort and without a product with X.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankwise.kernels.rows._products import dot
from rankwise.rankers.pairs.svm._newton import ROUNDING_SHARE, Iterate, LinearProblem, next_iterate
from rankwise.types import FloatArray

Loss = Literal["hinge", "squared_hinge"]
MIN_WIDTH = 1e-8  # for which sums over pairs are still exact enough
MAX_SHRINK, MIN_SHRINK = 0.5, 0.1  # the next width over the present one
TARGET_GAP_SHARE = 0.4  # of the gap allowed, at which the next width aims
DESCENT_GAP_SHARE = 0.3  # a width is finished when its descent leaves at most this share of the gap by its rounding
MAX_SCALE_TRIALS = 12
MIN_SCALE = 1e-9  # no weights can be worse than hardly any
SCALE_GAP_SHARE = 0.1  # of the gap: scales that can save no more are not searched for

Tangent = tuple[float, float]  # height at scale 0, and slope


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights, the scores that they give, their objective, and how much less it may be at the optimum."""

    w: FloatArray
    scores: FloatArray
    objective: float
    gap: float

    def gap_unit(self, C: float) -> float:
        """What the gap is relative to: the objective, or how far it is below that of zero weights, C, if that is less.

        With a small C the objective is hardly below that of zero weights, and these would pass as solved.
        """
        return max(min(self.objective, C - self.objective), ROUNDING_SHARE * C)


def solutions(problem: LinearProblem, loss: Loss, start: Solution, tol: float) -> Iterator[Solution]:
    """Better and better weights from these on, until the gap is small enough, or rounding allows nothing better."""
    solve = _solve_squared_hinge if loss == "squared_hinge" else _solve_hinge
    for solution in solve(problem, start, tol):
        yield solution
        if solution.gap <= tol * solution.gap_unit(problem.C):
            return


def _solve_squared_hinge(problem: LinearProblem, start: Solution, tol: float) -> Iterator[Solution]:
    begin = Iterate(problem, start.w, start.scores)
    at: Iterate | None = begin
    while at is not None:
        solution = Solution(at.w, at.scores, at.objective, 0.5 * at.steepness**2)
        yield solution
        at = next_iterate(at, begin.steepness, goal=np.sqrt(2.0 * tol * solution.gap_unit(problem.C)))


def _solve_hinge(problem: LinearProblem, start: Solution, tol: float) -> Iterator[Solution]:
    C, w, scores = problem.C, start.w, start.scores
    width, bound = 1.0, -np.inf
    best = Solution(w, scores, np.inf, np.inf)
    while True:
        begin = Iterate(replace(problem, width=width), w, scores)
        at: Iterate | None = begin
        finished = False
        while at is not None and not finished:
            w, scores = at.w, at.scores
            objective, dual = 0.5 * dot(w, w) + C * at.loss.hinge, w - at.gradient
            dual_value = C * at.loss.slope_sum - 0.5 * dot(dual, dual)
            of_descent, error = 0.5 * at.steepness**2, C * at.loss.slope_error
            of_rounding, bound = objective - dual_value - of_descent, max(bound, dual_value - error)
            finished = of_descent <= DESCENT_GAP_SHARE * of_rounding
            scale, objective = best_scale(at, C, bound) if finished else (1.0, objective)
            if objective < best.objective:
                best = Solution(scale * w, scale * scores, objective, np.inf)
            best = replace(best, gap=best.objective - bound)
            yield best
            if not finished:
                at = next_iterate(at, begin.steepness)
        if width <= MIN_WIDTH or error >= of_rounding:
            return
        shrink = float(np.sqrt(TARGET_GAP_SHARE * tol * best.gap_unit(C) / of_rounding))
        width = max(MIN_WIDTH, width * min(MAX_SHRINK, max(MIN_SHRINK, shrink)))


def best_scale(at: Iterate, C: float, bound: float) -> tuple[float, float]:
    """The scale that minimizes ½|scale·w|² + C · hinge, and that objective; `bound` is no more than any objective.

    The hinge is convex in the scale, so it lies above its tangents; the next scale is the best by the two tangents
    nearest to the minimum, one falling faster than the other.
    """
    square = dot(at.w, at.w)
    if square == 0.0:
        return 1.0, C * at.loss.hinge
    best, best_objective, scale = 1.0, np.inf, 1.0
    below: Tangent | None = None
    above: Tangent | None = None
    for _ in range(MAX_SCALE_TRIALS):
        hinge, slope = at.loss.hinge_at_scale(scale)
        objective = 0.5 * scale**2 * square + C * hinge
        if objective < best_objective:
            best, best_objective = scale, objective
        tangent = (hinge - scale * slope, slope)
        if scale * square + C * slope < 0.0:
            below = tangent
        else:
            above = tangent
        scale, lower_bound = _minimum_of_tangents(square, C, below, above)
        if best_objective - lower_bound <= SCALE_GAP_SHARE * (best_objective - bound):
            break
    return best, best_objective


def _minimum_of_tangents(square: float, C: float, below: Tangent | None, above: Tangent | None) -> tuple[float, float]:
    """Where ½ scale² · square + C · (the higher of two tangents) is lowest, and its value there."""
    tangents = [tangent for tangent in (below, above) if tangent is not None]
    scales = [-C * slope / square for _, slope in tangents]
    if below is not None and above is not None and above[1] > below[1]:
        scales.append((below[0] - above[0]) / (above[1] - below[1]))
    value, scale = min(
        (0.5 * scale**2 * square + C * max(height + scale * slope for height, slope in tangents), scale)
        for scale in (max(scale, MIN_SCALE) for scale in scales)
    )
    return scale, value
