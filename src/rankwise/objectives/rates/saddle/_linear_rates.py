"""Linear models for rate objectives, on all rows at once, each with a proof of how good it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_numbers, as_vector
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates.saddle import _augmented_lagrangian, _bisection, _linear_programs
from rankwise.objectives.rates.saddle._linear_problem import LinearProblem, Penalty
from rankwise.objectives.rates.saddle._saddle import MIN_SPLIT, SaddlePoint
from rankwise.objectives.rates.saddle._solution import best_of
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import FloatArray

ROUNDING = 1e-12  # an excess below it is none
DEFAULT_L2 = 1e-6
METHODS = {
    "lagrangian": _augmented_lagrangian.candidates,
    "bisection": _bisection.candidates,
    "lp": _linear_programs.candidates,
}


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
        No model has a value (costs, 100 times what is in excess, and penalties) that is lower by more than this. It is
        proved by a bound of convex duality, however the solver fared; little is proved for a surrogate that is not
        convex and for sums with F-beta, and for F-beta a part of the penalty is lost.
    violation : float
        The largest excess, in shares of the positives: not 0 where no model was found that has none.
    iterations : int
        Steps of Newton's method, or of HiGHS.
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


def linear_rates(
    objective: str | Metric | RateObjective,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    surrogate: str | Surrogate = "hinge",
    method: str = "lagrangian",
    l2: float | None = None,
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
    method : {"lagrangian", "bisection", "lp"}, default="lagrangian"
        How it is solved: any objective and surrogate by an augmented Lagrangian; one point (`r@p`, `p@r`, `tpr@fpr`)
        under a convex surrogate by bisection for its multiplier, each step a weighted SVM (Eban 2017 (7)); all but
        sums with F-beta under the hinge as one linear program by HiGHS (Eban 2017 (5), (12), (13)), for some thousands
        of rows.
    l2 : float, optional
        Penalty of the squared weights: 1e-6 by default, and none in a linear program.
    start : array-like of shape (n_features,), optional
        The first weights; 0 by default.
    proximal : float, default=0.0
        Penalty of the squared distance from the start.
    share : float, optional
        The share of positives, where it is not that of the rows.
    tolerance : float, default=1e-3
        The gap at which the solver may stop. It changes nothing else, so a lower one never gives a worse model.

    Returns
    -------
    LinearRates
        The model, and how well it solves its program.

    Raises
    ------
    DataError
        If the method does not have the objective, the surrogate or the penalty.

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous and Elidan (2017), Scalable Learning of Non-Decomposable Objectives, AISTATS.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(200) < 0.3
    >>> X = rng.normal(size=(200, 3)) + 2.0 * y[:, None]
    >>> solutions = [linear_rates("r@p=0.9", X, y, method=method) for method in ("lagrangian", "bisection", "lp")]
    >>> bool(max(one.gap for one in solutions) <= 1e-3)
    True
    >>> bool(np.ptp([one.costs[0] for one in solutions]) <= 1e-3)
    True
    """
    rows, labels = np.ascontiguousarray(as_numbers("X", X)), as_vector("labels", y)
    if rows.ndim != 2 or rows.shape[0] != labels.size:
        raise ShapeError(f"X must have one row for each of {labels.size} labels, got the shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise DataError("a linear model needs finite features, got some that are not; fill in what is missing")
    first = np.zeros(rows.shape[1]) if start is None else np.array(as_numbers("start", start))
    if first.shape != (rows.shape[1],):
        raise ShapeError(f"start must have one weight per feature: got the shape {first.shape} for {rows.shape[1]}")
    saddle = SaddlePoint(objective, labels, sample_weight, surrogate=surrogate, share=share).start(rows @ first)
    if l2 is None:
        l2 = 0.0 if method == "lp" else DEFAULT_L2
    problem = LinearProblem(saddle, rows, Penalty(l2, proximal, first))
    _check_method(method, problem)
    candidate = best_of(problem, METHODS[method](problem), tolerance)
    saddle.thresholds = candidate.thresholds
    scores = rows @ candidate.weights
    saddle.splits = np.maximum(1.0 - saddle.counts(scores).missed, MIN_SPLIT)
    at = saddle.gradients(scores)
    violation = float(np.max(at.excesses))
    return LinearRates(
        candidate.weights,
        candidate.thresholds,
        candidate.multipliers,
        saddle.levels,
        at.costs,
        at.excesses,
        bound=saddle.bound(at),
        gap=candidate.gap,
        violation=violation if violation > ROUNDING else 0.0,
        iterations=candidate.iterations,
        converged=candidate.gap <= tolerance,
    )


def _check_method(method: str, problem: LinearProblem) -> None:
    """DataError if the method does not have the problem."""
    objective, loss = problem.objective, problem.loss
    if method not in METHODS:
        raise DataError(f"method must be one of {', '.join(METHODS)}, got {method!r}; lagrangian is the default")
    if method == "bisection" and (objective.size > 1 or problem.is_fraction.any() or not loss.is_convex):
        raise DataError(
            f"bisection is for one point (r@p, p@r, tpr@fpr) under a convex surrogate, got {objective} under {loss}; "
            "take method='lagrangian'"
        )
    is_program = loss.name == "hinge" and not (objective.size > 1 and problem.is_fraction.any())
    if method == "lp" and not (is_program and problem.penalty.curvature == 0.0):
        raise DataError(
            "a linear program is for the hinge, without squared penalties and without sums with F-beta, got "
            f"{objective} under {loss} with l2 = {problem.penalty.l2:g} and proximal = {problem.penalty.proximal:g}; "
            "take method='lagrangian'"
        )
