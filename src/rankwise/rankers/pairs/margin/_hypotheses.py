"""What a MarginRanker combines: features and their negatives, stumps, or functions of the user's own.

Hypotheses are named by keys: a feature k by k and its negative by −k − 1, a function by its number, a stump by its
feature, threshold and sign.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.kernels.rows._products import rows_times, times_rows
from rankwise.rankers.pairs.stumps._search import StumpSearch
from rankwise.rankers.pairs.stumps._stumps import Stumps
from rankwise.types import FloatArray, IntArray

Keys = list[Hashable]
FAR = 1e6  # features this many times farther from 0 than they vary by would lose their digits in sums
HUGE = 1e290  # whose sums overflow


class Scale:
    """Features of the training data lie between `low` and `high`; as hypotheses, from −1 to 1."""

    def __init__(self, low: FloatArray, high: FloatArray) -> None:
        self.low, self.high = low, high
        with np.errstate(over="ignore"):
            self.middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
        self.factor = np.where(half > 0.0, 1.0 / np.where(half > 0.0, half, 1.0), 0.0)  # a constant one never counts
        self.factor[~np.isfinite(self.factor)] = 0.0  # nor one that varies by denormal numbers

    def scaled(self, values: FloatArray, columns: IntArray) -> FloatArray:
        """Values of some columns as hypotheses; the lowest is subtracted first, so that no digits are lost."""
        half, factor = (0.5 * values - 0.5 * self.low[columns]), self.factor[columns]
        return np.asarray(np.where(factor > 0.0, 2.0 * (half * factor) - 1.0, 0.0))

    @property
    def far(self) -> IntArray:
        """Columns whose values must not be added up unscaled."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        return np.flatnonzero((self.factor > 0.0) & ((size * self.factor > FAR) | (size > HUGE)))

    @classmethod
    def of(cls, X: Any) -> Scale:
        """That of these rows."""
        if not isinstance(X, np.ndarray):
            return cls(*(np.asarray(one.toarray(), np.float64).ravel() for one in (X.min(axis=0), X.max(axis=0))))
        return cls(X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64))

    @classmethod
    def none(cls, columns: int) -> Scale:
        """One that leaves values as they are."""
        return cls(np.full(columns, -1.0), np.full(columns, 1.0))


class FeatureHypotheses:
    """Columns of a dense or CSR matrix, scaled to [−1, 1], and their negatives if `both`."""

    def __init__(self, X: Any, scale: Scale, both: bool = True) -> None:
        self.sparse = not isinstance(X, np.ndarray)
        self.X: Any = sp.csr_array(X, dtype=np.float64) if self.sparse else np.ascontiguousarray(X)
        self.scale, self.both = scale, both
        self.far = scale.far
        far: Any = self.X[:, self.far]
        self.of_far = scale.scaled(far.toarray() if self.sparse else far.astype(np.float64), self.far)
        if both and not scale.factor.any():
            raise DataError("no feature varies, so there is nothing to rank by; pass features that differ between rows")

    def weights(self, keys: Keys, alpha: FloatArray) -> FloatArray:
        """The weight of each scaled feature."""
        k = np.array(keys, dtype=np.int64)
        out = np.zeros(self.X.shape[1])
        np.add.at(out, np.where(k < 0, -k - 1, k), np.where(k < 0, -alpha, alpha))
        return out

    def scores(self, keys: Keys, alpha: FloatArray) -> FloatArray:
        """Σ α_k h_k for every row."""
        weights = self.weights(keys, alpha)
        w = weights * self.scale.factor
        w[self.far] = 0.0
        product = self.X @ w if self.sparse else rows_times(self.X, w)
        return np.asarray(product - w @ self.scale.middle + self.of_far @ weights[self.far])

    def values(self, keys: Keys, rows: IntArray) -> FloatArray:
        """Every hypothesis (by column) at some rows."""
        k = np.array(keys, dtype=np.int64)
        columns = np.where(k < 0, -k - 1, k)
        some = self.X[rows]
        picked = some[:, columns].toarray() if self.sparse else some[:, columns].astype(np.float64)
        return self.scale.scaled(picked, columns) * np.where(k < 0, -1.0, 1.0)

    def memory(self, weights: FloatArray) -> FloatArray:
        """The edge of every feature."""
        product = self.X.T @ weights if self.sparse else times_rows(weights, self.X)
        product[self.far] = 0.0
        edges = 0.5 * (product - self.scale.middle * weights.sum()) * self.scale.factor
        edges[self.far] = 0.5 * (weights @ self.of_far)
        return np.asarray(edges)

    def edges(self, memory: FloatArray, keys: Keys) -> FloatArray:
        """Those of some features, or with a minus of their negatives."""
        k = np.array(keys, dtype=np.int64)
        return np.where(k < 0, -memory[np.where(k < 0, -k - 1, k)], memory[np.where(k < 0, 0, k)])

    def best(self, memory: FloatArray, count: int) -> tuple[Keys, float]:
        """The features of the largest edges, or their negatives where those have them."""
        size = np.abs(memory) if self.both else memory
        order = np.argsort(-size, kind="stable")[:count]
        keys: Keys = [int(k) if memory[k] >= 0.0 or not self.both else -int(k) - 1 for k in order]
        return keys, float(size[order[0]])

    def opposite(self, key: Any) -> Any:
        """The negative of a hypothesis; None where it has none."""
        return -key - 1 if self.both else None


