"""The best decision stumps for weighted rows, over all thresholds of all features."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError, ShapeError
from rankwise.kernels import _decision_stumps as kernels
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.rankers.pairs.stumps._columns import DenseColumns, SparseColumns
from rankwise.types import FloatArray, IntArray

MAX_ROWS = 2**31 - 1  # the top bit of an entry is a mark
SUM_BITS = 60  # of Σ |u| as a whole number: twice that still has less than 64


class StumpSearch:
    """Columns of dense or CSR rows, sorted once; a search then takes time linear in the values that are stored.

    A stump of a feature at a threshold is h = 1 for rows above it, −1 for the others, 0 where the value is missing.

    >>> search = StumpSearch(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 6.0]]))
    >>> search.best(np.array([-0.5, -0.25, 0.75]), 2)
    (array([0, 1]), array([3. , 5.5]), array([1, 1], dtype=int8), array([1.5, 1.5]))
    >>> search.values(0, 3.0)
    array([-1, -1,  1], dtype=int8)
    """

    def __init__(self, X: Matrix) -> None:
        if X.shape[0] > MAX_ROWS:
            raise DataError(f"stumps are searched among at most {MAX_ROWS} rows, got {X.shape[0]}; pass a sample")
        self._columns = DenseColumns.of(X) if isinstance(X, np.ndarray) else SparseColumns.of(X)

    def best(self, u: FloatArray, count: int = 1) -> tuple[IntArray, FloatArray, NDArray[np.int8], FloatArray]:
        """Features, thresholds, signs and edges of the stumps with the largest edges Σ u_i·sign·h(x_i), falling.

        At most one per feature, and only with edges above 0; of equal edges that of the lowest feature and threshold.
        Exact but for a rounding of each u_i by 2^-60 of Σ |u|; neither the order of rows nor threads change a bit.
        """
        columns = self._columns
        if u.shape != (columns.n_rows,):
            raise ShapeError(f"u must have one entry for each of the {columns.n_rows} rows, got shape {u.shape}")
        weight, exponent = _as_integers(np.ascontiguousarray(u, dtype=np.float64))
        edges, places = columns.best_cuts(weight, count == 1)
        features = _largest(np.abs(edges), count)
        thresholds = [columns.threshold(int(feature), int(places[feature])) for feature in features]
        sizes = np.ldexp(np.abs(edges[features]).astype(np.float64), -exponent)
        return features, np.array(thresholds), np.sign(edges[features]).astype(np.int8), sizes

    def values(self, feature: int, threshold: float) -> NDArray[np.int8]:
        """The stump's 1, −1 or 0 for each row."""
        return self._columns.sides(feature, threshold)


def _as_integers(u: FloatArray) -> tuple[IntArray, int]:
    """Whole numbers round(u·2^exponent), as large as their sums allow."""
    largest = float(np.abs(u).max())
    if largest == 0.0:
        return np.zeros(u.size, dtype=np.int64), 0
    bits = math.frexp(largest)[1] + int(kernels.size_in_steps(u, largest)).bit_length() - kernels.STEP_BITS
    weight = np.empty(u.size, dtype=np.int64)
    kernels.as_integers(u, SUM_BITS - bits, weight)
    return weight, SUM_BITS - bits


def _largest(sizes: IntArray, count: int) -> IntArray:
    """Features with the largest edges, falling; of equal ones the lowest first."""
    positive = np.flatnonzero(sizes)
    if count < positive.size:
        rank = positive.size - count
        positive = positive[sizes[positive] >= np.partition(sizes[positive], rank)[rank]]
    return positive[np.argsort(-sizes[positive], kind="stable")][:count]
