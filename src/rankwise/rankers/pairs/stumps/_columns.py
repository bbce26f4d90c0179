"""What columns are to a search for stumps, dense or sparse, and what both share."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import _decision_stumps as kernels
from rankwise.types import IntArray


class SortedColumns(Protocol):
    """Columns of features that were sorted once, and are searched as often as one likes."""

    @property
    def n_rows(self) -> int:
        """Rows of each column."""

    def best_cuts(self, weight: IntArray, single: bool) -> tuple[IntArray, IntArray]:
        """Σ above − Σ below of each column at its best cut, and where that is; of equal ones the lowest.

        If a `single` one is asked for, this need hold for the best of all columns only; no other is larger.
        """

    def threshold(self, feature: int, place: int) -> float:
        """Half-way between the values on both sides of a cut."""

    def sides(self, feature: int, threshold: float) -> NDArray[np.int8]:
        """1 for rows above the threshold, −1 for the others, 0 where the value is missing."""


def midpoint(low: float, high: float) -> float:
    """A number t with low <= t < high, half-way where there is room.

    >>> midpoint(1.0, 2.0), midpoint(1e308, 1.5e308), midpoint(0.0, 5e-324)
    (1.5, 1.25e+308, 0.0)
    """
    middle = (low + high) / 2.0
    if math.isinf(middle):
        middle = low / 2.0 + high / 2.0
    return middle if low <= middle < high else low


def sides(values: NDArray[Any], threshold: float, rows: Any = None, n_rows: int = 0) -> NDArray[np.int8]:
    """On which side of the threshold each value lies: 1, −1, or 0 for NaN; of `n_rows` rows, all others being 0."""
    found = np.empty(values.size, dtype=np.int8)
    kernels.sides_of(values, threshold, found)
    if rows is None:
        return found
    out = np.full(n_rows, 1 if threshold < 0.0 else -1, dtype=np.int8)
    out[rows] = found
    return out


def canonical(X: Any) -> Any:
    """A CSR matrix without repeated entries; the given one, where it has none."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
