"""RankNet's λ's and costs: every pair of different labels weighs the same.

Arguments as in `_lambda_costs`; `right` are the coefficients of z¹, z², … of a pair that is in order.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import kernel, reassociating_kernel
from rankwise.kernels.pairs._lambda_costs import set_powers
from rankwise.kernels.pairs._lambda_loops import MAX_CLASSES
from rankwise.kernels.pairs._lambda_sums import Classes
from rankwise.kernels.pairs._vectors import DENORMAL
from rankwise.types import FloatArray, IntArray


@kernel
def ranknet_pairs(scores: FloatArray, classes: Classes, share: FloatArray, pushes: FloatArray) -> float:
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
    scores: FloatArray, classes: Classes, n_classes: int, share: FloatArray, right: FloatArray, logs: FloatArray,
    down: bool, pushes: FloatArray,
) -> float:  # fmt: skip
    """What the documents above (`down`) or below each document do to it, and what pairs with those cost."""
    n, terms = scores.size, right.size
    P, decay = np.zeros((n_classes, terms)), np.empty(terms)
    C, S = np.zeros(n_classes), np.zeros(n_classes)
    direction = 1 if down else -1
    i = 0 if down else n - 1
    total = 0.0
    for passed in range(n):
        b = classes[i]
        if passed > 0:
            gap = abs(scores[i - direction] - scores[i])
            set_powers(np.exp(-gap), decay)
            for a in range(n_classes):
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
        i += direction
    return total


@kernel
def ranknet_of_queries(
    classes: Classes,
    n_classes: int,
    scores: FloatArray,
    share: FloatArray,
    order: IntArray,
    offsets: IntArray,
    right: FloatArray,
    logs: FloatArray,
    low: int,
    high: int,
    pushes: FloatArray,
    costs: FloatArray,
) -> None:
    """RankNet's λ's by row and costs of queries `low:high`; `classes` are the labels' places among all grades."""
    for q in range(low, high):
        rows = order[offsets[q] : offsets[q + 1]]
        s, k, w = scores[rows], classes[rows], share[rows]
        p = np.zeros(rows.size)
        if n_classes > MAX_CLASSES:
            costs[q] = ranknet_pairs(s, k, w, p)
        else:
            costs[q] = ranknet_sweep(s, k, n_classes, w, right, logs, True, p)
            ranknet_sweep(s, k, n_classes, w, right, logs, False, p)
        for i in range(rows.size):
            pushes[rows[i]] = p[i]
