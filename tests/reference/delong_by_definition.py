"""DeLong, DeLong & Clarke-Pearson 1988 by its definition: sums over all pairs of a positive and a negative."""

from __future__ import annotations

import numpy as np


def psi(x: float, y: float) -> float:
    """1 if the positive is above the negative, ½ if level (their equation for ψ)."""
    return 1.0 if x > y else 0.5 if x == y else 0.0


def aucs_and_covariance(positive, systems):
    """θ of each system and S = S10 / m + S01 / n, the components by loops."""
    tops = [[s for s, p in zip(scores, positive, strict=True) if p] for scores in systems]
    lows = [[s for s, p in zip(scores, positive, strict=True) if not p] for scores in systems]
    m, n, k = len(tops[0]), len(lows[0]), len(systems)
    v10 = [[sum(psi(x, y) for y in lows[r]) / n for x in tops[r]] for r in range(k)]
    v01 = [[sum(psi(x, y) for x in tops[r]) / m for y in lows[r]] for r in range(k)]
    theta = [sum(v) / m for v in v10]
    s10, s01 = np.empty((k, k)), np.empty((k, k))
    for r in range(k):
        for s in range(k):
            s10[r, s] = sum((v10[r][i] - theta[r]) * (v10[s][i] - theta[s]) for i in range(m)) / (m - 1)
            s01[r, s] = sum((v01[r][j] - theta[r]) * (v01[s][j] - theta[s]) for j in range(n)) / (n - 1)
    return np.array(theta), s10 / m + s01 / n
