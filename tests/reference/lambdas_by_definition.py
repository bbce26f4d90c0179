"""λ-gradients of one ranked list as the papers define them: swap two documents, judge again, push.

Slow, and knows nothing of factors, sweeps or kernels; the metric comes in as a function of ranked labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rankwise.types import FloatArray


def lambdas(
    value: Callable[[list[float]], float],
    ranked: Sequence[float] | FloatArray,
    scores: Sequence[float] | FloatArray,
    sigma: float = 1.0,
    gap: float | None = None,
    weight: Sequence[float] | FloatArray | None = None,
) -> tuple[list[float], list[float]]:
    """λ's and Hessians, for documents in rank order; `gap`: divide each |ΔM| by gap + |s_i − s_j|."""
    n = len(ranked)
    pushes, bends = [0.0] * n, [0.0] * n
    before = value(list(ranked))
    if math.isnan(before):
        return pushes, bends
    for i in range(n):
        for j in range(n):
            if ranked[i] <= ranked[j]:
                continue
            swapped = list(ranked)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            delta = abs(value(swapped) - before)
            if gap is not None:
                delta /= gap + abs(scores[i] - scores[j])
            if weight is not None:
                delta *= weight[i] * weight[j]
            x = sigma * (scores[i] - scores[j])
            miss = 1.0 / (1.0 + math.exp(x)) if x < 700 else 0.0
            pushes[i] += delta * sigma * miss
            pushes[j] -= delta * sigma * miss
            bends[i] += delta * sigma**2 * miss * (1.0 - miss)
            bends[j] += delta * sigma**2 * miss * (1.0 - miss)
    return pushes, bends


def lambdas_of_sum(
    terms: Sequence[tuple[float, Callable[[list[float]], float]]],
    ranked: Sequence[float] | FloatArray,
    scores: Sequence[float] | FloatArray,
    sigma: float = 1.0,
    gap: float | None = None,
    weight: Sequence[float] | FloatArray | None = None,
) -> tuple[list[float], list[float]]:
    """λ's and Hessians of a weighted sum of metrics: the weighted sums of those of its parts."""
    of_parts = [(factor, lambdas(value, ranked, scores, sigma, gap, weight)) for factor, value in terms]
    added = [[sum(factor * part[at][i] for factor, part in of_parts) for i in range(len(ranked))] for at in (0, 1)]
    return added[0], added[1]


def finite_difference_lambdas(
    value: Callable[[list[float]], float],
    labels: Sequence[float] | FloatArray,
    scores: Sequence[float] | FloatArray,
    step: float,
) -> list[float]:
    """Central differences of a metric by the score of one document at a time, less their mean; no two scores equal."""

    def judged(moved: list[float]) -> float:
        order = sorted(range(len(moved)), key=lambda row: -moved[row])
        return value([float(labels[row]) for row in order])

    differences = []
    for i in range(len(labels)):
        up, down = ([s + move * (row == i) for row, s in enumerate(scores)] for move in (step, -step))
        differences.append((judged(up) - judged(down)) / (2.0 * step))
    mean = sum(differences) / len(differences)
    return [difference - mean for difference in differences]
