"""Linear scores of rows, with every feature divided by its standard deviation, without a copy of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.kernels.rows._products import rows_times, times_rows
from rankwise.types import FloatArray

ROWS = 65_536  # at once, so that no second copy of the data in double precision is made
ROUNDING = 4  # a deviation below so many units in the last place of the largest value is none


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Rows x, whose scores are Σ_k w_k · scale_k · x_k; a feature of scale 0 never counts."""

    X: Any
    scale: FloatArray

    @classmethod
    def of(cls, X: Any, weight: FloatArray | None, scaled: bool) -> LinearRows:
        """Rows as they are given, or scaled by their deviations."""
        if isinstance(X, np.ndarray):
            X = np.ascontiguousarray(X)
        else:
            X = X.astype(np.float64, copy=not X.has_canonical_format)
            X.sum_duplicates()
        found = deviations(X, np.ones(X.shape[0]) if weight is None else weight) if scaled else np.ones(X.shape[1])
        return cls(X, np.where(found > 0.0, 1.0 / np.where(found > 0.0, found, 1.0), 0.0))

    def scores(self, w: FloatArray) -> FloatArray:
        """The score of each row."""
        w = self.scale * w
        return rows_times(self.X, w) if isinstance(self.X, np.ndarray) else np.asarray(self.X @ w)

    def sums(self, d: FloatArray) -> FloatArray:
        """The sum of all rows, each times its entry of d."""
        found = times_rows(d, self.X) if isinstance(self.X, np.ndarray) else np.asarray(self.X.T @ d)
        return np.asarray(self.scale * found)


def deviations(X: Any, weight: FloatArray) -> FloatArray:
    """The standard deviation of each feature over weighted rows; 0 where it is no more than rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        share = weight / weight.sum()
        found, largest = _dense(X, share) if isinstance(X, np.ndarray) else _sparse(X, share)
    if not np.isfinite(found).all():
        column = int(np.flatnonzero(~np.isfinite(found))[0])
        raise DataError(f"feature {column} is too large to learn from, got {largest[column]:g}; scale it down")
    return np.where(found > ROUNDING * np.finfo(X.dtype).eps * largest, found, 0.0)


def _dense(X: NDArray[Any], share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Deviation and largest size of each feature."""
    first = X[0].astype(np.float64)  # values less this one keep the squares small
    mean, squares, largest = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for start in range(0, len(X), ROWS):
        part, own = X[start : start + ROWS].astype(np.float64), share[start : start + ROWS]
        np.maximum(largest, np.abs(part).max(axis=0), out=largest)
        part -= first
        mean += times_rows(own, part)
        squares += times_rows(own, np.square(part, out=part))
    return np.sqrt(np.maximum(squares - mean**2, 0.0)), largest


def _sparse(X: Any, share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same of rows of which most entries are 0 and not stored."""
    columns, of_entry = X.shape[1], np.repeat(share, np.diff(X.indptr))
    about = np.bincount(X.indices, of_entry * X.data, columns)  # the mean, but for rounding
    whole = np.bincount(X.indices, minlength=columns) == X.shape[0]
    zeros = np.where(whole, 0.0, np.maximum(1.0 - np.bincount(X.indices, of_entry, columns), 0.0))
    apart = X.data - about[X.indices]
    mean = np.bincount(X.indices, of_entry * apart, columns) - zeros * about
    squares = np.bincount(X.indices, of_entry * apart**2, columns) + zeros * about**2
    largest = np.zeros(columns)
    np.maximum.at(largest, X.indices, np.abs(X.data))
    return np.sqrt(np.maximum(squares - mean**2, 0.0)), largest
