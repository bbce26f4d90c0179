"""What waiting alone does to latencies: those of a worker that takes the same time for every request."""

from __future__ import annotations

import math

import numpy as np


def perfect_latencies(gaps: np.ndarray, seconds: float) -> np.ndarray:
    """Seconds from the moment at which each request is due, by a worker that takes so many for each, never more."""
    free, taken = 0.0, np.empty(len(gaps))
    for number, due in enumerate(np.cumsum(gaps)):
        free = max(free, due) + seconds
        taken[number] = free - due
    return taken


def perfect_quantile(load: float, share: float) -> float:
    """The time in which such a worker answers that share of all requests, in the long run, if it takes 1 for each.

    They come at random times and keep it busy for `load` of the time (a queue M/D/1; Erlang 1909): a request waits for
    at most t with a probability of (1 − load) Σ (−load·(t − k))^k exp(load·(t − k)) / k! over k ≤ t.
    """

    def waits_at_most(t: float) -> float:
        terms = [(-load * (t - k)) ** k * math.exp(load * (t - k)) / math.factorial(k) for k in range(int(t) + 1)]
        return (1.0 - load) * math.fsum(terms)

    low, high = 0.0, 20.0  # beyond that the terms are too large beside their sum
    while high - low > 1e-9:
        middle = (low + high) / 2.0
        low, high = (low, middle) if waits_at_most(middle) >= share - 1e-12 else (middle, high)
    return 1.0 + high
