"""Splits of symmetric trees: one question per depth, the same for all leaves, by histograms of binned columns.

`codes[f]` are the bins of feature f by row; rows of bins up to a cut go left. A leaf is split where both sides have
enough rows and Hessian; elsewhere it stays as it is. Gradients and Hessians are on a grid, so that their sums are exact
in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

Codes = NDArray[np.uint8 | np.uint16]  # the latter for more than 256 bins


@helper
def _gain(gradient: float, hessian: float, penalty: float) -> float:
    """Twice what a Newton step lowers the cost by."""
    return gradient * gradient / (hessian + penalty)


@kernel
def best_cuts(
    codes: Codes, n_bins: IntArray, columns: IntArray, terms: FloatArray, leaves: NDArray[np.int32], n_leaves: int,
    min_rows: int, min_hessian: float, penalty: float, gains: FloatArray, cuts: IntArray,
) -> None:  # fmt: skip
    """The best cut of each of `columns` and its gain over all leaves, 0 where there is none.

    `terms` has gradient, Hessian, 1 and 0 of each row: four numbers are one vector, which is added at once.
    """
    widest = 0
    for column in columns:
        widest = max(widest, n_bins[column])
    sums, gain = np.empty(n_leaves * widest * 4), np.empty(widest)
    for place in range(columns.size):
        column = columns[place]
        bins = n_bins[column]
        code = codes[column]
        sums[: n_leaves * bins * 4] = 0.0
        gain[:bins] = 0.0
        for i in range(leaves.size):
            at = (leaves[i] * bins + code[i]) * 4
            for k in range(4):
                sums[at + k] += terms[i, k]
        for leaf in range(n_leaves):
            first = leaf * bins * 4
            G, H, n = 0.0, 0.0, 0.0
            for b in range(first, first + bins * 4, 4):
                G += sums[b]
                H += sums[b + 1]
                n += sums[b + 2]
            if n < 2 * min_rows or 2 * min_hessian > H:
                continue
            before = _gain(G, H, penalty)
            g, h, m = 0.0, 0.0, 0.0
            for b in range(bins - 1):
                g += sums[first + 4 * b]
                h += sums[first + 4 * b + 1]
                m += sums[first + 4 * b + 2]
                if min(m, n - m) >= min_rows and min(h, H - h) >= min_hessian:
                    gain[b] += _gain(g, h, penalty) + _gain(G - g, H - h, penalty) - before
        gains[place], cuts[place] = 0.0, -1
        for b in range(bins - 1):
            if gain[b] > gains[place]:
                gains[place], cuts[place] = gain[b], b


@kernel
def split_leaves(
    codes: Codes, column: int, cut: int, hessian: NDArray[np.float32], leaves: NDArray[np.int32], n_leaves: int,
    min_rows: int, min_hessian: float, right: NDArray[np.int32],
) -> int:  # fmt: skip
    """Split each leaf that can be: `right[leaf]` is the number of its right half, −1 where there is none.

    The left half keeps the number. The new number of leaves is returned.
    """
    rows, weights = np.zeros((n_leaves, 2)), np.zeros((n_leaves, 2))
    for i in range(leaves.size):
        side = 1 if codes[column, i] > cut else 0
        rows[leaves[i], side] += 1.0
        weights[leaves[i], side] += hessian[i]
    total = n_leaves
    for leaf in range(n_leaves):
        fewest, lightest = min(rows[leaf, 0], rows[leaf, 1]), min(weights[leaf, 0], weights[leaf, 1])
        splits = fewest >= max(min_rows, 1) and lightest >= min_hessian
        right[leaf] = total if splits else -1
        total += splits
    follow_split(codes, column, cut, right, leaves)
    return total


@kernel
def follow_split(codes: Codes, column: int, cut: int, right: NDArray[np.int32], leaves: NDArray[np.int32]) -> None:
    """Send the rows of split leaves to their halves."""
    for i in range(leaves.size):
        if codes[column, i] > cut and right[leaves[i]] >= 0:
            leaves[i] = right[leaves[i]]
