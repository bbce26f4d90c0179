"""Checked features, dense or sparse, and their products with vectors, added up in double precision."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from rankwise.kernels.rows._products import rows_times, times_rows
from rankwise.types import AnyArray, FloatArray

Matrix: TypeAlias = "AnyArray | sp.csr_matrix"


def canonical(X: sp.csr_matrix) -> sp.csr_matrix:
    """A CSR matrix without repeated entries; X itself, where it has none."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def matrix_times(X: Matrix, w: FloatArray) -> FloatArray:
    """`X @ w`."""
    return rows_times(np.ascontiguousarray(X), w) if isinstance(X, np.ndarray) else np.asarray(X @ w)


def times_matrix(d: FloatArray, X: Matrix) -> FloatArray:
    """`d @ X`."""
    return times_rows(d, X) if isinstance(X, np.ndarray) else np.asarray(X.T @ d)
