"""Features on one scale: less their mean, over their standard deviation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.kernels.rows._products import add_moments
from rankwise.types import AnyArray, FloatArray, IntArray

BLOCK_ROWS = 65_536  # at once, so that no second copy of the data in double precision is made
SMALLEST = 1e-150  # below, the square of a value is lost
ROUNDING_UNITS = 4  # a deviation below so many units in the last place of the largest value is none

Moments = tuple[FloatArray, FloatArray, FloatArray]  # mean, deviation and largest size of each feature


@dataclass(frozen=True, eq=False)
class Standardizer:
    """Mean and 1/deviation of each feature; of a constant one 0, so that it never counts.

    Sums are ours rather than scikit-learn's because they are added up in an order that the caller says: the same rows
    in any order are then the same model, bit for bit.

    >>> X = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> Standardizer.of(X).apply(np.array([[3.0, 9.0]]))
    array([[1., 0.]], dtype=float32)
    """

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(
        cls,
        X: AnyArray | sp.csr_matrix,
        *,
        order: IntArray | None = None,
        weight: FloatArray | None = None,
        missing: bool = False,
    ) -> Standardizer:
        """That of these rows, by their weights, or in this order.

        Without weights, NaN may be `missing`: it then counts for nothing (and no deviation is rounding).
        """
        with np.errstate(over="ignore", invalid="ignore"):
            share = None if weight is None else weight / weight.sum()
            if not isinstance(X, np.ndarray):
                moments = _sparse_moments(X, np.full(X.shape[0], 1.0 / X.shape[0]) if share is None else share)
            else:
                moments = _dense_moments(X, order, missing) if share is None else _weighted_moments(X, share)
        mean, deviation, largest = moments
        if not np.isfinite(deviation).all():
            column = int(np.flatnonzero(~np.isfinite(deviation))[0])
            raise DataError(f"feature {column} is too large to standardize, got {largest[column]:g}; scale it down")
        for column in np.flatnonzero((largest > 0.0) & (largest < SMALLEST)).tolist():  # their squares are 0
            if _differs(X, column):
                raise DataError(f"feature {column} is too small to standardize, got {largest[column]:g}; scale it up")
        varies = deviation > (0.0 if missing else ROUNDING_UNITS * np.finfo(X.dtype).eps * largest)
        return cls(mean, np.where(varies, 1.0 / np.where(varies, deviation, 1.0), 0.0))

    @classmethod
    def none(cls, n_features: int) -> Standardizer:
        """One that leaves features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features))

    def apply(self, X: AnyArray, order: IntArray | None = None) -> NDArray[np.float32]:
        """The rows on one scale, in single precision; in another order if one is passed."""
        out = np.empty(X.shape, dtype=np.float32)
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            out[rows] = (X[rows if order is None else order[rows]] - self.mean) * self.scale
        return out


def _differs(X: AnyArray | sp.csr_matrix, column: int) -> bool:
    """Whether two rows have another value there; missing ones are none."""
    values = X[:, column] if isinstance(X, np.ndarray) else X[:, [column]].toarray().ravel()
    return bool(np.nanmin(values) < np.nanmax(values))


def _weighted_moments(X: AnyArray, share: FloatArray) -> Moments:
    """Those of rows that have their shares in all, in one pass."""
    first = X[0].astype(np.float64)  # values less one of them keep the squares small
    mean, squares, largest = np.zeros((3, X.shape[1]))
    add_moments(np.ascontiguousarray(X), share, first, mean, squares, largest)
    return first + mean, np.sqrt(np.maximum(squares - mean**2, 0.0)), largest


def _dense_moments(X: AnyArray, order: IntArray | None, missing: bool) -> Moments:
    # Values less one of them keep the squares small.
    place = np.argmin(np.isnan(X), axis=0) if missing else 0 if order is None else order[0]
    first = np.asarray(X[place, np.arange(X.shape[1])], dtype=np.float64)
    first = np.nan_to_num(first) if missing else first
    mean, squares, largest = np.zeros((3, X.shape[1]))
    count = np.full(X.shape[1], float(len(X)))
    for start in range(0, len(X), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        block = X[rows if order is None else order[rows]].astype(np.float64)
        if missing:
            unknown = np.isnan(block)
            count -= unknown.sum(axis=0)
            block = np.where(unknown, first, block)
        np.maximum(largest, np.abs(block).max(axis=0), out=largest)
        block -= first
        mean += block.sum(axis=0)
        squares += np.einsum("ij,ij->j", block, block)
    count = np.maximum(count, 1.0)
    mean /= count
    return first + mean, np.sqrt(np.maximum(squares / count - mean**2, 0.0)), largest


def _sparse_moments(X: sp.csr_matrix, share: FloatArray) -> Moments:
    """The same of rows of which most entries are 0 and not stored."""
    columns, entry_share = X.shape[1], np.repeat(share, np.diff(X.indptr))
    about = np.bincount(X.indices, entry_share * X.data, columns)  # the mean, but for rounding
    is_full = np.bincount(X.indices, minlength=columns) == X.shape[0]
    zeros = np.where(is_full, 0.0, np.maximum(1.0 - np.bincount(X.indices, entry_share, columns), 0.0))
    apart = X.data - about[X.indices]
    mean = np.bincount(X.indices, entry_share * apart, columns) - zeros * about
    squares = np.bincount(X.indices, entry_share * apart**2, columns) + zeros * about**2
    largest = np.zeros(columns)
    np.maximum.at(largest, X.indices, np.abs(X.data))
    return about + mean, np.sqrt(np.maximum(squares - mean**2, 0.0)), largest
