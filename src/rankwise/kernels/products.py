"""Products of a dense matrix with a vector, added up in double precision whatever the matrix holds, in threads.

numpy would copy a matrix of single precision to double first. Sums over rows are added by blocks of fixed size, so that
they do not depend on the number of threads.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import threads
from rankwise.kernels.compiled import kernel, reassociating_kernel

__all__ = ["rows_times", "times_rows"]

BLOCK = 4096  # rows
LANES = 8  # columns at a time
Array = NDArray[np.float64]


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


def _blocks(rows: int) -> list[tuple[int, int]]:
    return [(low, min(low + BLOCK, rows)) for low in range(0, rows, BLOCK)]


def rows_times(X: NDArray[Any], w: Array) -> Array:
    """`X @ w`.

    >>> rows_times(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    out = np.empty(len(X))
    threads.run([partial(_row_products, X, w, low, high, out) for low, high in _blocks(len(X))])
    return out


def times_rows(d: Array, X: NDArray[Any]) -> Array:
    """`d @ X`; rows of weight 0 are not looked at.

    >>> times_rows(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32))
    array([31., 42.])
    """
    blocks = _blocks(len(X))
    parts = np.zeros((len(blocks), X.shape[1]))
    threads.run([partial(_column_sums, X, d, low, high, parts[b]) for b, (low, high) in enumerate(blocks)])
    return np.asarray(parts.sum(axis=0))
