"""Newton's method for ½|w|² + C · loss: steps by conjugate gradients, and a line search that needs no product with X.

Chapelle & Keerthi (2010) and Lee & Lin (2014): the second derivatives of pairs are never formed; they are applied to a
direction in linear time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.errors import DataError
from rankwise.kernels.rows._products import dot
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers.pairs._matrix import Matrix, canonical, matrix_times, times_matrix
from rankwise.rankers.pairs.svm._pair_loss import PairHinge
from rankwise.types import FloatArray

MAX_HESSIAN_PRODUCTS = 250  # per step
MAX_FEATURE = 1e70  # whose fourth power is a number, and so is one over it
MAX_LENGTHS = 60  # tried per step
GOAL_SHARE = 0.8  # of the steepness asked for, at which conjugate gradients aim
ROUNDING_SHARE = 1e-12  # of C, the objective of zero weights: less is rounding


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Rows x, whose scores are Σ_k w_k · scale_k · x_k; a feature of scale 0 never counts."""

    X: Matrix
    scale: FloatArray

    @classmethod
    def of(cls, X: Matrix, scale: FloatArray | None) -> LinearRows:
        """Rows on a scale, without a copy, or as they are."""
        X = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else canonical(X.astype(np.float64, copy=False))
        if scale is not None:
            return cls(X, scale)
        values = X if isinstance(X, np.ndarray) else X.data
        can_be_larger = float(np.finfo(values.dtype).max) > MAX_FEATURE  # in single precision nothing is
        largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0))) if can_be_larger else 0.0
        if largest > MAX_FEATURE:
            raise DataError(
                f"features that are not standardized must be at most {MAX_FEATURE:g}, got {largest:g}; scale them, "
                "or pass standardize=True"
            )
        return cls(X, np.ones(X.shape[1]))

    def scores(self, w: FloatArray) -> FloatArray:
        """The score of each row."""
        return matrix_times(self.X, self.scale * w)

    def sums(self, d: FloatArray) -> FloatArray:
        """The sum of all rows, each times its entry of d."""
        return np.asarray(self.scale * times_matrix(d, self.X))


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """Minimize ½|w|² + C · loss."""

    rows: LinearRows
    lists: PairLists
    C: float
    width: float | None = None  # over which the hinge is rounded; None: the squared hinge


class Iterate:
    """Weights, their scores, and the objective there."""

    def __init__(self, problem: LinearProblem, w: FloatArray, scores: FloatArray) -> None:
        self.problem, self.w, self.scores = problem, w, scores
        self.loss = PairHinge.of(problem.lists, scores, problem.width)
        self.objective = 0.5 * dot(w, w) + problem.C * self.loss.loss

    @cached_property
    def gradient(self) -> FloatArray:
        """The derivative of the objective by the weights."""
        return self.w + self.problem.C * self.problem.rows.sums(self.loss.gradient)

    @cached_property
    def steepness(self) -> float:
        """The length of the gradient."""
        return float(np.sqrt(dot(self.gradient, self.gradient)))

    def hessian_times(self, direction: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The matrix of second derivatives times a direction, and the scores that this gives."""
        rows = self.problem.rows
        scores = rows.scores(direction)
        return direction + self.problem.C * rows.sums(self.loss.hessian_times(scores)), scores


def next_iterate(at: Iterate, first: float, goal: float = 0.0) -> Iterate | None:
    """A better iterate, by a step of Newton's method; None if rounding allows none.

    `first` is the steepness where the descent began; one of `goal` is all that is asked for.
    """
    if at.steepness == 0.0:
        return None
    tol = max(min(0.1, np.sqrt(at.steepness / first)) * at.steepness, GOAL_SHARE * goal)
    return _line_search(at, *_newton_direction(at, tol))


def _newton_direction(at: Iterate, tol: float) -> tuple[FloatArray, FloatArray]:
    """Minus the gradient over the second derivatives, by conjugate gradients until the residual is small enough.

    With the scores that it gives.
    """
    residual = -at.gradient
    direction, along, square = np.zeros_like(residual), residual.copy(), dot(residual, residual)
    moved = np.zeros_like(at.scores)
    for _ in range(MAX_HESSIAN_PRODUCTS):
        product, scores = at.hessian_times(along)
        length = square / dot(along, product)
        direction += length * along
        moved += length * scores
        residual -= length * product
        before, square = square, dot(residual, residual)
        if np.sqrt(square) <= tol:
            break
        along = residual + square / before * along
    return direction, moved


def _line_search(at: Iterate, direction: FloatArray, moved: FloatArray) -> Iterate | None:
    """Go down until at most half of the slope is left; None if nothing on the way is better.

    Where the objective is better by less than its rounding, the gradient tells.
    """
    C = at.problem.C
    square, product = dot(direction, direction), dot(at.w, direction)
    first_slope = dot(at.gradient, direction)
    low, high, slope_low, slope_high, length = 0.0, np.inf, first_slope, np.inf, 1.0
    for trial in range(MAX_LENGTHS):
        iterate = Iterate(at.problem, at.w + length * direction, at.scores + length * moved)
        slope = product + length * square + C * dot(iterate.loss.gradient, moved)
        is_lower = iterate.objective < at.objective
        is_level = iterate.objective < at.objective + ROUNDING_SHARE * C
        if abs(slope) <= 0.5 * abs(first_slope) and (is_lower or (is_level and iterate.steepness < 0.5 * at.steepness)):
            return iterate
        if slope < 0.0:
            low, slope_low = length, slope
        else:
            high, slope_high = length, slope
        if high == np.inf:
            length *= 2.0
        elif trial % 2:  # by false position in turn with halves: the slope may jump
            length = 0.5 * (low + high)
        else:
            length = low + (high - low) * slope_low / (slope_low - slope_high)
    return None
