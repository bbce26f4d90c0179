"""Weights that are capped: exponential ones within bounds, and the margin that the worst weights within them leave.

Rows stand by query, and within it by rising grade. A block is two neighbouring ranges of rows of one query: worse
ones from `starts`, better ones from `middles`, up to `stops`; each has a share of all weight.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

VANISHING = 1e-200


@helper
def _capped(f: FloatArray, rate: float, weight: FloatArray, start: int, stop: int, cap: float, out: FloatArray) -> None:
    """`out = w·min(cap, z·e^{rate·f}) / Σ w` for the z with which it adds up to 1; at most 1/cap of Σ w is capped.

    Of all weights within the caps these are nearest, in relative entropy, to the exponential ones. Rows from `limit`
    on are capped; what they give up goes to the others, of which more may then be capped, until none is.
    """
    total, top = 0.0, -np.inf
    for i in range(start, stop):
        total += weight[i]
        top = max(top, rate * f[i])
    for i in range(start, stop):
        out[i] = np.exp(rate * f[i] - top)
    limit, capped, z = np.inf, -1, 0.0
    while True:
        free_weight, capped_weight, count, highest = 0.0, 0.0, 0, -np.inf
        for i in range(start, stop):
            if rate * f[i] >= limit:
                capped_weight += weight[i]
                count += 1
            else:
                free_weight += weight[i] * out[i]
                highest = max(highest, rate * f[i])
        left = total - cap * capped_weight
        if count == capped:
            break
        if left <= 0.0:  # by rounding: the caps take it all
            z = 0.0
            break
        if free_weight < VANISHING * total and highest < top:  # the others are too small beside those that are capped
            top = highest
            for i in range(start, stop):
                out[i] = np.exp(min(rate * f[i] - top, 0.0))
            continue
        capped, z = count, left / free_weight
        limit = top + np.log(cap / z)
    for i in range(start, stop):
        share = cap if rate * f[i] >= limit else min(cap, z * out[i])
        out[i] = weight[i] * share / total


@kernel
def capped_weights(
    f: FloatArray, rate: float, weight: FloatArray, starts: IntArray, middles: IntArray, stops: IntArray,
    shares: FloatArray, cap: float, blocks: IntArray, low: int, high: int, scratch: FloatArray, u: FloatArray,
) -> None:  # fmt: skip
    """`u[i]`: what document i weighs as a better one less what it does as a worse one.

    In a block of share s the better documents weigh s together, the lower their scores the more, each at most `cap`
    times its part of their weights; so do the worse ones, the higher the more. `blocks` are those of each query.
    """
    for q in range(low, high):
        for b in range(blocks[q], blocks[q + 1]):
            start, middle, stop = starts[b], middles[b], stops[b]
            if b == blocks[q]:  # the first block of a query has all of its rows
                u[start:stop] = 0.0
            _capped(f, rate, weight, start, middle, cap, scratch)
            _capped(f, -rate, weight, middle, stop, cap, scratch)
            for i in range(start, middle):
                u[i] -= shares[b] * scratch[i]
            for i in range(middle, stop):
                u[i] += shares[b] * scratch[i]


@helper
def _lowest_mean(f: FloatArray, weight: FloatArray, mass: float) -> tuple[float, float]:
    """Mean of the lowest of the sorted f that weigh `mass` together, and the value above them."""
    left, total = mass, 0.0
    for i in range(f.size):
        if weight[i] > left:
            return (total + left * f[i]) / mass, f[i]
        total += weight[i] * f[i]
        left -= weight[i]
    return total / (mass - left), f[f.size - 1]


@kernel
def soft_margins(
    f: FloatArray, weight: FloatArray, starts: IntArray, middles: IntArray, stops: IntArray, nu: float, low: int,
    high: int, value: FloatArray, margin: FloatArray, right: FloatArray,
) -> None:  # fmt: skip
    """Each block's lowest mean of (f_i − f_j)/2 over weights of at most 1/nu of its own (Suehiro 2011 (7) for
    given f).

    `margin` is half the distance of the values below which, and above which, `nu` of the better, and of the worse,
    weigh; `right` the share of the pairs' weight at that margin or more.
    """
    for b in range(low, high):
        start, middle, stop = starts[b], middles[b], stops[b]
        by_worse, by_better = np.argsort(-f[start:middle]), np.argsort(f[middle:stop])
        worse, worse_weight = f[start:middle][by_worse], weight[start:middle][by_worse]
        better, better_weight = f[middle:stop][by_better], weight[middle:stop][by_better]
        worse_total, better_total = worse_weight.sum(), better_weight.sum()
        highest, worse_bound = _lowest_mean(-worse, worse_weight, nu * worse_total)
        lowest, better_bound = _lowest_mean(better, better_weight, nu * better_total)
        value[b], margin[b] = (lowest + highest) / 2.0, (better_bound + worse_bound) / 2.0
        gap = better_bound + worse_bound
        below, k, both = worse_total, 0, 0.0
        for i in range(better.size - 1, -1, -1):  # as the better one falls, fewer are far enough below it
            while k < worse.size and better[i] - worse[k] < gap:
                below -= worse_weight[k]
                k += 1
            both += better_weight[i] * below
        right[b] = both / (worse_total * better_total)
