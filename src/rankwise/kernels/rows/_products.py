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


@kernel
def _column_sums(X: AnyArray, d: FloatArray, low: int, high: int, out: FloatArray) -> None:
    for i in range(low, high):
        if d[i] != 0.0:
            for k in range(out.size):
                out[k] += X[i, k] * d[i]


def _by_blocks(X: AnyArray, task: Callable[[int, int, int], object]) -> None:
    """`task(block, low, high)` for all blocks of rows."""
    tasks = [partial(task, b, low, min(low + BLOCK_ROWS, len(X))) for b, low in enumerate(range(0, len(X), BLOCK_ROWS))]
    if X.size >= THREADS_MIN_ENTRIES:
        threads.run(tasks)
    else:
        for task_of_block in tasks:
            task_of_block()


def rows_times(X: AnyArray, w: FloatArray) -> FloatArray:
    """`X @ w`.

    >>> rows_times(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    out = np.empty(len(X))
    _by_blocks(X, lambda b, low, high: _row_products(X, w, low, high, out))
    return out


def times_rows(d: FloatArray, X: AnyArray) -> FloatArray:
    """`d @ X`; rows of weight 0 are not looked at.

    >>> times_rows(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32))
    array([31., 42.])
    """
    block_sums = np.zeros((-(-len(X) // BLOCK_ROWS), X.shape[1]))
    _by_blocks(X, lambda b, low, high: _column_sums(X, d, low, high, block_sums[b]))
    return np.asarray(block_sums.sum(axis=0))
