"""Products of a dense matrix with a vector, added up in double precision whatever the matrix holds, in threads.

numpy would copy a matrix of single precision to double first. Sums over rows are added by blocks of fixed size, so that
they do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import kernel, reassociating_kernel
from rankwise.types import AnyArray, FloatArray

BLOCK_ROWS = 4096
THREADS_MIN_ENTRIES = 1 << 20  # of the matrix


@reassociating_kernel
def _row_products(X: AnyArray, w: FloatArray, low: int, high: int, out: FloatArray) -> None:
    for i in range(low, high):
        total = 0.0
        for k in range(w.size):
            total += X[i, k] * w[k]
        out[i] = total


@reassociating_kernel
def _column_sums(X: AnyArray, d: FloatArray, low: int, high: int, out: FloatArray) -> None:
    """Add up rows `low` to `high` in each line of `out` that belongs to a block of them."""
    for first in range(low, high, BLOCK_ROWS):
        sums, stop = out[first // BLOCK_ROWS], min(first + BLOCK_ROWS, high)
        i = first
        while i < stop:
            if i + 4 <= stop and d[i] != 0.0 and d[i + 1] != 0.0 and d[i + 2] != 0.0 and d[i + 3] != 0.0:
                a, b, c, e = d[i], d[i + 1], d[i + 2], d[i + 3]
                for k in range(sums.size):
                    sums[k] += (X[i, k] * a + X[i + 1, k] * b) + (X[i + 2, k] * c + X[i + 3, k] * e)
                i += 4
            else:
                if d[i] != 0.0:
                    for k in range(sums.size):
                        sums[k] += X[i, k] * d[i]
                i += 1


@kernel
def add_moments(
    X: AnyArray, share: FloatArray, center: FloatArray, mean: FloatArray, squares: FloatArray, largest: FloatArray
) -> None:
    """Add to `mean` and `squares` those of X − center, rows by their share; `largest` is the largest |X| so far."""
    for i in range(len(X)):
        of_row = share[i]
        for k in range(center.size):
            value = np.float64(X[i, k])
            apart = value - center[k]
            mean[k] += of_row * apart
            squares[k] += of_row * apart * apart
            largest[k] = max(largest[k], abs(value))


@reassociating_kernel
def dot(a: FloatArray, b: FloatArray) -> float:
    """The product of two vectors, added up by blocks, so that long ones are as exact."""
    total = 0.0
    for first in range(0, a.size, BLOCK_ROWS):
        of_block = 0.0
        for i in range(first, min(first + BLOCK_ROWS, a.size)):
            of_block += a[i] * b[i]
        total += of_block
    return total


def _by_blocks(X: AnyArray, task: Callable[[int, int], object]) -> None:
    """`task(low, high)` for all rows: in threads a block each, where the matrix is large."""
    if X.size < THREADS_MIN_ENTRIES:
        task(0, len(X))
    else:
        threads.run([partial(task, low, min(low + BLOCK_ROWS, len(X))) for low in range(0, len(X), BLOCK_ROWS)])


def rows_times(X: AnyArray, w: FloatArray) -> FloatArray:
    """`X @ w`.

    >>> rows_times(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    out = np.empty(len(X))
    _by_blocks(X, lambda low, high: _row_products(X, w, low, high, out))
    return out


def times_rows(d: FloatArray, X: AnyArray) -> FloatArray:
    """`d @ X`; rows of weight 0 are not looked at.

    >>> times_rows(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32))
    array([31., 42.])
    """
    block_sums = np.zeros((-(-len(X) // BLOCK_ROWS), X.shape[1]))
    _by_blocks(X, lambda low, high: _column_sums(X, d, low, high, block_sums))
    return np.asarray(block_sums.sum(axis=0))
