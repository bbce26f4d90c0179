"""Small graded data of several queries, for which all pairs can be written down."""

from __future__ import annotations

import numpy as np


def make_data(grades=2, queries=1, rows=24, features=4, seed=0):
    """X, y, qid: labels follow a line through the features, with noise; queries are of different lengths."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features)) * rng.uniform(0.5, 2.0, features)
    noisy = X @ rng.normal(size=features) + rng.normal(size=rows)
    y = np.searchsorted(np.quantile(noisy, np.arange(1, grades) / grades), noisy).astype(float)
    return X, y, np.floor(queries * rng.permutation(np.arange(rows) / rows) ** 1.5).astype(int)
