"""The likelihood of propensities by its definition, one document after the other, climbed by scipy."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
from scipy.optimize import minimize


def likely_propensities(position, clicked, document, bin_of_document, shape, ridge):
    """θ by position, the lowest being 1: gamma-Poisson, with γ of mean e^m in each bin of documents."""
    positions, bins = sorted(set(position)), sorted(set(bin_of_document.values()))
    shown: Any = defaultdict(lambda: defaultdict(int))
    clicks: Any = defaultdict(int)
    for k, c, d in zip(position, clicked, document, strict=True):
        shown[d][k] += 1
        clicks[d] += int(c)
    at = {k: sum(c for p, c in zip(position, clicked, strict=True) if p == k) for k in positions}

    def cost(x):
        eta = dict(zip(positions, [0.0, *x[: len(positions) - 1]], strict=True))
        mean = dict(zip(bins, np.exp(x[len(positions) - 1 :]), strict=True))
        total = sum(at[k] * eta[k] - 0.5 * ridge * eta[k] ** 2 for k in positions)
        for d, places in shown.items():
            rate = shape / mean[bin_of_document[d]]
            expected = sum(count * math.exp(eta[k]) for k, count in places.items())
            # a negative binomial, less what does not depend on η and the means
            total += shape * math.log(rate) - (shape + clicks[d]) * math.log(rate + expected)
        return -total

    start = np.concatenate([np.zeros(len(positions) - 1), np.full(len(bins), -1.0)])
    found = minimize(cost, start, method="BFGS", options={"gtol": 1e-7})
    return np.exp([0.0, *found.x[: len(positions) - 1]])
