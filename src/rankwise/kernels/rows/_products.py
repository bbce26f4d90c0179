"""Products of a dense matrix with a vector, added up in double precision whatever the matrix holds, in threads.

numpy would copy a matrix of single precision to double first. Sums over rows are added by blocks of fixed size, so that
they do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import kernel, reassociating_kernel
from rankwise.types import FloatArray

BLOCK = 4096  # rows
WORTH_THREADS = 1 << 20  # entries of the matrix


@reassociating_kernel
def _row_products(X: Any, w: Any, low: int, high: int, out: Any) -> None:
    for i in range(low, high):
        total = 0.0
        for k in range(w.size):
            total += X[i, k] * w[k]
        out[i] = total


@kernel
def _column_sums(X: Any, d: Any, low: int, high: int, out: Any) -> None:
    for i in range(low, high):
        if d[i] != 0.0:
            for k in range(out.size):
                out[k] += X[i, k] * d[i]


def _by_blocks(X: NDArray[Any], task: Callable[[int, int, int], object]) -> None:
    """`task(block, low, high)` for all blocks of rows."""
    tasks = [partial(task, b, low, min(low + BLOCK, len(X))) for b, low in enumerate(range(0, len(X), BLOCK))]
    if X.size >= WORTH_THREADS:
        threads.run(tasks)
    else:
        for one in tasks:
            one()


def rows_times(X: NDArray[Any], w: FloatArray) -> FloatArray:
    """`X @ w`.

    >>> rows_times(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    out = np.empty(len(X))
    _by_blocks(X, lambda b, low, high: _row_products(X, w, low, high, out))
    return out


def times_rows(d: FloatArray, X: NDArray[Any]) -> FloatArray:
    """`d @ X`; rows of weight 0 are not looked at.

    >>> times_rows(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32))
    array([31., 42.])
    """
    parts = np.zeros((-(-len(X) // BLOCK), X.shape[1]))
    _by_blocks(X, lambda b, low, high: _column_sums(X, d, low, high, parts[b]))
    return np.asarray(parts.sum(axis=0))
