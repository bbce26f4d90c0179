"""Decision stumps: the best cut of each column for weighted rows, and the scores of many stumps.

A column is the list of its rows by rising value, those with NaN at its end. Rows of a sparse matrix that stand in no
list have the value 0: they belong in the middle of it, between negative and positive entries. What they weigh is never
summed, because a cut above them is compared by what lies above it. The top bit of an entry says that a cut beside it
separates two values. Weights are integers: their sums do not depend on any order, so neither rows in another
order nor another number of threads change a result by a bit, and equal edges are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel
from rankwise.types import AnyArray, FloatArray, IntArray

CUT = np.uint32(1 << 31)  # a cut is possible beside this entry: above it before the middle, below it from there on
ROW = np.uint32((1 << 31) - 1)
STEP_BITS = 31


@kernel
def size_in_steps(u: FloatArray, largest: float) -> int:
    """Σ |u| / largest in steps of 2^-31, each rounded up: the same however the rows are ordered."""
    total = 0
    for i in range(u.size):
        total += int(np.ceil(abs(u[i]) / largest * 2.0**STEP_BITS))
    return total


@kernel
def as_integers(u: FloatArray, exponent: int, out: IntArray) -> None:
    """`out = round(u · 2^exponent)`; in two factors, because 2^exponent may be too large for a float."""
    first = exponent // 2
    factor, other_factor = 2.0**first, 2.0 ** (exponent - first)
    for i in range(u.size):
        out[i] = int(np.rint(u[i] * factor * other_factor))


@kernel
def mark_cuts(
    values: AnyArray, starts: IntArray, middles: IntArray, stops: IntArray, n_rows: int, rows: NDArray[np.uint32]
) -> None:
    """Set the top bit of the entries of each column beside which two different values meet.

    Entries before the middle are cut from above, those from it on from below; implicit zeros, of the rows that stand
    in no entry, lie between the two.
    """
    for c in range(middles.size):
        start, middle, stop = starts[c], middles[c], stops[c]
        zeros = starts[c + 1] - start < n_rows
        for k in range(start, middle):
            if values[k] < values[k + 1] if k + 1 < middle else zeros or k + 1 < stop:
                rows[k] |= CUT
        for k in range(middle, stop):
            if values[k - 1] < values[k] if k > middle else zeros or k > start:
                rows[k] |= CUT


@kernel
def best_cuts(
    rows: NDArray[np.uint32], starts: IntArray, middles: IntArray, stops: IntArray, weight: IntArray, total_weight: int,
    low: int, high: int, edges: IntArray, places: IntArray,
) -> None:  # fmt: skip
    """Σ above − Σ below of each column at the cut where its size is largest, and its entry; of equal ones the lowest.

    `total_weight` is the sum of all weights; without a cut the edge is 0.
    """
    for c in range(low, high):
        total = total_weight
        for k in range(stops[c], starts[c + 1]):
            total -= weight[rows[k] & ROW]
        best, place, below = 0, -1, 0
        for k in range(starts[c], middles[c]):
            row = rows[k]
            below += weight[row & ROW]
            edge = total - 2 * below
            if abs(edge) > abs(best) and row & CUT:
                best, place = edge, k
        upper, upper_place, above = 0, -1, 0
        for k in range(stops[c] - 1, middles[c] - 1, -1):
            row = rows[k]
            above += weight[row & ROW]
            edge = 2 * above - total
            if abs(edge) >= abs(upper) and row & CUT:
                upper, upper_place = edge, k
        if abs(upper) > abs(best):
            best, place = upper, upper_place
        edges[c], places[c] = best, place


@helper
def _level(x: float, f: int, starts: IntArray, thresholds: FloatArray, levels: FloatArray) -> float:
    """What the stumps of the f-th feature add to a score: 0 for NaN, else a level for each interval of values."""
    if np.isnan(x):
        return 0.0
    low, high = starts[f], starts[f + 1]
    while low < high:
        middle = (low + high) >> 1
        if thresholds[middle] < x:
            low = middle + 1
        else:
            high = middle
    return float(levels[low + f])


@kernel
def score_dense(
    X: AnyArray, features: IntArray, starts: IntArray, thresholds: FloatArray, levels: FloatArray, low: int, high: int,
    out: FloatArray,
) -> None:  # fmt: skip
    """Scores of dense rows; the f-th feature's thresholds are from starts[f] on, its levels from starts[f] + f on."""
    for i in range(low, high):
        score = 0.0
        for f in range(features.size):
            score += _level(X[i, features[f]], f, starts, thresholds, levels)
        out[i] = score


@kernel
def score_sparse(
    values: AnyArray, columns: AnyArray, row_starts: AnyArray, place: IntArray, starts: IntArray,
    thresholds: FloatArray, levels: FloatArray, at_zero: FloatArray, base: float, low: int, high: int, out: FloatArray,
) -> None:  # fmt: skip
    """The same for rows of a CSR matrix: `base`, where all is 0, plus what each stored value changes."""
    for i in range(low, high):
        score = base
        for k in range(row_starts[i], row_starts[i + 1]):
            f = place[columns[k]]
            if f >= 0:
                score += _level(values[k], f, starts, thresholds, levels) - at_zero[f]
        out[i] = score


@kernel
def sides_of(values: AnyArray, threshold: float, out: NDArray[np.int8]) -> None:
    """`out` is 1 above the threshold, −1 from it down, 0 for NaN."""
    for i in range(values.size):
        x = values[i]
        out[i] = 1 if x > threshold else (-1 if x <= threshold else 0)
