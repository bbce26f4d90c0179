"""SVMlight's ranking mode with its default C on explicit pairs, by dual coordinate ascent; no solver of others."""

from __future__ import annotations

import numpy as np


def differences(X, y, qid):
    """x_i − x_j of every pair of one query with y_i > y_j."""
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if qid[i] == qid[j] and y[i] > y[j]]
    return np.array([X[i] - X[j] for i, j in pairs])


def default_c(pairs):
    """1 over the square of the mean length of what is learned from, which in ranking mode are differences."""
    return 1.0 / np.mean([np.sqrt(pair @ pair) for pair in pairs]) ** 2


def objective(w, pairs, c):
    """½|w|² + c Σ max(0, 1 − w·d)."""
    return 0.5 * w @ w + c * np.maximum(0.0, 1.0 - pairs @ w).sum()


def weights(pairs, c, sweeps=20_000, tol=1e-10):
    """The minimum: each pair has a dual variable from 0 to c, and is set to its best in turn until nothing moves."""
    alpha, w, squares = np.zeros(len(pairs)), np.zeros(pairs.shape[1]), (pairs**2).sum(axis=1)
    for _ in range(sweeps):
        moved = 0.0
        for k in np.flatnonzero(squares > 0):
            best = min(max(alpha[k] + (1.0 - pairs[k] @ w) / squares[k], 0.0), c)
            w += (best - alpha[k]) * pairs[k]
            moved = max(moved, abs(best - alpha[k]))
            alpha[k] = best
        if moved < tol * c:
            break
    return w
