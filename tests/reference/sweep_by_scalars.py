"""One sweep over a ranked list, a number at a time: the scalar twin of kernels/pairs/_vectors.py."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def sweep(
    scores: list[float],
    classes: list[int],
    heights: NDArray[np.float64],
    rates: NDArray[np.float64],
    push: NDArray[np.float64],
    bend: NDArray[np.float64],
    zero: NDArray[np.float64],
    share: list[float],
    down: bool,
) -> tuple[list[float], list[float]]:
    """λ's and Hessians by the recursion; weights are `push[b, r, a, m]`, `bend[b, r, a, m]` and `zero[b, r, a]`."""
    factors, kinds, n = push.shape[1], push.shape[2], len(scores)
    every = np.append(rates, 0.0)
    P = np.zeros((kinds, every.size))
    D = np.zeros((factors, kinds, every.size))
    pushes, bends = [0.0] * n, [0.0] * n
    walk = list(range(n)) if down else list(range(n - 1, -1, -1))
    for k, i in enumerate(walk):
        if k > 0:
            before = walk[k - 1]
            for m, rate in enumerate(every):
                decay = math.exp(-rate * abs(scores[i] - scores[before]))
                for a in range(kinds):
                    for r in range(factors):
                        D[r, a, m] = (D[r, a, m] + abs(heights[r, before] - heights[r, i]) * P[a, m]) * decay
                    P[a, m] *= decay
            b = classes[i]
            pushes[i] = share[i] * float((push[b] * D[:, :, :-1]).sum() + (zero[b] * D[:, :, -1]).sum())
            bends[i] = share[i] * float((bend[b] * D[:, :, :-1]).sum())
        P[classes[i]] += share[i]
    return pushes, bends
