"""ERR of the first places of a long run of ties, by steps that go with the places, not with the documents.

With R the chance to stop and q = 1 − R, a reader of t documents in random order passes j of them and stops at the next
with chance Σ_i R_i·e_j(all q but q_i) / (t·C(t − 1, j)), e_j being the elementary symmetric polynomial. Let each
document come before a moment with chance u: e_j·u^j·(1 − u)^(t−1−j) is the coefficient of x^j in Π (1 − u + u·q·x), and
C(t − 1, j) times the same powers a binomial chance. The coefficient is a mean over a circle (Cauchy). On the one
through the saddle point all but some twenty of its nodes vanish, and no digits cancel; it serves all places within two
standard deviations.
"""

from __future__ import annotations

import math

import numpy as np

from rankwise.kernels._compile import helper
from rankwise.types import FloatArray

NEGLIGIBLE = 1e-18  # a chance, or a share of a sum, below this no longer changes the result
BISECTIONS = 50


@helper
def err_of_places(stops: FloatArray, counts: FloatArray, start: int, places: int) -> float:
    """What the first `places` of a run behind `start` documents are worth, of which `counts` have each of `stops`.

    There are fewer places than documents.
    """
    size, passable, total = 0.0, 0.0, 0.0
    for g in range(stops.size):
        size += counts[g]
        total += counts[g] * stops[g]
        if stops[g] < 1.0:
            passable += counts[g]
    total /= size * (start + 1.0)  # the first place
    angles, heights, phases = np.empty(128), np.empty(128), np.empty(128)
    j = 1.0  # documents passed
    last = min(places - 1.0, passable)
    while j <= last:
        u = j / (size - 1.0)
        radius = _radius(stops, counts, u, min(j, passable - 0.5))
        log_height, variance = 0.0, 0.0
        for g in range(stops.size):
            more = u * (radius - 1.0 - stops[g] * radius)
            before = u * (1.0 - stops[g]) * radius / (1.0 + more)
            log_height += counts[g] * math.log1p(more)
            variance += counts[g] * before * (1.0 - before)
        reach = math.floor(2.0 * math.sqrt(variance))
        nodes = 2.0 * math.ceil(5.0 * math.sqrt(variance) + reach + 16.0) + 1.0
        used = _circle(stops, counts, u, radius, j, 2.0 * math.pi / nodes, angles, heights, phases)
        weight = math.exp(log_height - j * math.log(radius)) / (nodes * size * _binomial_mode(size - 1.0, j))
        end = min(last, j + reach)
        first = j
        while j <= end:
            coefficient = 0.0
            for k in range(used):
                coefficient += heights[k] * math.cos(phases[k] - (j - first) * angles[k])
            total += weight * coefficient / (start + 1.0 + j)
            weight *= (j + 1.0) / (size - 1.0 - j) * (1.0 - u) / (u * radius)
            j += 1.0
    return total


@helper
def _radius(stops: FloatArray, counts: FloatArray, u: float, target: float) -> float:
    """The x at which the terms of Π (1 − u + u·q·x) have their mean at x^target: about 1 over the mean of q."""
    low, high = 0.0, 64.0  # of its logarithm
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        mean = 0.0
        for g in range(stops.size):
            before = u * (1.0 - stops[g]) * math.exp(middle)
            mean += counts[g] * before / (1.0 - u + before)
        if mean < target:
            low = middle
        else:
            high = middle
    return math.exp(low)


@helper
def _circle(
    stops: FloatArray,
    counts: FloatArray,
    u: float,
    radius: float,
    j: float,
    step: float,
    angles: FloatArray,
    heights: FloatArray,
    phases: FloatArray,
) -> int:
    """Fill in Σ R·Π (1 − u + u·q·x)/x^j at radius·e^(i·angle), over its size at angle 0, for the nodes that count.

    The lower half of the circle mirrors the upper, whose heights count twice. Returns the number of nodes.
    """
    for k in range(angles.size):
        angle = k * step
        if angle > math.pi:
            return k
        log_height, phase, real, imaginary = 0.0, -j * angle, 0.0, 0.0
        for g in range(stops.size):
            before = u * (1.0 - stops[g]) * radius
            across = 1.0 - u + before * math.cos(angle)
            up = before * math.sin(angle)
            share = 2.0 * math.sin(0.5 * angle) / (1.0 - u + before)
            square = 1.0 - (1.0 - u) * before * share * share  # of the factor's size over that at angle 0
            log_height += 0.5 * counts[g] * math.log(square)
            phase += counts[g] * math.atan2(up, across)
            real += counts[g] * stops[g] * across / (across * across + up * up)
            imaginary -= counts[g] * stops[g] * up / (across * across + up * up)
        if log_height < math.log(NEGLIGIBLE):
            return k
        angles[k] = angle
        heights[k] = (2.0 if k else 1.0) * math.exp(log_height) * math.hypot(real, imaginary)
        phases[k] = phase + math.atan2(imaginary, real)
    return angles.size


@helper
def _binomial_mode(n: float, j: float) -> float:
    """The chance of j successes among n, each of chance j/n, where 0 < j < n."""
    error = _stirling_error(n) - _stirling_error(j) - _stirling_error(n - j)
    return math.sqrt(n / (2.0 * math.pi * j * (n - j))) * math.exp(error)


@helper
def _stirling_error(n: float) -> float:
    """By how much log n! is above (n + 1/2)·log n − n + log(2π)/2."""
    if n < 16.0:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    s = 1.0 / (n * n)
    return (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / n
