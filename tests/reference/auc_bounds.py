"""Suehiro 2011 theorem 1 by exact counts and search, for small numbers."""

from __future__ import annotations

from itertools import product
from math import ceil, comb, exp, log, sqrt

import numpy as np


def covering_number(hypotheses: int, radius: float) -> int:
    """Weights that are multiples of 1/k, k = N/(2·radius), and add up to 1."""
    return comb(ceil(hypotheses / (2 * radius)) + hypotheses - 1, hypotheses - 1)


def grid(hypotheses: int, radius: float) -> np.ndarray:
    """The weights themselves."""
    k = ceil(hypotheses / (2 * radius))
    return np.array([w for w in product(range(k + 1), repeat=hypotheses) if sum(w) == k]) / k


def slack(cover: int, rows: int, positives: int, risk: float) -> float:
    """The least ε with 2·cover·exp(−m ε² E²/8) <= risk/2, by halving; E at the worse end of Hoeffding's interval."""
    q, distance = positives / rows, sqrt(log(2 / (risk / 2)) / (2 * rows))
    E = min((q - distance) * (1 - q + distance), (q + distance) * (1 - q - distance))
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        enough = log(2) + log(cover) - rows * middle**2 * E**2 / 8 <= log(risk / 2)
        low, high = (low, middle) if enough else (middle, high)
    assert 2 * exp(-rows * high**2 * E**2 / 8 + log(cover)) <= risk / 2 * (1 + 1e-6)
    return high


def share_at(y: np.ndarray, scores: np.ndarray, margin: float) -> float:
    """AUC_{S,ρ}, pair by pair, its margin being half a difference of scores."""
    differences = np.subtract.outer(scores[y == 1], scores[y == 0]) / 2
    return float((differences >= margin - 1e-12).mean())
