"""ERR of documents of equal score: the mean over all orders of a run of ties, whatever its length.

Let m_p be the mean over all p-subsets of a run of Π (1 − R). A reader who enters the run is still reading after p of
its places with chance m_p, so stops at the p-th with m_{p−1} − m_p, and a run behind s documents is worth
Σ_p (m_{p−1} − m_p)/(s + p).
"""

from __future__ import annotations

import math

import numpy as np

from rankwise.kernels._compile import helper
from rankwise.types import FloatArray

NEGLIGIBLE = 1e-18  # a chance of still reading below this no longer changes the sum
STEP, REACH = 64, 230  # nodes of the integral: 1/STEP apart, REACH on either side
NODE_COST = 10.0  # times that of one step of the recursion, for each different chance


@helper
def tied_err(stops: FloatArray, start: int, deepest: int) -> float:
    """What a run of ties behind `start` documents is worth, its first `deepest` places counting.

    Steps go as the run's length times the number of places that are read with more than a negligible chance (by
    Maclaurin's inequality m_p is at most its first value to the power of p), or, where all places count, as the number
    of different chances to stop.
    """
    t = stops.size
    total = 0.0
    for stop in stops:
        total += stop
    mean = total / t
    if deepest == 1 or mean <= 0.0 or mean >= 1.0:
        return float(mean / (start + 1))
    places = min(float(deepest), 1.0 + math.log(NEGLIGIBLE) / math.log1p(-mean))
    nodes = NODE_COST * (2 * REACH + 1) ** 2
    if deepest == t and t * places > 2 * nodes:
        ranked = np.sort(stops)
        first = np.flatnonzero(np.concatenate((np.ones(1, dtype=np.bool_), ranked[1:] != ranked[:-1])))
        if t * places > first.size * nodes:
            return _by_integral(ranked[first], np.diff(np.append(first, t)), start)
    return _by_recursion(stops, start, int(places))


@helper
def _by_recursion(stops: FloatArray, start: int, places: int) -> float:
    """m_p by adding one document at a time: a p-subset of c documents has the c-th with chance p/c."""
    means = np.zeros(places + 1)
    means[0] = 1.0
    for c in range(1, stops.size + 1):
        go_on = 1.0 - stops[c - 1]
        for p in range(min(c, places), 0, -1):
            means[p] += (p / c) * (go_on * means[p - 1] - means[p])
    total = 0.0
    for p in range(1, places + 1):
        total += (means[p - 1] - means[p]) / (start + p)
    return total


@helper
def _by_integral(stops: FloatArray, counts: FloatArray, start: int) -> float:
    """∫∫ x^s Σ_i R_i Π_{j≠i} (1 − u + u·(1 − R_j)·x) du dx over the unit square.

    Documents come at times that are uniform on (0, 1), which gives each order the same chance. With i coming at u, any
    other comes later, or before and is passed; x counts those before, for 1/(s + p) = ∫ x^(s + p − 1) dx. Both
    integrals are by the double-exponential rule, whose nodes crowd at the ends, where long runs put all weight.
    """
    size = 2 * REACH + 1
    low, high, weight = np.empty(size), np.empty(size), np.empty(size)  # a node, 1 less it, its weight
    for k in range(size):
        place = (k - REACH) / STEP
        at = math.pi * math.sinh(place)
        low[k], high[k] = 1.0 / (1.0 + math.exp(-at)), 1.0 / (1.0 + math.exp(at))
        weight[k] = math.pi * math.cosh(place) / STEP * low[k] * high[k]
    total = 0.0
    for a in range(size):
        u, later = low[a], high[a]
        for b in range(size):
            x, rest = low[b], high[b]
            exponent = start * (math.log1p(-rest) if rest < 0.5 else math.log(x))
            rate = 0.0
            for stop, count in zip(stops, counts):  # noqa: B905 (numba has no strict)
                missed = u * (rest + x * stop)
                kept = later + u * (1.0 - stop) * x
                exponent += count * (math.log1p(-missed) if missed < 0.5 else math.log(kept))
                rate += count * stop / kept
            total += weight[a] * weight[b] * rate * math.exp(exponent)
    return total