class StumpHypotheses:
    """All stumps of all features: searched for, never listed. The rows' sides of those in use are kept, a byte each."""

    def __init__(self, X: Any) -> None:
        self.X, self.search = X, StumpSearch(X)
        self.known: dict[Any, int] = {}
        self.sides = np.zeros((0, X.shape[0]), dtype=np.int8)

    def scores(self, keys: Any, alpha: FloatArray) -> FloatArray:
        """Σ α_k h_k for every row."""
        return stumps_of(keys, alpha).scores(self.X)

    def values(self, keys: Any, rows: IntArray) -> FloatArray:
        """Every stump (by column) at some rows."""
        return self._sides(keys)[:, rows].T.astype(np.float64)

    def memory(self, weights: FloatArray) -> FloatArray:
        """The weights themselves."""
        return weights

    def edges(self, memory: FloatArray, keys: Any) -> FloatArray:
        """½ Σ u_i h(x_i) of each stump."""
        return np.array([0.5 * float(memory @ side) for side in self._sides(keys)])

    def best(self, memory: FloatArray, count: int) -> tuple[Keys, float]:
        """At most one stump per feature; if all edges are 0, any stump."""
        keys, edges = self._named(memory, count)
        return (keys, 0.5 * float(edges[0])) if keys else (self._any, 0.0)

    def opposite(self, key: Any) -> Any:
        """The stump of the other sign."""
        return key[0], key[1], -key[2]

    @cached_property
    def _any(self) -> Keys:
        keys, _ = self._named(np.random.default_rng(0).random(self.X.shape[0]), 1)  # no stump is level in such weights
        if not keys:
            raise DataError("no feature varies, so there is nothing to rank by; pass features that differ between rows")
        return keys

    def _named(self, weights: FloatArray, count: int) -> tuple[Keys, FloatArray]:
        features, thresholds, signs, edges = self.search.best(weights, count)
        return list(zip(features.tolist(), thresholds.tolist(), signs.tolist(), strict=True)), edges

    def _sides(self, keys: Any) -> NDArray[np.int8]:
        new = [key for key in keys if key not in self.known]
        if new:
            found = [sign * self.search.values(feature, threshold) for feature, threshold, sign in new]
            self.known |= {key: len(self.known) + place for place, key in enumerate(new)}
            self.sides = np.vstack([self.sides, np.array(found, dtype=np.int8)])
        return self.sides[[self.known[key] for key in keys]]


def stumps_of(keys: Any, alpha: FloatArray) -> Stumps:
    """The weighted stumps that keys name."""
    features, thresholds, signs = zip(*keys, strict=True)
    return Stumps.of(features, thresholds, signs, alpha)


def function_values(functions: Sequence[Callable[[Any], Any]], X: Any) -> FloatArray:
    """What functions of the user's own give for rows, one per column; all must be from −1 to 1."""
    columns = []
    for number, function in enumerate(functions):
        given = function(X)
        try:
            column = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            said = " ".join(str(problem).split())
            raise DataError(
                f"hypothesis {number} must give one number from -1 to 1 a row ({said}); mend it"
            ) from problem
        columns.append(column)
        if column.shape != (X.shape[0],) or not (np.abs(column) <= 1.0).all():
            raise DataError(
                f"hypothesis {number} must give one number from -1 to 1 a row, got shape {column.shape}, largest "
                f"{np.abs(column).max(initial=0.0):g}; scale it, with np.tanh for instance"
            )
    return np.column_stack(columns)
