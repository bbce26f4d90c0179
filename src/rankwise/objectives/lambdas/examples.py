"""The λ-functions that Burges 2006 tried (section 6.2), for `CustomLambda` and as patterns for your own.

All are forces between pairs of documents with different labels: what pushes the better one up pushes the other
down by as much (Newton's third law, Burges 2006 section 4), so the λ's of a query sum to zero. They differ in how the
force depends on the gap s_i − s_j, i the better document, in whether it is scaled by the NDCG that exchanging
the two would gain, and in whether pairs far apart in rank count. The paper names the springs, steps and neighbours
without formulas: what was decided here stands with each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numba
import numpy as np

from rankwise.errors import DataError
from rankwise.kernels._compile import kernel
from rankwise.metrics.catalogue._dcg import graded_gain, log_discount
from rankwise.objectives.lambdas._custom import LambdaFunction
from rankwise.objectives.lambdas._objective import check_positive
from rankwise.types import FloatArray

Force = Callable[[float, float], tuple[float, float]]

__all__ = ["ndcg_ranknet", "nearest_neighbours", "pair_forces", "ranknet", "springs", "step_potentials"]

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
