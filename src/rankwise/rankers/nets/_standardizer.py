"""Features on one scale: less their mean, over their standard deviation, as the net sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.types import FloatArray, IntArray

ROWS = 65_536  # at once, so that no second copy of the data in double precision is made
ROUNDING = 4  # a deviation below so many units in the last place of the largest value is none


@dataclass(frozen=True, eq=False)
class Standardizer:
    """Mean and 1/deviation of each feature; of a constant one 0, so that it never counts.

    >>> X = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> Standardizer.of(X, np.arange(2)).apply(np.array([[3.0, 9.0]]))
    array([[1., 0.]], dtype=float32)
    """

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, X: NDArray[Any], order: IntArray) -> Standardizer:
        """That of these rows, added up in this order."""
        first = X[order[0]].astype(np.float64)  # a mean near the values keeps the squares small
        total, squares, largest = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for start in range(0, len(X), ROWS):
            part = X[order[start : start + ROWS]].astype(np.float64)
            np.maximum(largest, np.abs(part).max(axis=0), out=largest)
            part -= first
            total += part.sum(axis=0)
            squares += np.einsum("ij,ij->j", part, part)  # overflows in silence
        mean = total / len(X)
        with np.errstate(over="ignore", invalid="ignore"):
            deviation = np.sqrt(np.maximum(squares / len(X) - mean**2, 0.0))
        if not np.isfinite(deviation).all():
            column = int(np.flatnonzero(~np.isfinite(deviation))[0])
            raise DataError(f"feature {column} is too large to standardize, got {largest[column]:g}; scale it down")
        varies = deviation > ROUNDING * np.finfo(X.dtype).eps * largest
        return cls(first + mean, np.where(varies, 1.0 / np.where(varies, deviation, 1.0), 0.0))

    @classmethod
    def none(cls, n_features: int) -> Standardizer:
        """One that leaves features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features))

    def apply(self, X: NDArray[Any], order: IntArray | None = None) -> NDArray[np.float32]:
        """The rows as a net sees them, in another order if one is given."""
        out = np.empty(X.shape, dtype=np.float32)
        for start in range(0, len(X), ROWS):
            rows: Any = slice(start, start + ROWS)
            part = X[rows if order is None else order[rows]]
            out[rows] = (part - self.mean) * self.scale
        return out
