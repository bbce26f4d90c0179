"""What the pairs of ranked queries cost, in linear time: the number beside the λ's.

A pair costs log(1 + e^{−σ(s_i − s_j)}), i its better document. With x = σ|s_i − s_j| and z = e^{−x} that is log(1 + z)
if the pair is in order and x + log(1 + z) if it is not. log(1 + z) is a polynomial in z to within 1e-9, so it is
summed as the λ's are (see `_lambda_sums`); the x of pairs that are not in order are sums of differences.

Arguments as in `_lambda_sums` and `_lambda_loops`; `logs` are the coefficients of z¹, z², … .
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from rankwise.kernels._compile import helper, hook, kernel, reassociating_kernel
from rankwise.kernels.pairs._expansions import PLAIN_TERMS
from rankwise.kernels.pairs._lambda_loops import PreparedGains, SwapFactors, level_weights
from rankwise.kernels.pairs._lambda_sums import Classes
from rankwise.kernels.pairs._vectors import DENORMAL
from rankwise.types import FloatArray, IntArray

swap_factors: SwapFactors = hook  # what `specialize` replaces


@cache
def log_terms() -> FloatArray:
    """log(1 + z) by the powers 1, 2, … of z in [0, 1]."""

    def over_z(z: FloatArray) -> FloatArray:
        return np.log1p(z) / z  # the points of interpolation are inside (0, 1)

    fitted = Chebyshev.interpolate(over_z, PLAIN_TERMS - 1, [0.0, 1.0]).convert(kind=Polynomial)
    return np.asarray(fitted.convert(domain=[-1, 1], window=[-1, 1]).coef)


@helper
def set_powers(z: float, decay: FloatArray) -> None:
    """z¹, z², … ."""
    decay[0] = z
    for m in range(1, decay.size):
        decay[m] = decay[(m - 1) // 2] * decay[m - 1 - (m - 1) // 2]


@helper
def pair_cost(x: float) -> float:
    """log(1 + e^{−x}) for any x."""
    return np.log1p(np.exp(-abs(x))) + max(-x, 0.0)  # type: ignore[no-any-return]


@kernel
def weighted_pairs(
    scores: FloatArray, classes: Classes, gains: FloatArray, height: FloatArray, share: FloatArray
) -> float:
    """Σ |ΔM_ij| · cost over all pairs, |ΔM_ij| = |gain_i − gain_j| · (height_i − height_j)."""
    total = 0.0
    for i in range(scores.size):
        for j in range(i + 1, scores.size):
            a, b = classes[i], classes[j]
            if a != b:
                x = scores[i] - scores[j]
                weight = abs(gains[i] - gains[j]) * (height[i] - height[j]) * share[i] * share[j]
                total += weight * pair_cost(x if a > b else -x)
    return total


@reassociating_kernel
def weighted_sweep(
    scores: FloatArray, classes: Classes, heights: FloatArray, weights: FloatArray, share: FloatArray, logs: FloatArray
) -> float:
    """The same for any factors, in one pass down the list.

    P and D as in `_lambda_sums.sweep`; C, S, H and Q are the sums over the documents passed of share, share · distance
    in score, share · difference in height, and share · both.
    """
    factors, n_classes, terms = heights.shape[0], weights.shape[1], logs.size
    P, D = np.zeros((n_classes, terms)), np.zeros((factors, n_classes, terms))
    C, S = np.zeros(n_classes), np.zeros(n_classes)
    H, Q = np.zeros((factors, n_classes)), np.zeros((factors, n_classes))
    decay = np.empty(terms)
    total = 0.0
    for i in range(scores.size):
        b = classes[i]
        if i > 0:
            gap = scores[i - 1] - scores[i]
            set_powers(np.exp(-gap), decay)
            for a in range(n_classes):
                if C[a] == 0.0:
                    continue
                for r in range(factors):
                    rise = heights[r, i - 1] - heights[r, i]
                    Q[r, a] += rise * S[a] + gap * H[r, a] + rise * gap * C[a]
                    H[r, a] += rise * C[a]
                    near = 0.0
                    for m in range(terms):
                        D[r, a, m] = (D[r, a, m] + rise * P[a, m]) * decay[m]
                        near += logs[m] * D[r, a, m]
                    if a != b:
                        total += weights[r, a, b] * share[i] * (near + (Q[r, a] if a < b else 0.0))
                S[a] += gap * C[a]
                for m in range(terms):
                    P[a, m] = P[a, m] * decay[m] + DENORMAL
        C[b] += share[i]
        for m in range(terms):
            P[b, m] += share[i]
    return total


def costs_by_factors(
    self: np.void, labels: FloatArray, scores: FloatArray, share: FloatArray, order: IntArray, ideal: FloatArray,
    offsets: IntArray, grades: FloatArray, logs: FloatArray, low: int, high: int, costs: FloatArray,
) -> None:  # fmt: skip
    """Σ |ΔM_ij| · cost of queries `low:high`: hook `swap_factors`."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        if stop - start < 2 or ideal[start] == ideal[stop - 1]:
            continue
        rows = order[start:stop]
        classes, heights, weights = swap_factors(self, labels[rows], ideal[start:stop], grades)
        if classes.size > 0:
            costs[q] = weighted_sweep(scores[rows], classes, heights, weights, share[rows], logs)


@kernel
def costs_by_gains(
    prepared: PreparedGains, scores: FloatArray, share: FloatArray, order: IntArray, offsets: IntArray,
    logs: FloatArray, low: int, high: int, costs: FloatArray,
) -> None:  # fmt: skip
    """The same for a metric that is linear in its gains."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        if stop - start < 2 or prepared.scales[q] == 0.0:
            continue
        rows, discount = order[start:stop], prepared.discounts[start:stop]
        s, w, classes = scores[rows], share[rows], prepared.classes[rows]
        if prepared.levels.shape[1] > 0:
            weights = level_weights(prepared.levels[q])
            costs[q] = prepared.scales[q] * weighted_sweep(s, classes, discount.reshape(1, -1), weights, w, logs)
        else:
            costs[q] = prepared.scales[q] * weighted_pairs(s, classes, prepared.gains[rows], discount, w)
