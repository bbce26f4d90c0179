"""Linear scores of rows, with every feature divided by its standard deviation, without a copy of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data.prepare._standardizer import Standardizer
from rankwise.kernels.rows._products import rows_times, times_rows
from rankwise.types import FloatArray


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
        if not scaled:
            return cls(X, np.ones(X.shape[1]))
        return cls(X, Standardizer.of(X, weight=np.ones(X.shape[0]) if weight is None else weight).scale)

    def scores(self, w: FloatArray) -> FloatArray:
        """The score of each row."""
        w = self.scale * w
        return rows_times(self.X, w) if isinstance(self.X, np.ndarray) else np.asarray(self.X @ w)

    def sums(self, d: FloatArray) -> FloatArray:
        """The sum of all rows, each times its entry of d."""
        found = times_rows(d, self.X) if isinstance(self.X, np.ndarray) else np.asarray(self.X.T @ d)
        return np.asarray(self.scale * found)
