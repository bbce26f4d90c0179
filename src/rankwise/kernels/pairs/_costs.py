"""What the pairs of ranked queries cost, in linear time: the number beside the λ's, and RankNet's own λ's.

A pair costs log(1 + e^{−σ(s_i − s_j)}), i its better document. With x = σ|s_i − s_j| and z = e^{−x} that is log(1 + z)
if the pair is in order and x + log(1 + z) if it is not. log(1 + z) is a polynomial in z to within 1e-9, so it is
summed as the λ's are (see `pair_sums`); the x of pairs that are not in order are sums of differences.

Arguments as in `pair_sums` and `lambda_loops`; `logs` and `right` are the coefficients of z¹, z², … .
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from rankwise.kernels._compile import helper, kernel, reassociating_kernel
from rankwise.kernels.pairs._expansions import PLAIN_TERMS
from rankwise.kernels.pairs._lambda_loops import MAX_CLASSES, level_weights
from rankwise.types import FloatArray

DENORMAL = 1e-280  # added where products would become denormal numbers, which are slow

swap_factors: Any = None  # what `specialize` replaces


@cache
def log_terms() -> FloatArray:
    """log(1 + z) by the powers 1, 2, … of z in [0, 1]."""

    def over_z(z: FloatArray) -> FloatArray:
        return np.log1p(z) / z  # the points of interpolation are inside (0, 1)

    fitted = Chebyshev.interpolate(over_z, PLAIN_TERMS - 1, [0.0, 1.0]).convert(kind=Polynomial)
    return np.asarray(fitted.convert(domain=[-1, 1], window=[-1, 1]).coef)


@helper
def _powers(z: float, decay: Any) -> None:
    """z¹, z², … ."""
    decay[0] = z
    for m in range(1, decay.size):
        decay[m] = decay[(m - 1) // 2] * decay[m - 1 - (m - 1) // 2]


@helper
def pair_cost(x: float) -> Any:
    """log(1 + e^{−x}) for any x."""
    return np.log1p(np.exp(-abs(x))) + max(-x, 0.0)


@kernel
def weighted_pairs(scores: Any, classes: Any, gains: Any, height: Any, share: Any) -> float:
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
def weighted_sweep(scores: Any, classes: Any, heights: Any, weights: Any, share: Any, logs: Any) -> float:
    """The same for any factors, in one pass down the list.

    P and D as in `pair_sums.sweep`; C, S, H and Q are the sums over the documents passed of share, share · distance in
    score, share · difference in height, and share · both.
    """
    factors, many, terms = heights.shape[0], weights.shape[1], logs.size
    P, D = np.zeros((many, terms)), np.zeros((factors, many, terms))
    C, S = np.zeros(many), np.zeros(many)
    H, Q = np.zeros((factors, many)), np.zeros((factors, many))
    decay = np.empty(terms)
    total = 0.0
    for i in range(scores.size):
        b = classes[i]
        if i > 0:
            gap = scores[i - 1] - scores[i]
            _powers(np.exp(-gap), decay)
            for a in range(many):
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


def costs_by_factors(  # type: ignore[no-untyped-def]
    self, labels, scores, share, order, ideal, offsets, grades, logs, low, high, costs
):
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
    stated: Any, scores: Any, share: Any, order: Any, offsets: Any, logs: Any, low: int, high: int, costs: Any
) -> None:
    """The same for a metric that is linear in its gains."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        if stop - start < 2 or stated.scales[q] == 0.0:
            continue
        rows, discount = order[start:stop], stated.discounts[start:stop]
        s, w, classes = scores[rows], share[rows], stated.classes[rows]
        if stated.levels.shape[1] > 0:
            weights = level_weights(stated.levels[q])
            costs[q] = stated.scales[q] * weighted_sweep(s, classes, discount.reshape(1, -1), weights, w, logs)
        else:
            costs[q] = stated.scales[q] * weighted_pairs(s, classes, stated.gains[rows], discount, w)


@kernel
def ranknet_pairs(scores: Any, classes: Any, share: Any, pushes: Any) -> float:
    """RankNet's λ's and cost over all pairs, Burges 2006 (7) and (8)."""
    total = 0.0
    for i in range(scores.size):
        for j in range(i + 1, scores.size):
            if classes[i] == classes[j]:
                continue
            x = scores[i] - scores[j]
            if classes[i] < classes[j]:
                x = -x
            weight = share[i] * share[j]
            z = np.exp(-abs(x))
            push = weight * (z if x > 0.0 else 1.0) / (1.0 + z)
            if classes[i] < classes[j]:
                push = -push
            pushes[i] += push
            pushes[j] -= push
            total += weight * (np.log1p(z) + max(-x, 0.0))
    return total


@reassociating_kernel
def ranknet_sweep(
    scores: Any, classes: Any, many: int, share: Any, right: Any, logs: Any, down: bool, pushes: Any
) -> float:
    """What the documents above (`down`) or below each document do to it, and what pairs with those cost."""
    n, terms = scores.size, right.size
    P, decay = np.zeros((many, terms)), np.empty(terms)
    C, S = np.zeros(many), np.zeros(many)
    step = 1 if down else -1
    i = 0 if down else n - 1
    total = 0.0
    for passed in range(n):
        b = classes[i]
        if passed > 0:
            gap = abs(scores[i - step] - scores[i])
            _powers(np.exp(-gap), decay)
            for a in range(many):
                if C[a] == 0.0:
                    continue
                S[a] += gap * C[a]
                miss, near = 0.0, 0.0
                for m in range(terms):
                    P[a, m] = P[a, m] * decay[m] + DENORMAL
                    miss += right[m] * P[a, m]
                    near += logs[m] * P[a, m]
                if a == b:
                    continue
                in_order = (a > b) == down
                if not in_order:
                    miss = C[a] - miss
                    near += S[a]
                pushes[i] += share[i] * (-miss if a > b else miss)
                total += share[i] * near
        C[b] += share[i]
        for m in range(terms):
            P[b, m] += share[i]
        i += step
    return total


@kernel
def ranknet_of_queries(
    classes: Any,
    many: int,
    scores: Any,
    share: Any,
    order: Any,
    offsets: Any,
    right: Any,
    logs: Any,
    low: int,
    high: int,
    pushes: Any,
    costs: Any,
) -> None:
    """RankNet's λ's by row and costs of queries `low:high`; `classes` are the labels' places among `many` grades."""
    for q in range(low, high):
        rows = order[offsets[q] : offsets[q + 1]]
        s, k, w = scores[rows], classes[rows], share[rows]
        p = np.zeros(rows.size)
        if many > MAX_CLASSES:
            costs[q] = ranknet_pairs(s, k, w, p)
        else:
            costs[q] = ranknet_sweep(s, k, many, w, right, logs, True, p)
            ranknet_sweep(s, k, many, w, right, logs, False, p)
        for i in range(rows.size):
            pushes[rows[i]] = p[i]
