"""Rate objectives of linear models under the hinge as linear programs, by HiGHS: Eban 2017 (5), its sums over anchors
(12), and (13) for F_β.

Unknowns are w, b_t, a slack ξ_ti for each row and anchor, and what is in excess, e_t:

    min Σ_t Δ_t (cost_t(ξ) + MAX_MULTIPLIER e_t)
    s.t. excess_t(ξ) <= e_t,   y_i (x_i·w − b_t) + ξ_ti >= 1,   ξ, e >= 0

For F_β (13) all are multiplied by ε = 1/D, which is an unknown too, so that the fraction N/D becomes linear.
The multipliers of the rows' constraints are the slopes that prove a bound (`_dual_bound.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from rankwise.errors import DataError
from rankwise.objectives.rates.saddle._bounded_counts import SIGNS
from rankwise.objectives.rates.saddle._linear_problem import LinearProblem
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER
from rankwise.objectives.rates.saddle._solution import Candidate
from rankwise.types import FloatArray

hstack: Any = sp.hstack  # whose stubs do not know mixed blocks
vstack: Any = sp.vstack


def candidates(problem: LinearProblem) -> Iterator[Candidate]:
    """The solution alone."""
    yield _fraction(problem) if problem.is_fraction.any() else _points(problem)


def _margins(problem: LinearProblem) -> Any:
    """−y (x·w − b_t) − ξ_ti of all anchors, positives first: what must be at most −1, by w, b and ξ."""
    size, blocks = problem.objective.size, []
    for sign, (X, _) in zip(SIGNS, problem.sides, strict=True):
        thresholds = sp.kron(sp.eye(size), np.full((len(X), 1), sign))
        blocks.append(hstack([sp.csr_matrix(np.tile(-sign * X, (size, 1))), thresholds]))
    made = vstack(blocks)
    return hstack([made, -sp.eye(made.shape[0])], format="csr")


def _solve(costs: FloatArray, n_free: int, **constraints: Any) -> Any:
    bounds = [(None, None)] * n_free + [(0.0, None)] * (costs.size - n_free)
    solver: Any = linprog  # whose stubs know no sparse matrices
    solution = solver(costs, bounds=bounds, method="highs", **constraints)
    if solution.status != 0:
        raise DataError(f"HiGHS gave the linear program up: {solution.message}; take method='lagrangian'")
    return solution


def _points(problem: LinearProblem) -> Candidate:
    """Eban 2017 (5), (9), (12)."""
    size, n_features = problem.objective.size, problem.X.shape[1]
    coefficients = problem.coefficients(np.zeros((2, size)))
    margins = _margins(problem)
    weights = [np.tile(weight, size) for _, weight in problem.sides]  # of the slacks, an anchor after the other
    anchors = [np.repeat(np.arange(size), len(X)) for X, _ in problem.sides]
    _, *by_count = problem.shares * coefficients.cost
    costs = np.concatenate(
        [
            np.zeros(n_features + size),
            *(by[anchor] * weight for by, anchor, weight in zip(by_count, anchors, weights, strict=True)),
            MAX_MULTIPLIER * problem.shares,
        ]
    )
    constant, *by_count = coefficients.excess
    excess = hstack(
        [
            sp.csr_matrix((size, n_features + size)),
            *(
                sp.csr_matrix((by[anchor] * weight, (anchor, np.arange(anchor.size))), shape=(size, anchor.size))
                for by, anchor, weight in zip(by_count, anchors, weights, strict=True)
            ),
            -sp.eye(size),
        ]
    )
    solution = _solve(
        costs,
        n_features + size,
        A_ub=vstack([hstack([margins, sp.csr_matrix((margins.shape[0], size))]), excess], format="csr"),
        b_ub=np.concatenate([-np.ones(margins.shape[0]), -constant]),
    )
    pulls = -solution.ineqlin.marginals
    multipliers = np.clip(pulls[margins.shape[0] :] / problem.shares, 0.0, MAX_MULTIPLIER)
    prices = problem.shares * coefficients.weights(multipliers)[1:]
    slopes = _slopes(problem, pulls[: margins.shape[0]], prices)
    return Candidate(solution.x[:n_features], multipliers, coefficients, slopes, int(solution.nit))


def _fraction(problem: LinearProblem) -> Candidate:
    """Eban 2017 (13); τ_i there is ε − ξ_i here, and the bias is −b."""
    n_features = problem.X.shape[1]
    margins = _margins(problem)
    positives, negatives = (weight for _, weight in problem.sides)
    zeros = np.zeros(n_features + 1)
    beta_squared = float(problem.saddle.levels[0] ** 2)
    solution = _solve(
        np.concatenate([zeros, np.zeros(positives.size), negatives, [beta_squared]]),
        n_features + 1,
        A_ub=hstack([margins, np.ones((margins.shape[0], 1))], format="csr"),
        b_ub=np.zeros(margins.shape[0]),
        A_eq=np.concatenate([zeros, -positives, np.zeros(negatives.size), [1.0]])[None, :],
        b_eq=np.ones(1),
    )
    scale = solution.x[-1]
    w, b = solution.x[:n_features] / scale, solution.x[n_features : n_features + 1] / scale
    coefficients = problem.coefficients(problem.counts(w, b, problem.loss))
    slopes = _slopes(problem, -solution.ineqlin.marginals, np.array([[solution.eqlin.marginals[0]], [1.0]]))
    return Candidate(w, coefficients.cost[1], coefficients, slopes, int(solution.nit))


def _slopes(problem: LinearProblem, pulls: FloatArray, prices: FloatArray) -> list[FloatArray]:
    """Multipliers of the rows' constraints over what a loss costs there: −ℓ′, of positives and of negatives."""
    size = problem.objective.size
    n_positives = len(problem.sides[0][1])
    parts = np.split(pulls, [n_positives * size])
    made = []
    for part, (_, weight), price in zip(parts, problem.sides, prices, strict=True):
        full = weight[:, None] * price
        by_anchor = part.reshape(size, -1).T
        made.append(np.clip(np.divide(by_anchor, full, out=np.zeros(full.shape), where=full > 0.0), 0.0, 1.0))
    return made
