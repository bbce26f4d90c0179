"""Weights of documents where pairs are weighted by the scores of both, as boosting does, in time linear in documents.

Rows stand by query, and within it by rising grade; a run is the rows of one grade. A pair of a better and a worse
document weighs w_i·w_j·e^{−(f_i − f_j)}, a product, so sums over pairs are products of sums over runs. All is held
relative to the largest exponent of a run, so that scores of any size neither overflow nor vanish.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

LOG_ZERO = -np.inf  # the logarithm of an empty sum


@helper
def _log_add(a: float, b: float) -> float:
    """log(e^a + e^b)."""
    low, high = min(a, b), max(a, b)
    return high if low == LOG_ZERO else high + np.log1p(np.exp(low - high))


@kernel
def factor_sums(
    f: FloatArray, weight: FloatArray, runs: IntArray, queries: IntArray, low: int, high: int, as_better: FloatArray,
    as_worse: FloatArray, log_better: FloatArray, log_worse: FloatArray, log_sum: FloatArray,
) -> None:  # fmt: skip
    """What document i of a run weighs in all its pairs as the better one, `as_better[i] · e^log_better[run]`.

    The same as the worse one; `log_sum` is the logarithm of what all pairs of a query weigh.
    """
    for q in range(low, high):
        first, end = queries[q], queries[q + 1]
        log_sums = np.empty(end - first)  # log Σ w e^{−f} over each run
        worse, total = LOG_ZERO, LOG_ZERO  # log Σ w e^{f} over the runs below
        for run in range(first, end):
            start, stop = runs[run], runs[run + 1]
            lowest, highest = f[start], f[start]
            for i in range(start, stop):
                lowest, highest = min(lowest, f[i]), max(highest, f[i])
            better_sum, worse_sum = 0.0, 0.0
            for i in range(start, stop):
                as_better[i] = weight[i] * np.exp(lowest - f[i])
                as_worse[i] = weight[i] * np.exp(f[i] - highest)
                better_sum += as_better[i]
                worse_sum += as_worse[i]
            log_sums[run - first] = np.log(better_sum) - lowest
            log_better[run], log_worse[run] = worse - lowest, highest
            total = _log_add(total, worse + log_sums[run - first])
            worse = _log_add(worse, np.log(worse_sum) + highest)
        better = LOG_ZERO  # log Σ w e^{−f} over the runs above
        for run in range(end - 1, first - 1, -1):
            log_worse[run] += better
            better = _log_add(better, log_sums[run - first])
        log_sum[q] = total


@kernel
def pair_weights(
    as_better: FloatArray, as_worse: FloatArray, log_better: FloatArray, log_worse: FloatArray, largest: float,
    runs: IntArray, low: int, high: int, u: FloatArray,
) -> None:  # fmt: skip
    """`u[i]`: what i's pairs with worse documents weigh less what those with better ones do, in units of e^largest."""
    for run in range(low, high):
        gain, loss = np.exp(log_better[run] - largest), np.exp(log_worse[run] - largest)
        for i in range(runs[run], runs[run + 1]):
            u[i] = gain * as_better[i] - loss * as_worse[i]
