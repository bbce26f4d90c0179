"""What tells rows apart whatever their order: equal scores are ranked, and rows and bins drawn, by it."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.kernels.rows import _row_hash as row_sums
from rankwise.types import AnyArray, FloatArray

ROWS_AT_ONCE = 4096  # so that the numbers stay in the cache

RowHashes = NDArray[np.uint64]


def row_hashes(X: AnyArray | sp.csr_matrix, y: FloatArray | None = None) -> RowHashes:
    """A key for each row, from its features and its label, if any; rows that are alike have the same key."""
    of_features, of_label = _multipliers(X.shape[1])
    keys = np.zeros(X.shape[0], dtype=np.uint64)
    if isinstance(X, sp.csr_matrix):
        row_sums.add_sparse(_bits(X.data), X.indices, X.indptr, of_features, keys)
    else:
        for start in range(0, X.shape[0], ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            row_sums.add_dense(np.ascontiguousarray(X[rows]), of_features, keys[rows])
    if y is not None:
        row_sums.add_dense(_column(y), of_label, keys)
    return keys


def document_hashes(keys: RowHashes, y: FloatArray, features: int) -> RowHashes:
    """Keys of rows without their labels: those of one document are the same, whatever became of it."""
    of_labels = np.zeros_like(keys)
    row_sums.add_dense(_column(y), _multipliers(features)[1], of_labels)
    return keys - of_labels


def single_hashes(keys: RowHashes) -> RowHashes:
    """Keys of rows that no other row is like, in rising order."""
    values, counts = np.unique(keys, return_counts=True)
    return np.asarray(values[counts == 1])


def seeded_hashes(keys: RowHashes, seed: int) -> FloatArray:
    """Keys as numbers from 0 to 1, in an order that the seed decides."""
    return np.asarray(row_sums.uniform_hash(keys, np.uint64(seed)))


def bell_hashes(keys: RowHashes, seed: int) -> FloatArray:
    """Numbers of mean 0 and variance 1 by keys, as if drawn from a bell curve; none is above 2√3, in size."""
    return np.asarray(row_sums.bell_hash(keys, np.uint64(seed)))


@cache
def _multipliers(features: int) -> tuple[RowHashes, RowHashes]:
    """Of the features, and of the label."""
    drawn = np.random.default_rng(0).integers(2**64, size=features + 1, dtype=np.uint64) | np.uint64(1)
    return drawn[:-1], drawn[-1:]


def _column(y: FloatArray) -> FloatArray:
    return np.ascontiguousarray(y, dtype=np.float64)[:, None]


def _bits(numbers: AnyArray) -> RowHashes:
    # adding 0 makes −0 a plain 0
    return (np.ascontiguousarray(numbers, dtype=np.float64) + 0.0).view(np.uint64)
