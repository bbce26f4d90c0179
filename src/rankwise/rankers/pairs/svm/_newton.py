"""Newton's method for ½|w|² + C · loss: steps by conjugate gradients, and a line search that needs no product with X.

Chapelle & Keerthi (2010) and Lee & Lin (2014): the second derivatives of pairs are never formed; they are applied to a
direction in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankwise.rankers.pairs.svm._linear import LinearRows
from rankwise.rankers.pairs.svm._pairs import Pairs, Place
from rankwise.types import FloatArray

MOST_PRODUCTS = 250  # of second derivatives with a direction, in one step
TRIALS = 60  # lengths of a step
ROUNDING = 1e-12  # of C, the objective of zero weights


@dataclass(frozen=True, eq=False)
class Problem:
    """Which ½|w|² + C · loss is to be least."""

    rows: LinearRows
    pairs: Pairs
    C: float
    width: float | None  # over which the hinge is rounded; None: the squared hinge

    def at(self, w: FloatArray, scores: FloatArray) -> Iterate:
        """The objective at these weights, whose scores are known."""
        place = self.pairs.at(scores, self.width)
        gradient = w + self.C * self.rows.sums(place.slope)
        return Iterate(w, scores, place, 0.5 * dot(w, w) + self.C * place.loss, gradient)

    def bend(self, at: Iterate, direction: FloatArray) -> FloatArray:
        """The matrix of second derivatives times a direction."""
        return direction + self.C * self.rows.sums(at.place.bend(self.rows.scores(direction)))


@dataclass(frozen=True, eq=False)
class Iterate:
    """Weights, their scores, and the objective there."""

    w: FloatArray
    scores: FloatArray
    place: Place
    objective: float
    gradient: FloatArray

    @property
    def steepness(self) -> float:
        """The length of the gradient."""
        return float(np.sqrt(dot(self.gradient, self.gradient)))


def dot(a: FloatArray, b: FloatArray) -> float:
    """The product of two vectors, added up in the same order whatever the number of threads."""
    return float((a * b).sum())


def descend(problem: Problem, at: Iterate) -> Iterator[Iterate]:
    """This place, and then one better after another until rounding allows none."""
    first = at.steepness
    following: Iterate | None = at
    while following is not None:
        at = following
        yield at
        if at.steepness == 0.0:
            return
        direction = _newton_direction(problem, at, min(0.1, np.sqrt(at.steepness / first)) * at.steepness)
        following = _line_search(problem, at, direction)


def _newton_direction(problem: Problem, at: Iterate, enough: float) -> FloatArray:
    """Minus the gradient over the second derivatives, until what is left of the gradient is small enough."""
    left = -at.gradient
    found, along, size = np.zeros_like(left), left.copy(), dot(left, left)
    for _ in range(MOST_PRODUCTS):
        bent = problem.bend(at, along)
        length = size / dot(along, bent)
        found += length * along
        left -= length * bent
        before, size = size, dot(left, left)
        if np.sqrt(size) <= enough:
            break
        along = left + size / before * along
    return found


def _line_search(problem: Problem, at: Iterate, direction: FloatArray) -> Iterate | None:
    """Go down until half of the slope is left or less; None if nothing on the way is better.

    Where the objective is better by less than its rounding, the gradient tells.
    """
    moved = problem.rows.scores(direction)
    square, product = dot(direction, direction), dot(at.w, direction)
    slope = dot(at.gradient, direction)
    low, high, slope_low, slope_high, length = 0.0, np.inf, slope, np.inf, 1.0
    for trial in range(TRIALS):
        scores, w = at.scores + length * moved, at.w + length * direction
        place = problem.pairs.at(scores, problem.width)
        objective = 0.5 * dot(w, w) + problem.C * place.loss
        here = product + length * square + problem.C * dot(place.slope, moved)
        if objective < at.objective + ROUNDING * problem.C and abs(here) <= 0.5 * abs(slope):
            found = Iterate(w, scores, place, objective, w + problem.C * problem.rows.sums(place.slope))
            if objective < at.objective or found.steepness < 0.5 * at.steepness:
                return found
        if here < 0.0:
            low, slope_low = length, here
        else:
            high, slope_high = length, here
        if high == np.inf:
            length *= 2.0
        elif trial % 2:  # by false position in turn with halves: the slope may jump
            length = 0.5 * (low + high)
        else:
            length = low + (high - low) * slope_low / (slope_low - slope_high)
    return None
