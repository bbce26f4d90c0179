"""Rate objectives of linear models by the augmented Lagrangian (Bertsekas 1982).

For fixed λ, Newton's method minimizes over w and b

    Σ_t Δ_t (cost_t + μ_t excess_t − (μ_t − λ_t)²/2ρ) + penalty(w)

with μ_t = λ_t + ρ excess_t, kept within 0 and MAX_MULTIPLIER, and λ becomes μ; ψ of F_β becomes the true positives, and
its multiplier N/ψ² (Dinkelbach 1967). Corners of hinge and ramp are rounded, less and less. Nothing but where it ends
depends on the tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwise.objectives.rates.saddle._linear_problem import LinearProblem
from rankwise.objectives.rates.saddle._newton import newton
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER
from rankwise.objectives.rates.saddle._solution import Candidate
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import FloatArray

CORNERS = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)
MULTIPLIER_ROUNDS = 30  # for each corner
FIRST_RHO, MAX_RHO = 1.0, 1e6


class Lagrangian:
    """The function of one vector, w and b, that is minimized for fixed λ; plain, without squares, if ρ is 0."""

    def __init__(self, problem: LinearProblem, multipliers: FloatArray) -> None:
        self.problem, self.multipliers, self.rho = problem, multipliers, FIRST_RHO
        self.loss: Surrogate = problem.loss
        self.coefficients = problem.coefficients(np.zeros((2, problem.objective.size)))

    def unpack(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """w and b."""
        size = self.problem.X.shape[1]
        return z[:size], z[size:]

    def counts(self, z: FloatArray) -> FloatArray:
        """L+ and L−."""
        return self.problem.counts(*self.unpack(z), self.loss)

    def raised(self, counts: FloatArray) -> FloatArray:
        """The multipliers μ."""
        excesses = self.coefficients.excesses(*counts)
        return np.clip(self.multipliers + self.rho * excesses, 0.0, MAX_MULTIPLIER)

    def value(self, z: FloatArray) -> float:
        """What is minimized."""
        return self._value(self.unpack(z)[0], self.counts(z))

    def _value(self, w: FloatArray, counts: FloatArray) -> float:
        multipliers = self.raised(counts)
        constant, by_missed, by_false = self.coefficients.weights(multipliers)
        slack = (multipliers - self.multipliers) ** 2 / (2.0 * self.rho) if self.rho else 0.0
        total = self.problem.shares @ (constant + by_missed * counts[0] + by_false * counts[1] - slack)
        return float(total) + self.problem.penalty.value(w)

    def curved(self, z: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Value, gradient and second derivatives."""
        problem, (w, b) = self.problem, self.unpack(z)
        at = problem.slopes(w, b, self.loss)
        multipliers = self.raised(at.counts)
        prices = problem.shares * self.coefficients.weights(multipliers)[1:]  # of L+ and of L−
        gradient = np.append(
            np.einsum("sdt,st->d", at.by_weights, prices) + problem.penalty.slope(w), (prices * at.by_threshold).sum(0)
        )
        size = w.size
        hessian = np.zeros((z.size, z.size))
        for (X, _), bends, price in zip(problem.sides, at.bends, prices, strict=True):
            bent = bends * price
            hessian[:size, :size] += (X * bent.sum(1)[:, None]).T @ X
            hessian[:size, size:] -= X.T @ bent
            hessian[np.diag_indices(z.size)] += np.append(np.zeros(size), bent.sum(0))
        by_excess = np.vstack(  # of each anchor, a column
            [
                np.einsum("st,sdt->dt", self.coefficients.excess[1:], at.by_weights),
                np.diag((self.coefficients.excess[1:] * at.by_threshold).sum(0)),
            ]
        )
        is_moved = (multipliers > 0.0) & (multipliers < MAX_MULTIPLIER)
        hessian[size:, :size] = hessian[:size, size:].T
        hessian += (by_excess * (self.rho * problem.shares * is_moved)) @ by_excess.T
        hessian[np.arange(size), np.arange(size)] += problem.penalty.curvature
        return self._value(w, at.counts), gradient, hessian


class Fractions:
    """ψ and the multipliers of F_β, at the best model so far: Dinkelbach's step, which never makes it worse."""

    def __init__(self, problem: LinearProblem) -> None:
        self.problem, self.value = problem, np.inf

    def update(self, lagrangian: Lagrangian, w: FloatArray) -> float:
        """Take those of weights if they are better than before; by how much."""
        if not self.problem.is_fraction.any():
            return 0.0
        thresholds = self.problem.best_thresholds(w)
        value = self.problem.value(w, thresholds)
        better = self.value - value
        if better > 0.0:
            self.value = value
            lagrangian.coefficients = self.problem.coefficients(self.problem.counts(w, thresholds, self.problem.loss))
        return max(better, 0.0)


def candidates(problem: LinearProblem) -> Iterator[Candidate]:
    """Ever better ones, one for each corner."""
    saddle = problem.saddle
    lagrangian, fractions = Lagrangian(problem, saddle.multipliers), Fractions(problem)
    z, steps = np.append(problem.penalty.start, saddle.thresholds), 0
    fractions.update(lagrangian, problem.penalty.start)
    for corner in CORNERS:
        lagrangian.loss, before = problem.loss.rounded(corner), np.inf
        for _ in range(MULTIPLIER_ROUNDS):
            z, n_steps = newton(lagrangian.value, lagrangian.curved, z)
            steps += n_steps
            (w, b), counts, used = lagrangian.unpack(z), lagrangian.counts(z), lagrangian.coefficients
            off = _complementarity(lagrangian, counts) + fractions.update(lagrangian, w)
            lagrangian.multipliers = lagrangian.raised(counts)
            if off < 1e-3 * corner:
                break
            if off > 0.25 * before:
                lagrangian.rho = min(lagrangian.rho * 3.0, MAX_RHO)
            before = off
        multipliers = np.where(problem.is_fraction, used.cost[1], lagrangian.multipliers)
        yield Candidate(w, multipliers, used, problem.falls(w, b, lagrangian.loss), steps)


def _complementarity(lagrangian: Lagrangian, counts: FloatArray) -> float:
    """By how much λ misprices the excesses."""
    excesses = lagrangian.coefficients.excesses(*counts)
    prices = np.where(excesses > 0.0, MAX_MULTIPLIER, 0.0) - lagrangian.raised(counts)
    return float(lagrangian.problem.shares @ (prices * excesses))
