"""The share of rows below a value: a line made of straight pieces, one line per feature."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import kernel
from rankwise.types import AnyArray, FloatArray

BLOCK_ROWS = 256  # that take each step of the search together, in vectors


@kernel
def fill_shares(
    X: AnyArray, starts: FloatArray, levels: FloatArray, slopes: FloatArray, low: int, high: int, out: FloatArray
) -> None:
    """Fill `out[i, k]` by the last piece of line k that starts at or below X[i, k], or else by its first piece.

    A piece has its level at its start, and a slope. Lines have a power of 2 of pieces, by rising starts.
    """
    values, piece = np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS, dtype=np.int64)
    for first in range(low, high, BLOCK_ROWS):
        size = min(BLOCK_ROWS, high - first)
        for k in range(starts.shape[0]):
            start, level, slope = starts[k], levels[k], slopes[k]
            for i in range(size):
                values[i], piece[i] = X[first + i, k], 0
            step = start.size // 2
            while step > 0:
                for i in range(size):
                    piece[i] += step * (start[piece[i] + step] <= values[i])
                step //= 2
            for i in range(size):
                out[first + i, k] = level[piece[i]] + slope[piece[i]] * (values[i] - start[piece[i]])
