"""The λ-functions that Burges 2006 tried (section 6.2), for `CustomLambda` and as patterns for your own.

Most are forces between pairs of documents with different labels: what pushes the better one up pushes the other
down by as much (Newton's third law, Burges 2006 section 4), so the λ's of a query sum to zero. They differ in how the
force depends on the gap s_i − s_j, i the better document, in whether it is scaled by the NDCG that exchanging
the two would gain, and in whether pairs far apart in rank count. `finite_differences` estimates the gradient of NDCG
document by document; `regularized` makes the cost behind any λ-function more convex. The paper names the springs,
steps, neighbours and differences without formulas: what was decided here stands with each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numba
import numpy as np
from numba.extending import is_jitted

from rankwise.errors import DataError
from rankwise.kernels._compile import kernel
from rankwise.metrics.catalogue._dcg import graded_gain, log_discount
from rankwise.objectives.lambdas._custom import LambdaFunction
from rankwise.objectives.lambdas._objective import check_positive
from rankwise.types import FloatArray

Force = Callable[[float, float], tuple[float, float]]

__all__ = [
    "finite_differences",
    "ndcg_ranknet",
    "nearest_neighbours",
    "pair_forces",
    "ranknet",
    "regularized",
    "springs",
    "step_potentials",
]

REMEDY = "1 suits scores of the size of the labels"
WHOLE_LIST = np.iinfo(np.int64).max // 2
TINY = np.finfo(np.float64).tiny  # instead of a best DCG of 0: nothing is relevant then, and no pair differs

compiled = numba.njit(error_model="numpy")  # e^x may overflow to infinity, and the force is then 0


@kernel
def _ndcg_factors(labels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gains over the best DCG, and discounts: exchanging i and j changes NDCG by the product of their differences."""
    gain, discount = graded_gain(labels, False), log_discount(labels.size)
    return gain / max(np.sum(np.sort(gain)[::-1] * discount), TINY), discount


