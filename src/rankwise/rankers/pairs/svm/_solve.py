"""The least of ½|w|² + C · loss over pairs, step by step, each with a bound on how far it is from the least.

The bound is the duality gap. Every pair has a dual variable α from 0 to (for the hinge) C·ω; any choice of them bounds
the objective from below, by Σα − ½|Σ α (x_i − x_j)|² for the hinge, less Σ α²/4Cω for the squared hinge. We take those
that belong to the slope of the loss, with which Σ α (x_i − x_j) is w less the gradient. For the squared hinge the gap
is then half the square of the gradient's length.

The hinge is not smooth. It is rounded over a width that falls until the gap is small enough: rounding costs at most
what lies in the width, and among many pairs this falls by the square of it, so that few widths suffice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankwise.rankers.pairs.svm._linear import LinearRows
from rankwise.rankers.pairs.svm._newton import Problem, descend, dot
from rankwise.rankers.pairs.svm._pairs import Pairs
from rankwise.rankers.pairs.svm._stretch import stretch
from rankwise.types import FloatArray

Loss = Literal["hinge", "squared_hinge"]
ROUNDING = 1e-12  # of C, below which differences of objectives say nothing
NARROWEST = 1e-8  # of which sums over pairs are still exact enough
SHRINK_LEAST, SHRINK_MOST = 0.5, 0.1  # the next width over the last
AIM = 0.4  # share of the gap allowed that the next width aims at
SETTLED = 0.3  # a width is done with when so much of its own share of the gap is left to its descent


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights, the scores that they give, their objective, and how much less it may be at the very best."""

    w: FloatArray
    scores: FloatArray
    objective: float
    gap: float

    def size(self, C: float) -> float:
        """What the gap is measured by: the objective, or how far it is below that of zero weights, C, if that is less.

        With a small C the objective is hardly below that of zero weights, and these would pass as solved.
        """
        return max(min(self.objective, C - self.objective), ROUNDING * C)


def solutions(
    rows: LinearRows, pairs: Pairs, C: float, loss: Loss, w: FloatArray, scores: FloatArray, tol: float
) -> Iterator[Solution]:
    """Better and better weights from these on, until the gap is small enough, or rounding allows nothing better."""
    found = _of_squared_hinge if loss == "squared_hinge" else _of_hinge
    for solution in found(rows, pairs, C, w, scores, tol):
        yield solution
        if solution.gap <= tol * solution.size(C):
            return


def _of_squared_hinge(
    rows: LinearRows, pairs: Pairs, C: float, w: FloatArray, scores: FloatArray, tol: float
) -> Iterator[Solution]:
    problem = Problem(rows, pairs, C, width=None)
    for at in descend(problem, problem.at(w, scores)):
        yield Solution(at.w, at.scores, at.objective, 0.5 * dot(at.gradient, at.gradient))


def _of_hinge(
    rows: LinearRows, pairs: Pairs, C: float, w: FloatArray, scores: FloatArray, tol: float
) -> Iterator[Solution]:
    width, bound = 1.0, -np.inf
    best = Solution(w, scores, np.inf, np.inf)
    while True:
        problem = Problem(rows, pairs, C, width)
        for at in descend(problem, problem.at(w, scores)):
            w, scores = at.w, at.scores
            objective, dual = 0.5 * dot(w, w) + C * at.place.hinge, w - at.gradient
            below = C * at.place.pull - 0.5 * dot(dual, dual)
            left, slop = 0.5 * at.steepness**2, C * at.place.slop
            rounding, bound = objective - below - left, max(bound, below - slop)
            settled = left <= SETTLED * rounding
            factor, objective = stretch(at, C, bound) if settled else (1.0, objective)
            if objective < best.objective:
                best = Solution(factor * w, factor * scores, objective, np.inf)
            best = replace(best, gap=best.objective - bound)
            yield best
            if settled:
                break
        if width <= NARROWEST or slop >= rounding:
            return
        wanted = float(np.sqrt(AIM * tol * best.size(C) / rounding))
        width = max(NARROWEST, width * min(SHRINK_LEAST, max(SHRINK_MOST, wanted)))
