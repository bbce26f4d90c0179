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


@helper
def _add_above(sums: FloatArray, grade: int, grades: int, amount: float) -> None:
    """The same the other way: count above all lower grades."""
    if grades <= LINEAR_MAX_GRADES:
        for g in range(grade):
            sums[g] += amount
    else:
        _add(sums, grades - 1 - grade, grades, amount)


@helper
def _above(sums: FloatArray, grade: int, grades: int) -> float:
    """What was added at grades higher than this."""
    return float(sums[grade]) if grades <= LINEAR_MAX_GRADES else _below(sums, grades - 1 - grade, grades)


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


@kernel
def band_borders(
    scores: FloatArray, offsets: IntArray, min_gap: float, max_gap: float, low: int, high: int, borders: IntArray
) -> None:
    """Where the rows with min_gap <= s_i − s_j < max_gap begin and end, as ranks of the query.

    `borders[0, i]` and `borders[1, i]` are the first below i that the band does not reach, and that it does;
    `borders[2, j]` and `borders[3, j]` the same above j.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        n, s, b = stop - start, scores[start:stop], borders[:, start:stop]
        ahead, behind = 0, 0
        for i in range(n):
            while ahead < n and s[i] - s[ahead] < max_gap:
                ahead += 1
            while behind < ahead and s[i] - s[behind] < min_gap:
                behind += 1
            b[0, i], b[1, i] = ahead, behind
        ahead, behind = n - 1, n - 1
        for j in range(n - 1, -1, -1):
            while ahead >= 0 and s[ahead] - s[j] < max_gap:
                ahead -= 1
            while behind > ahead and s[behind] - s[j] < min_gap:
                behind -= 1
            b[2, j], b[3, j] = ahead, behind


@kernel
def band_laplacian(
    order: IntArray, grade: IntArray, grades: IntArray, weight: FloatArray, degree: FloatArray, borders: IntArray,
    offsets: IntArray, factor: float, low: int, high: int, value: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """`out[i] = factor · Σ_j w_i w_j (value_i − value_j)` over the partners j of i within these `band_borders`.

    `degree` is what the partners of a row weigh together. Ranks count in all arrays but `value` and `out`, in which
    the row of rank i is `order[i]`.
    """
    sums = np.zeros(grades[low:high].max() + 1)
    weighed, total = np.empty((2, (offsets[low + 1 : high + 1] - offsets[low:high]).max()))
    for q in range(low, high):
        count, start, stop = grades[q], offsets[q], offsets[q + 1]
        n, rows = stop - start, order[start:stop]
        g, w, d, b = grade[start:stop], weight[start:stop], degree[start:stop], borders[:, start:stop]
        for i in range(n):
            weighed[i] = w[i] * value[rows[i]]
            total[i] = d[i] * value[rows[i]]
        sums[: count + 1] = 0.0
        ahead, behind = 0, 0
        for i in range(n):
            while ahead < b[0, i]:
                _add(sums, g[ahead], count, weighed[ahead])
                ahead += 1
            while behind < b[1, i]:
                _add(sums, g[behind], count, -weighed[behind])
                behind += 1
            total[i] -= _below(sums, g[i], count)
        sums[: count + 1] = 0.0
        ahead, behind = n - 1, n - 1
        for j in range(n - 1, -1, -1):
            while ahead > b[2, j]:
                _add_above(sums, g[ahead], count, weighed[ahead])
                ahead -= 1
            while behind > b[3, j]:
                _add_above(sums, g[behind], count, -weighed[behind])
                behind -= 1
            out[rows[j]] = factor * w[j] * (total[j] - _above(sums, g[j], count))
