"""The logistic function as a short sum of decaying exponentials, which makes sums over pairs linear in time.

For x = σ(s_i − s_j) ≥ 0 and z = e^{−x}, a pair needs three functions of x (`PairTerms`): how far it is from right if it
is in order, f = z/(1+z); how far if it is not, 1 − f; and the curvature f(1 − f) = z/(1+z)². Each is written as
Σ_m w_m e^{−t_m x}, all over the same rates t_m.

- Plain: 1/(1+z) and 1/(1+z)² are fitted by polynomials in z, and a power of z is an exponential with a whole
  rate. Chebyshev interpolation: the error falls by 3+√8 a term, and no weight is large.
- Divided by c + x (gap normalization): the rates double from one term to the next, with two more between those near 1,
  where the logistic function bends; the weights are fitted.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from rankwise.kernels._compile import kernel
from rankwise.kernels.pairs._vectors import LANES
from rankwise.types import FloatArray

PLAIN_TERMS = 12  # relative error 1.3e-9 of the gradient and 2.4e-8 of the Hessian
SLOWEST, DOUBLINGS = 0.005, 18  # rates 0.005, 0.01, …, enough for c = 0.01
BETWEEN = 7  # rates 0.64, 1.28 and 2.56 are terms 7, 8 and 9, and 1.92 and 3.84 are between them
VANISHING = 5  # rates from 0.16 on stand for what vanishes with x
MAX_DISTANCE = 200.0  # fitted up to this x, and for every step of reach up to 2^LANES times it
MAX_REACH = 8  # up to 8e11
MIN_VALUE_SHARE = 3e-4  # of the largest value: below it, errors are not relative


class PairTerms(NamedTuple):
    """Weights of the exponentials, whose rates are 1, 2, 3, …, or those of `divided_terms` if `between` is not 0.

    `wrong` has besides them a `constant`, an exponential of rate 0.
    """

    right: FloatArray
    wrong: FloatArray
    curvature: FloatArray
    constant: float
    slowest: float
    between: int

    @property
    def vectors(self) -> int:
        """How many vectors the exponentials fill."""
        return self.right.size // LANES


@kernel
def least_squares(A: FloatArray, b: FloatArray) -> FloatArray:
    """`np.linalg.lstsq(A, b)[0]` by modified Gram–Schmidt on (A, b), without the threads of a BLAS: those take seconds
    to start when other processes are busy.
    """
    columns = A.shape[1]
    Q = A.copy()
    residual = b.copy()
    R = np.zeros((columns, columns))
    x = np.zeros(columns)
    for k in range(columns):
        R[k, k] = np.sqrt(np.sum(Q[:, k] ** 2))
        Q[:, k] /= R[k, k]
        for j in range(k + 1, columns):
            R[k, j] = np.sum(Q[:, k] * Q[:, j])
            Q[:, j] -= R[k, j] * Q[:, k]
        x[k] = np.sum(Q[:, k] * residual)
        residual -= x[k] * Q[:, k]
    for k in range(columns - 1, -1, -1):
        for j in range(k + 1, columns):
            x[k] -= R[k, j] * x[j]
        x[k] /= R[k, k]
    return x


@cache
def plain_terms() -> PairTerms:
    """f(x), 1 − f(x) and f(x)(1 − f(x)) by powers of e^{−x}."""

    def powers(function: Polynomial) -> FloatArray:
        return np.asarray(function.convert(domain=[-1, 1], window=[-1, 1]).coef)

    unit = [0.0, 1.0]
    first = Chebyshev.interpolate(lambda z: 1.0 / (1.0 + z), PLAIN_TERMS - 1, unit).convert(kind=Polynomial)
    second = Chebyshev.interpolate(lambda z: 1.0 / (1.0 + z) ** 2, PLAIN_TERMS - 1, unit).convert(kind=Polynomial)
    right, curvature = powers(first), powers(second)  # z / (1 + z) and z / (1 + z)²: one power more than fitted
    return PairTerms(right, -right, curvature, constant=1.0, slowest=1.0, between=0)


@cache
def counted_terms() -> PairTerms:
    """The same for the bounded cost 1 − 1/(1 + e^{−x}): a pair pushes by f(1 − f) whether it is in order or not.

    Its second derivative changes its sign where the pair does; half of the push stands for it, which is positive.
    """
    curvature = plain_terms().curvature
    return PairTerms(curvature, curvature, 0.5 * curvature, constant=0.0, slowest=1.0, between=0)


def reach(spread: float) -> int:
    """How many vectors of slower exponentials the differences up to `spread` need."""
    return int(np.clip(np.ceil(np.log2(max(spread, MAX_DISTANCE) / MAX_DISTANCE) / LANES), 0, MAX_REACH))


@cache
def divided_terms(c: float, reach: int = 0) -> PairTerms:
    """The same three, each divided by c + x: within 5e-4 for c = 0.01, and 8e-4 with reach."""
    sharper = max(0, int(np.ceil(np.log2(0.01 / c))))  # a smaller c makes a sharper peak
    slower = reach * LANES
    doublings = DOUBLINGS + -(-sharper // LANES) * LANES + slower  # whole vectors are summed
    slowest, max_distance, between = SLOWEST / 2.0**slower, MAX_DISTANCE * 2.0**slower, BETWEEN + slower
    rates = slowest * 2.0 ** np.arange(doublings)
    rates = np.append(rates, rates[between : between + 2] + rates[between + 1 : between + 3])
    min_share = c / max_distance if reach else MIN_VALUE_SHARE  # where scores lie far apart, pairs far apart are many
    x = np.append(0.0, np.geomspace(1e-3 * c, max_distance, 400 + 100 * reach))
    wrong = _fitted(1.0 / (1.0 + np.exp(-x)) / (c + x), x, rates, min_share)
    # What vanishes with x needs no slow exponentials, which would never quite cancel and could turn its sign.
    slow = slower + VANISHING
    x = np.append(0.0, np.geomspace(1e-3 * c, MAX_DISTANCE, 400))
    z = np.exp(-x)
    right, curvature = (
        np.append(np.zeros(slow), _fitted(values / (c + x), x, rates[slow:], MIN_VALUE_SHARE))
        for values in (z / (1.0 + z), z / (1.0 + z) ** 2)
    )
    return PairTerms(right, wrong, curvature, 0.0, slowest, between)


def _fitted(values: FloatArray, x: FloatArray, rates: NDArray[np.floating], min_share: float) -> FloatArray:
    """Least squares, weighted anew until the largest relative error is as small as it gets.

    Relative errors count down to `min_share`, a share of the largest value.
    """
    basis = np.exp(-np.outer(x, rates))
    scale = 1.0 / np.maximum(values, min_share * values.max())
    closeness = scale.copy()
    for _ in range(40):
        weights = least_squares(basis * closeness[:, None], values * closeness)
        error = np.abs(basis @ weights - values) * scale
        closeness *= np.sqrt(0.2 + 0.8 * error / error.max())
    return np.asarray(weights)
