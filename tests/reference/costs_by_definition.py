"""What the pairs of one ranked list cost, pair by pair: swap two documents, judge again, weigh."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def cost(
    value: Callable[[list[float]], float] | None,
    ranked: Sequence[float],
    scores: Sequence[float],
    sigma: float = 1.0,
    weight: Sequence[float] | None = None,
) -> float:
    """Σ |ΔM_ij| log(1 + e^{−σ(s_i − s_j)}) over pairs with label_i > label_j; without `value`, |ΔM_ij| = 1."""
    total = 0.0
    for i in range(len(ranked)):
        for j in range(len(ranked)):
            if ranked[i] <= ranked[j]:
                continue
            delta = 1.0
            if value is not None:
                swapped = list(ranked)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                delta = abs(value(swapped) - value(list(ranked)))
            if weight is not None:
                delta *= weight[i] * weight[j]
            x = sigma * (scores[i] - scores[j])
            total += delta * (math.log1p(math.exp(-abs(x))) + max(-x, 0.0))
    return total
