"""The lowest of some values, up to a given weight of them, by counting instead of sorting; and by sorting, where many
weights are asked for."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

CELLS = 4096
SORT_MAX_VALUES = 64  # up to here sorting is cheaper than counting


@helper
def _threshold(values: FloatArray, weight: FloatArray, mass: float) -> tuple[float, float, float]:
    """The value that the weight of lower ones reaches `mass` at; the weight below it, and the weight at it.

    Values are counted into cells, and then those of one cell, until those left can be sorted.
    """
    below = 0.0
    minimum, maximum = values.min(), values.max()
    while values.size > SORT_MAX_VALUES and minimum < maximum:
        scale = (CELLS - 1) / (maximum - minimum)
        if not scale < np.inf:
            break
        counts = np.zeros(CELLS)
        for i in range(values.size):
            counts[int((values[i] - minimum) * scale)] += weight[i]
        cell, reached = 0, below
        while cell < CELLS - 1 and reached + counts[cell] < mass:
            reached += counts[cell]
            cell += 1
        size = 0
        for i in range(values.size):
            size += int((values[i] - minimum) * scale) == cell
        if size == 0 or size == values.size:
            break
        left, weights, at = np.empty(size), np.empty(size), 0
        for i in range(values.size):
            if int((values[i] - minimum) * scale) == cell:
                left[at] = values[i]
                weights[at] = weight[i]
                at += 1
        values, weight, below = left, weights, reached
        minimum, maximum = values.min(), values.max()
    order = np.argsort(values)
    at = 0
    while at < values.size:
        threshold, level = values[order[at]], 0.0
        while at < values.size and values[order[at]] == threshold:
            level += weight[order[at]]
            at += 1
        if below + level >= mass or at == values.size:
            return threshold, below, level
        below += level
    return maximum, below, 0.0


@kernel
def lowest(values: FloatArray, weight: FloatArray, mass: float, share: FloatArray) -> tuple[float, float]:
    """Shares of the values, adding up to 1, of those with the lowest, each at most weight / mass; the largest value
    that has a share, and their mean. Equal values have equal shares of their weight."""
    threshold, below, level = _threshold(values, weight, mass)
    level_share = min(1.0, max(0.0, (mass - below) / level)) if level > 0.0 else 0.0
    mean = 0.0
    for i in range(values.size):
        if values[i] < threshold:
            share[i] = weight[i] / mass
        elif values[i] == threshold:
            share[i] = level_share * weight[i] / mass
        else:
            share[i] = 0.0
        mean += share[i] * values[i]
    return threshold, mean


@kernel
def block_tails(
    scores: FloatArray, weight: FloatArray, better: IntArray, better_starts: IntArray, worse: IntArray,
    worse_starts: IntArray, masses: FloatArray, block_share: FloatArray, low: int, high: int, row_share: FloatArray,
    thresholds: FloatArray, means: FloatArray,
) -> None:  # fmt: skip
    """For blocks low to high of better and worse rows: the lowest of the better and the highest of the worse.

    Adds to `row_share` the shares of the better rows, and those of the worse with a minus, times the block's own share.
    `thresholds[b]` and `means[b]` are those of both sides.
    """
    for b in range(low, high):
        for side in range(2):
            rows = (
                better[better_starts[b] : better_starts[b + 1]]
                if side == 0
                else worse[worse_starts[b] : worse_starts[b + 1]]
            )
            sign = 1.0 if side == 0 else -1.0
            values, weights, share = np.empty(rows.size), np.empty(rows.size), np.empty(rows.size)
            for k in range(rows.size):
                values[k] = sign * scores[rows[k]]
                weights[k] = weight[rows[k]]
            threshold, mean = lowest(values, weights, masses[b, side], share)
            for k in range(rows.size):
                row_share[rows[k]] += sign * block_share[b] * share[k]
            thresholds[b, side] = sign * threshold
            means[b, side] = sign * mean


@helper
def _lowered(values: FloatArray, weight_sums: FloatArray, value_sums: FloatArray, mass: float) -> float:
    """Σ w_i (end − v_i) over the tail of this mass, of rising values whose sums up to each are given."""
    at = min(int(np.searchsorted(weight_sums, mass)), values.size - 1)
    return float(values[at] * weight_sums[at] - value_sums[at])


@helper
def _sums(values: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values, rising, and the sums of weights and of weighted values up to each."""
    order = np.argsort(values)
    return values[order], np.cumsum(weight[order]), np.cumsum(weight[order] * values[order])


@kernel
def tangent_minima(
    scores: FloatArray, weight: FloatArray, better: IntArray, better_starts: IntArray, worse: IntArray,
    worse_starts: IntArray, centre: FloatArray, product: FloatArray, halvings: int, low: FloatArray, high: FloatArray,
) -> None:  # fmt: skip
    """For each block the ν+ between `low` and `high` with the lowest tail, to so many halvings of the two.

    The tails have the masses 1 / (2/c − ν+/c²), c being the block's centre, and product / ν+. A higher cap lowers the
    value by Σ (end − f_i) over its tail, which is convex in ν+: halves go to where its slope changes sign.
    """
    for b in range(centre.size):
        rows, others = better[better_starts[b] : better_starts[b + 1]], worse[worse_starts[b] : worse_starts[b + 1]]
        first = _sums(scores[rows], weight[rows])
        second = _sums(-scores[others], weight[others])
        square = centre[b] * centre[b]
        for _ in range(halvings):
            nu = 0.5 * (low[b] + high[b])
            slope = _lowered(*first, 1.0 / (2.0 / centre[b] - nu / square)) / square
            slope -= _lowered(*second, product[b] / nu) / product[b]
            if slope < 0.0:
                low[b] = nu
            else:
                high[b] = nu
