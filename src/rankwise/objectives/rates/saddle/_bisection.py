"""Eban 2017 (7): for a fixed λ a rate objective is a weighted SVM, and the one λ of a point is found by bisection.

The excess of the best model falls as λ rises. Between the two ends of the last bracket, one in excess and one not, the
mean that just meets the constraint is a model as good as either, as all is convex.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwise.objectives.rates.saddle._augmented_lagrangian import CORNERS, Lagrangian
from rankwise.objectives.rates.saddle._linear_problem import LinearProblem
from rankwise.objectives.rates.saddle._newton import newton
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER
from rankwise.objectives.rates.saddle._solution import Candidate
from rankwise.types import FloatArray

HALVINGS = 30


def candidates(problem: LinearProblem) -> Iterator[Candidate]:
    """One for each corner, from a bracket of λ that is as narrow as numbers allow."""
    lagrangian = Lagrangian(problem, np.zeros(1))
    lagrangian.rho, steps = 0.0, 0
    z = np.append(problem.penalty.start, problem.saddle.thresholds)

    def solve(multiplier: float) -> tuple[FloatArray, float]:
        """The weighted SVM of a multiplier, and its excess."""
        nonlocal z, steps
        lagrangian.multipliers = np.array([multiplier])
        z, n_steps = newton(lagrangian.value, lagrangian.curved, z)
        steps += n_steps
        return z, float(lagrangian.coefficients.excesses(*lagrangian.counts(z))[0])

    for corner in CORNERS:
        lagrangian.loss = problem.loss.rounded(corner)
        low, high = 0.0, MAX_MULTIPLIER
        above, excess = solve(low)
        below, slack = (above, excess) if excess <= 0.0 else solve(high)
        is_between = slack <= 0.0 < excess
        for _ in range(HALVINGS if is_between else 0):
            middle = 0.5 * (low + high)
            found, at = solve(middle)
            if at > 0.0:
                low, above, excess = middle, found, at
            else:
                high, below, slack = middle, found, at
        share = excess / (excess - slack) if is_between else 1.0  # of the end that is not in excess
        weights, _ = lagrangian.unpack(share * below + (1.0 - share) * above)
        multipliers = np.array([high if excess > 0.0 else low])
        slopes = problem.falls(*lagrangian.unpack(below), lagrangian.loss)
        yield Candidate(weights, multipliers, lagrangian.coefficients, slopes, steps)
