"""Decision stumps by their definition: every threshold of every feature, one after the other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np


def side(column, threshold):
    return np.where(np.isnan(column), 0.0, np.where(column > threshold, 1.0, -1.0))


def all_stumps(X):
    """(feature, threshold) of every stump that tells two rows of dense X apart."""
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature].astype(np.float64))
        values = values[~np.isnan(values)]
        for low, high in pairwise(values):
            middle = low / 2 + high / 2
            yield feature, middle if low <= middle < high else low


def best_stumps(X, u):
    """The best (|edge|, feature, threshold, sign) of each feature that has one, by falling edge, then by feature."""
    best: dict[Any, Any] = {}
    for feature, threshold in all_stumps(X):
        edge = float(np.dot(u, side(X[:, feature].astype(np.float64), threshold)))
        if abs(edge) > best.get(feature, (0.0,))[0]:
            best[feature] = (abs(edge), feature, threshold, 1 if edge > 0 else -1)
    return sorted(best.values(), key=lambda one: (-one[0], one[1]))


def scores(X, feature, threshold, sign, weight):
    parts = [
        w * s * side(X[:, f].astype(np.float64), t) for f, t, s, w in zip(feature, threshold, sign, weight, strict=True)
    ]
    return np.sum(parts, axis=0)
