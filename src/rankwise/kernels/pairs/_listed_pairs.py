"""Sums over all pairs of short lists, pair by pair: next to no work each, in vectors, and nothing is sorted.

Rows of each query stand by falling grade, so that the worse partners of row i are `worse[i]` to the end of its query;
`pairs[i]` is where its pairs begin among all pairs.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import kernel, reassociating_kernel
from rankwise.types import FloatArray, IntArray


@kernel
def grade_rows(y: FloatArray, offsets: IntArray, levels: FloatArray, grade: IntArray, grades: IntArray) -> bool:
    """`grade[i]` is the place of `y[i]` among the labels of its query, `grades[q]` how many those are.

    `levels` is room for the labels of a query; False if some query has more.
    """
    for q in range(grades.size):
        count = 0
        for i in range(offsets[q], offsets[q + 1]):
            k = count
            while k > 0 and y[i] < levels[k - 1]:
                k -= 1
            if k == 0 or y[i] != levels[k - 1]:
                if count == levels.size:
                    return False
                for other in range(count, k, -1):
                    levels[other] = levels[other - 1]
                levels[k] = y[i]
                count += 1
        for i in range(offsets[q], offsets[q + 1]):
            k = 0
            while levels[k] < y[i]:
                k += 1
            grade[i] = k
        grades[q] = count
    return True


@kernel
def pair_weights(grade: IntArray, grades: IntArray, weight: FloatArray, offsets: IntArray, total: FloatArray) -> None:
    """`total[q] = Σ w_i w_j` over the pairs of a query: what each grade weighs, times what all lower ones do."""
    sums = np.empty(grades.max())
    for q in range(grades.size):
        for g in range(grades[q]):
            sums[g] = 0.0
        for i in range(offsets[q], offsets[q + 1]):
            sums[grade[i]] += weight[i]
        lower, of_query = 0.0, 0.0
        for g in range(grades[q]):
            of_query += sums[g] * lower
            lower += sums[g]
        total[q] = of_query


@kernel
def list_pairs(grade: IntArray, offsets: IntArray, worse: IntArray, pairs: IntArray) -> bool:
    """Fill `worse` and `pairs`; False if the grades of a query rise."""
    count = 0
    for q in range(offsets.size - 1):
        stop = offsets[q + 1]
        first_worse = stop
        for i in range(stop - 1, offsets[q] - 1, -1):
            if i + 1 < stop and grade[i] != grade[i + 1]:
                if grade[i] < grade[i + 1]:
                    return False
                first_worse = i + 1
            worse[i] = first_worse
        for i in range(offsets[q], stop):
            pairs[i] = count
            count += stop - worse[i]
    pairs[offsets[-1]] = count
    return True


@reassociating_kernel
def hinge_sums(
    scores: FloatArray, weight: FloatArray, worse: IntArray, pairs: IntArray, offsets: IntArray, curvature: float,
    max_slope: float, low: int, high: int, gradient: FloatArray, second: FloatArray, totals: FloatArray,
) -> None:  # fmt: skip
    """The loss of pairs whose slope is `curvature` times what they lack of a margin of 1, and at most `max_slope`.

    `gradient` is its derivative by each row's score and `second` its second derivative by the margin of each pair;
    `totals[q]` has what all pairs of the query lack, their loss, the sum of their slopes, and the weight of those where
    the slope is neither 0 nor the largest.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        lack, loss, slopes, near = 0.0, 0.0, 0.0, 0.0
        for i in range(start, stop):
            gradient[i] = 0.0
        for i in range(start, stop):
            first, size = worse[i], stop - worse[i]
            if size == 0:
                break
            others, weights, push = scores[first:stop], weight[first:stop], gradient[first:stop]
            curved = second[pairs[i] : pairs[i] + size]
            score, own = scores[i], weight[i]
            its_lack, its_loss, its_slopes, its_near = 0.0, 0.0, 0.0, 0.0
            for j in range(size):
                missing = max(1.0 - (score - others[j]), 0.0)
                steep = curvature * missing
                slope = min(steep, max_slope)
                mass = own * weights[j]
                in_band = mass if (missing > 0.0) & (steep <= max_slope) else 0.0
                curved[j] = curvature * in_band
                its_near += in_band
                its_lack += mass * missing
                its_loss += mass * slope * (missing - slope / (2.0 * curvature))
                its_slopes += mass * slope
                push[j] += mass * slope
            gradient[i] -= its_slopes
            lack, loss, slopes, near = lack + its_lack, loss + its_loss, slopes + its_slopes, near + its_near
        totals[q, 0], totals[q, 1], totals[q, 2], totals[q, 3] = lack, loss, slopes, near


@reassociating_kernel
def laplacian(
    second: FloatArray, worse: IntArray, pairs: IntArray, offsets: IntArray, low: int, high: int, value: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """`out[i] = Σ_j second_ij (value_i − value_j)` over the partners j of i, better or worse."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        for i in range(start, stop):
            out[i] = 0.0
        for i in range(start, stop):
            first, size = worse[i], stop - worse[i]
            if size == 0:
                break
            curved, others, theirs = second[pairs[i] : pairs[i] + size], value[first:stop], out[first:stop]
            own, total = value[i], 0.0
            for j in range(size):
                pull = curved[j] * (own - others[j])
                total += pull
                theirs[j] -= pull
            out[i] += total