def pair_forces(force: Force, *, ndcg: bool = False, reach: int = WHOLE_LIST) -> LambdaFunction:
    """Make the λ-function in which pairs of documents with different labels push each other apart.

    Parameters
    ----------
    force : callable
        A numba function `force(gap, grades)`: `gap` is the score of the better document minus that of the other,
        `grades` the difference of their labels; it returns the push and how fast that falls as the gap grows.
    ndcg : bool, default=False
        Multiply both by the change of NDCG if the two were exchanged.
    reach : int, default=WHOLE_LIST
        Pairs further apart in rank do not push.

    Returns
    -------
    callable
        For `CustomLambda` and `diagnose`.
    """

    @compiled
    def lambda_function(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        n = labels.size
        lambdas, hessian = np.zeros(n), np.zeros(n)
        gain, discount = _ndcg_factors(labels)
        for i in range(n):
            for j in range(i + 1, min(n, i + reach + 1)):
                if labels[i] == labels[j]:
                    continue
                better, worse = (i, j) if labels[i] > labels[j] else (j, i)
                push, bend = force(scores[better] - scores[worse], labels[better] - labels[worse])
                if ndcg:  # Burges 2006 (9): N · (2^{l_i} − 2^{l_j}) · (1/log(1 + i) − 1/log(1 + j))
                    delta = (gain[better] - gain[worse]) * (discount[i] - discount[j])
                    push, bend = delta * push, delta * bend
                lambdas[better] += push
                lambdas[worse] -= push
                hessian[better] += bend
                hessian[worse] += bend
        return lambdas, hessian

    return lambda_function


@compiled
def _cross_entropy(gap: float, grades: float) -> tuple[float, float]:
    """−∂C/∂s_i of Burges 2006 (8): C = s_j − s_i + log(1 + e^{s_i − s_j})."""
    miss = 1.0 / (1.0 + np.exp(gap))
    return miss, miss * (1.0 - miss)


# RankNet, Burges 2006 (7) and (8): λ_i = Σ_j ±1/(1 + e^{s_i − s_j}) over all pairs of different labels.
ranknet = pair_forces(_cross_entropy)

# LambdaRank, Burges 2006 (9): the same times the NDCG gained by exchanging the two, as `lambda_gradients("ndcg")`.
ndcg_ranknet = pair_forces(_cross_entropy, ndcg=True)


@cache  # compiling takes a second
def springs(stiffness: float = 1.0, length: float = 1.0) -> LambdaFunction:
    """Put springs between documents of different labels (Burges 2006 section 4: λ's linear in the scores).

    Hooke's law, compressed or extended alike: push = stiffness · (rest − (s_i − s_j)). Decided here: a spring's rest is
    `length` times the difference of labels, so that all are at rest together when scores are `length` · label.

    Parameters
    ----------
    stiffness : float, default=1.0
        Push per unit of score.
    length : float, default=1.0
        Scores that neighbouring labels are apart at rest.

    Returns
    -------
    callable
        For `CustomLambda` and `diagnose`.
    """
    check_positive("stiffness", stiffness, REMEDY)
    check_positive("length", length, REMEDY)

    @compiled
    def hooke(gap: float, grades: float) -> tuple[float, float]:
        return stiffness * (length * grades - gap), stiffness

    return pair_forces(hooke)


@cache
def step_potentials(margin: float = 1.0) -> LambdaFunction:
    """Push in steps proportional to the NDCG gained by exchanging the pair, with a margin (Burges 2006 section 6.2).

    Decided here: the step is in the force, |ΔNDCG| until the better document leads by `margin`, and none beyond (a step
    in the potential would have no force but at one point). Its cost, |ΔNDCG| · max(0, margin − gap), has no curvature;
    the Hessian returned is |ΔNDCG|/margin where the force acts, which makes a Newton step on one pair a margin long.

    Parameters
    ----------
    margin : float, default=1.0
        The lead from which a pair does not push.

    Returns
    -------
    callable
        For `CustomLambda` and `diagnose`.
    """
    check_positive("margin", margin, REMEDY)

    @compiled
    def step(gap: float, grades: float) -> tuple[float, float]:
        acts = 1.0 if gap < margin else 0.0
        return acts, acts / margin

    return pair_forces(step, ndcg=True)


@cache
def nearest_neighbours(reach: int = 1) -> LambdaFunction:
    """Push only neighbours in the sorted list (Burges 2006 section 6.2).

    Decided here: neighbours are at most `reach` ranks apart, and the force between them is Burges 2006 (9).

    Parameters
    ----------
    reach : int, default=1
        Ranks that neighbours are apart at most.

    Returns
    -------
    callable
        For `CustomLambda` and `diagnose`.
    """
    if not isinstance(reach, int) or reach < 1:
        raise DataError(f"reach must be a whole number of at least 1, got {reach!r}; 1 is the next document in rank")
    return pair_forces(_cross_entropy, ndcg=True, reach=reach)


@cache
def finite_differences(step: float = 1.0) -> LambdaFunction:
    """Estimate the gradient of NDCG by finite differences (Burges 2006 section 6.2).

    Decided here: differences are central and of one document at a time, (NDCG with s_i + step − NDCG with s_i − step) /
    (2 · step), the moved document passing those less than `step` away. NDCG does not change with the mean score, so its
    gradient would sum to zero: the mean of the differences is subtracted. They are constant between jumps and say
    nothing of the curvature; the Hessian returned is |λ|/step, which makes a Newton step on one document a step long.

    Parameters
    ----------
    step : float, default=1.0
        How far a score is moved, up and down: what is further away does not count.

    Returns
    -------
    callable
        For `CustomLambda` and `diagnose`.
    """
    check_positive("step", step, REMEDY)

    @compiled
    def lambda_function(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        n = labels.size
        lambdas = np.zeros(n)
        gain, discount = _ndcg_factors(labels)
        for i in range(n):
            above = i  # documents that i passes on its way up each fall by one rank, and on its way down rise by one
            while above > 0 and scores[above - 1] < scores[i] + step:
                above -= 1
                lambdas[i] += gain[above] * (discount[above + 1] - discount[above])
            below = i
            while below < n - 1 and scores[below + 1] > scores[i] - step:
                below += 1
                lambdas[i] -= gain[below] * (discount[below - 1] - discount[below])
            lambdas[i] += gain[i] * (discount[above] - discount[below])
        lambdas = (lambdas - lambdas.mean()) / (2.0 * step)
        return lambdas, np.abs(lambdas) / step

    return lambda_function


@cache
def regularized(lambda_function: LambdaFunction, alpha: float = 1.0) -> LambdaFunction:
    """Draw every score to zero, which makes the cost behind a λ-function more convex (Burges 2006 section 4).

    λ_j becomes λ_j − α·s_j: α is added to every eigenvalue of the Hessian of the cost, so that a large enough α makes
    any cost convex whose curvature is bounded. (The paper prints λ_j + α·s_j; with its own (3), λ = −∂C/∂s, that would
    take α away.) The λ's then sum to −α·Σs instead of zero: the mean score goes to zero, which no ranking depends on.

    Parameters
    ----------
    lambda_function : callable
        A λ-function as `CustomLambda` takes it; the result is compiled if it is.
    alpha : float, default=1.0
        Pull per unit of score.

    Returns
    -------
    callable
        For `CustomLambda` and `diagnose`.
    """
    check_positive("alpha", alpha, "start below 1 and raise it until diagnose finds the cost convex")

    def pulled(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        lambdas, hessian = lambda_function(labels, scores)
        return np.asarray(lambdas) - alpha * scores, np.asarray(hessian) + alpha

    return compiled(pulled) if is_jitted(lambda_function) else pulled
