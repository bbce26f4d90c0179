"""ERR of documents of equal score: the mean over all orders of a run of ties, whatever its length.

Let m_p be the mean over all p-subsets of a run of Π (1 − R). A reader who enters the run is still reading after p of
its places with chance m_p, so stops at the p-th with m_{p−1} − m_p, and a run behind s documents is worth
Σ_p (m_{p−1} − m_p)/(s + p).
"""

from __future__ import annotations

import math

import numpy as np

from rankwise.kernels._compile import helper
from rankwise.metrics.catalogue._err_places import NEGLIGIBLE, err_of_places
from rankwise.types import FloatArray

STEP, REACH = 64, 230  # nodes of the integral: 1/STEP apart, REACH on either side
# Steps of the recursion that take as long as:
SORTING = 100  # a document
INTEGRAL = 10 * (2 * REACH + 1) ** 2  # the integral, for each different chance
PLACE, CIRCLE = 600, 3000  # a place on its circle, and a circle, for each different chance


@helper
def tied_err(stops: FloatArray, start: int, deepest: int) -> float:
    """What a run of ties behind `start` documents is worth, its first `deepest` places counting.

    The recursion's steps go as the run's length times the number of places that are read with more than a negligible
    chance (by Maclaurin's inequality m_p is at most its first value to the power of p). Where they are many and the
    different chances to stop are few, circles take steps that go with the places, and the integral, where all places
    count, steps that go with the chances alone.
    """
    t = stops.size
    total = 0.0
    for stop in stops:
        total += stop
    mean = total / t
    if deepest == 1 or mean <= 0.0 or mean >= 1.0:
        return float(mean / (start + 1))
    places = int(min(float(deepest), 1.0 + math.log(NEGLIGIBLE) / math.log1p(-mean)))
    circles = CIRCLE * math.sqrt(places)
    if (places - SORTING) * t > min(2.0 * INTEGRAL, 2.0 * circles + PLACE * places):
        values, counts = _distinct(np.sort(stops))
        by_circles = values.size * circles + PLACE * places if places < t else math.inf
        by_integral = values.size * INTEGRAL if deepest == t else math.inf
        if by_integral < min(by_circles, t * places):
            return _by_integral(values, counts, start)
        if by_circles < t * places:
            return err_of_places(values, counts, start, places)
    return _by_recursion(stops, start, places)


@helper
def _distinct(ranked: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The different values of a sorted array, and how often each is there."""
    different = 1
    for c in range(1, ranked.size):
        different += ranked[c] != ranked[c - 1]
    values, counts = np.empty(different), np.zeros(different)
    g = 0
    for c in range(ranked.size):
        if c > 0 and ranked[c] != ranked[c - 1]:
            g += 1
        values[g] = ranked[c]
        counts[g] += 1.0
    return values, counts


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
