"""Pairs of documents that are too close: of different grades, the better one less than a gap above the worse.

All kernels take the rows of each query by falling score, and grades as integers from 0 within the query. While one
pointer goes down the list, a second runs ahead of it by the gap; the sums over what lies between, by grade, change by
a document at a time. So a pass takes time linear in the documents, however many pairs there are.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

LINEAR_MAX_GRADES = 12  # up to here a sum for each grade is cheaper than a tree of sums


@helper
def _add(sums: FloatArray, grade: int, grades: int, amount: float) -> None:
    """Let a document of this grade count below all higher grades."""
    if grades <= LINEAR_MAX_GRADES:
        for g in range(grade + 1, grades):
            sums[g] += amount
    else:  # Fenwick's tree
        k = grade + 1
        while k <= grades:
            sums[k] += amount
            k += k & -k


@helper
def _below(sums: FloatArray, grade: int, grades: int) -> float:
    """What was added at grades lower than this."""
    if grades <= LINEAR_MAX_GRADES:
        return float(sums[grade])
    total, k = 0.0, grade
    while k > 0:
        total += sums[k]
        k -= k & -k
    return total


@kernel
def close_weight(
    scores: FloatArray, grade: IntArray, grades: IntArray, weight: FloatArray, offsets: IntArray, max_gap: float,
    low: int, high: int, total: FloatArray,
) -> None:  # fmt: skip
    """`total[q] = Σ w_i w_j` over the pairs of each query with grade_i > grade_j and s_i − s_j < max_gap."""
    for q in range(low, high):
        count = grades[q]
        sums = np.zeros(count + 1)
        ahead, of_query = offsets[q], 0.0
        for i in range(offsets[q], offsets[q + 1]):
            while ahead < offsets[q + 1] and scores[i] - scores[ahead] < max_gap:
                _add(sums, grade[ahead], count, weight[ahead])
                ahead += 1
            of_query += weight[i] * _below(sums, grade[i], count)
        total[q] = of_query


@kernel
def close_weights(
    scores: FloatArray, grade: IntArray, grades: IntArray, weight: FloatArray, offsets: IntArray, max_gap: float,
    low: int, high: int, worse: FloatArray, better: FloatArray,
) -> None:  # fmt: skip
    """`worse[i] = Σ w_j` over the worse documents j that i is less than the gap above; `better[j]` the other way."""
    for q in range(low, high):
        count, start, stop = grades[q], offsets[q], offsets[q + 1]
        sums = np.zeros(count + 1)
        ahead = start
        for i in range(start, stop):
            while ahead < stop and scores[i] - scores[ahead] < max_gap:
                _add(sums, grade[ahead], count, weight[ahead])
                ahead += 1
            worse[i] = _below(sums, grade[i], count)
        sums[:] = 0.0
        ahead = stop - 1
        for j in range(stop - 1, start - 1, -1):
            while ahead >= start and scores[ahead] - scores[j] < max_gap:
                _add(sums, count - 1 - grade[ahead], count, weight[ahead])
                ahead -= 1
            better[j] = _below(sums, count - 1 - grade[j], count)


@kernel
def close_sums(
    scores: FloatArray, grade: IntArray, grades: IntArray, weight: FloatArray, value: FloatArray, offsets: IntArray,
    min_gap: float, max_gap: float, low: int, high: int, worse: FloatArray, worse_value: FloatArray, better: FloatArray,
    better_value: FloatArray,
) -> None:  # fmt: skip
    """As `close_weights`, over pairs with min_gap <= s_i − s_j < max_gap, and the same sums of `w_j · value_j`.

    What is closer than `min_gap` is taken out again, so that sums over a narrow band are as exact as what is in it.
    """
    for q in range(low, high):
        count, start, stop = grades[q], offsets[q], offsets[q + 1]
        sums, valued = np.zeros(count + 1), np.zeros(count + 1)
        ahead, behind = start, start
        for i in range(start, stop):
            while ahead < stop and scores[i] - scores[ahead] < max_gap:
                _add(sums, grade[ahead], count, weight[ahead])
                _add(valued, grade[ahead], count, weight[ahead] * value[ahead])
                ahead += 1
            while behind < ahead and scores[i] - scores[behind] < min_gap:
                _add(sums, grade[behind], count, -weight[behind])
                _add(valued, grade[behind], count, -weight[behind] * value[behind])
                behind += 1
            worse[i] = _below(sums, grade[i], count)
            worse_value[i] = _below(valued, grade[i], count)
        sums[:], valued[:] = 0.0, 0.0
        ahead, behind = stop - 1, stop - 1
        for j in range(stop - 1, start - 1, -1):
            while ahead >= start and scores[ahead] - scores[j] < max_gap:
                _add(sums, count - 1 - grade[ahead], count, weight[ahead])
                _add(valued, count - 1 - grade[ahead], count, weight[ahead] * value[ahead])
                ahead -= 1
            while behind > ahead and scores[behind] - scores[j] < min_gap:
                _add(sums, count - 1 - grade[behind], count, -weight[behind])
                _add(valued, count - 1 - grade[behind], count, -weight[behind] * value[behind])
                behind -= 1
            better[j] = _below(sums, count - 1 - grade[j], count)
            better_value[j] = _below(valued, count - 1 - grade[j], count)
