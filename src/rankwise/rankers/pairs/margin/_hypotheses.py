"""What a MarginRanker combines: features and their negatives, stumps, or functions of the user's own.

Hypotheses are named by keys: a feature k by k and its negative by −k − 1, a function by its number, a stump by its
feature, threshold and sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import DataError
from rankwise.objectives.margins._cutting_planes import Key, Keys, StumpKey
from rankwise.rankers.pairs._matrix import Matrix, matrix_times, times_matrix
from rankwise.rankers.pairs.stumps._search import StumpSearch
from rankwise.rankers.pairs.stumps._stumps import Stumps
from rankwise.types import AnyArray, FloatArray, IntArray

HypothesisFunction = Callable[[Matrix], ArrayLike]
MAX_OFFSET = 1e6  # features this many times farther from 0 than they vary by would lose their digits in sums
MAX_SUMMED_VALUE = 1e290  # sums of larger ones overflow
NO_FEATURE_VARIES = "no feature varies, so there is nothing to rank by; pass features that differ between rows"


class Scale:
    """Features of the training data lie between `low` and `high`; as hypotheses, from −1 to 1."""

    def __init__(self, low: FloatArray, high: FloatArray) -> None:
        self.low, self.high = low, high
        with np.errstate(over="ignore"):
            self.middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
        self.factor = np.where(half > 0.0, 1.0 / np.where(half > 0.0, half, 1.0), 0.0)  # a constant one never counts
        self.factor[~np.isfinite(self.factor)] = 0.0  # nor one that varies by denormal numbers

    def scaled(self, values: AnyArray, columns: IntArray) -> FloatArray:
        """Values of some columns as hypotheses; the lowest is subtracted first, so that no digits are lost."""
        scaled, factor = np.multiply(values, 0.5, dtype=np.float64), self.factor[columns]
        scaled -= 0.5 * self.low[columns]
        scaled *= factor
        scaled *= 2.0
        scaled -= factor > 0.0
        return scaled

    @property
    def far_columns(self) -> IntArray:
        """Columns whose values must not be added up unscaled."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        return np.flatnonzero((self.factor > 0.0) & ((size * self.factor > MAX_OFFSET) | (size > MAX_SUMMED_VALUE)))

    @classmethod
    def of(cls, X: Matrix) -> Scale:
        """That of these rows."""
        extremes = (X.min(axis=0), X.max(axis=0))
        dense = extremes if isinstance(X, np.ndarray) else (extreme.toarray().ravel() for extreme in extremes)
        return cls(*(np.asarray(extreme, np.float64) for extreme in dense))

    @classmethod
    def none(cls, columns: int) -> Scale:
        """One that leaves values as they are."""
        return cls(np.full(columns, -1.0), np.full(columns, 1.0))


def _columns_and_signs(keys: Keys) -> tuple[IntArray, FloatArray]:
    """Columns that keys name, and −1 for negatives."""
    k = np.array(keys, dtype=np.int64)
    return np.where(k < 0, -k - 1, k), np.where(k < 0, -1.0, 1.0)


class FeatureHypotheses:
    """Columns of a dense or CSR matrix, scaled to [−1, 1], and their negatives if `both`."""

    def __init__(self, X: Matrix, scale: Scale, both: bool = True) -> None:
        self.X: Matrix = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X.astype(np.float64, copy=False)
        self.scale, self.both = scale, both
        self.far = scale.far_columns
        self.far_values = scale.scaled(_dense(self.X[:, self.far]), self.far)
        if not scale.factor.any():
            raise DataError(NO_FEATURE_VARIES)

    def weights(self, keys: Keys, alpha: FloatArray) -> FloatArray:
        """The weight of each scaled feature."""
        columns, signs = _columns_and_signs(keys)
        out = np.zeros(self.X.shape[1])
        np.add.at(out, columns, signs * alpha)
        return out

    def scores(self, keys: Keys, alpha: FloatArray) -> FloatArray:
        """Σ α_k h_k for every row."""
        weights = self.weights(keys, alpha)
        w = weights * self.scale.factor
        w[self.far] = 0.0
        return np.asarray(matrix_times(self.X, w) - w @ self.scale.middle + self.far_values @ weights[self.far])

    def values(self, keys: Keys, rows: IntArray) -> FloatArray:
        """Every hypothesis (by column) at some rows."""
        columns, signs = _columns_and_signs(keys)
        X = self.X
        chosen = (
            X.take(rows, axis=0).take(columns, axis=1) if isinstance(X, np.ndarray) else X[rows][:, columns].toarray()
        )
        scaled = self.scale.scaled(chosen, columns)
        scaled *= signs
        return scaled

    def pricing(self, weights: FloatArray) -> FloatArray:
        """The edge of every feature."""
        product = times_matrix(weights, self.X)
        product[self.far] = 0.0
        edges = 0.5 * (product - self.scale.middle * weights.sum()) * self.scale.factor
        edges[self.far] = 0.5 * (weights @ self.far_values)
        return np.asarray(edges)

    def edges(self, pricing: FloatArray, keys: Keys) -> FloatArray:
        """Those of some features, or with a minus of their negatives."""
        columns, signs = _columns_and_signs(keys)
        return np.asarray(signs * pricing[columns])

    def best(self, pricing: FloatArray, count: int) -> tuple[Keys, float]:
        """The features of the largest edges, or their negatives where those have them."""
        # a feature that does not vary is none, or its scores of 0 would be the best where no margin is positive
        size = np.abs(pricing) if self.both else np.where(self.scale.factor > 0.0, pricing, -np.inf)
        order = np.argsort(-size, kind="stable")[: min(count, np.count_nonzero(self.scale.factor))]
        keys: Keys = [int(k) if pricing[k] >= 0.0 or not self.both else -int(k) - 1 for k in order]
        return keys, float(size[order[0]])

    def opposite(self, key: Key) -> Key | None:
        """The negative of a hypothesis; None where it has none."""
        return -key - 1 if self.both and isinstance(key, int) else None


def _dense(X: Matrix) -> FloatArray:
    return X.astype(np.float64) if isinstance(X, np.ndarray) else X.toarray()


class StumpHypotheses:
    """All stumps of all features: searched for, never listed. The rows' sides of those in use are kept, a byte each."""

    def __init__(self, X: Matrix) -> None:
        self.X, self.search = X, StumpSearch(X)
        self.places: dict[StumpKey, int] = {}  # in `sides`
        self.sides = np.zeros((0, X.shape[0]), dtype=np.int8)

    def scores(self, keys: Keys, alpha: FloatArray) -> FloatArray:
        """Σ α_k h_k for every row."""
        return stumps_of(keys, alpha).scores(self.X)

    def values(self, keys: Keys, rows: IntArray) -> FloatArray:
        """Every stump (by column) at some rows."""
        return self._sides(keys)[:, rows].T.astype(np.float64)

    def pricing(self, weights: FloatArray) -> FloatArray:
        """The weights themselves."""
        return weights

    def edges(self, pricing: FloatArray, keys: Keys) -> FloatArray:
        """½ Σ u_i h(x_i) of each stump."""
        return np.array([0.5 * float(pricing @ side) for side in self._sides(keys)])

    def best(self, pricing: FloatArray, count: int) -> tuple[Keys, float]:
        """At most one stump per feature; if all edges are 0, any stump."""
        keys, edges = self._search(pricing, count)
        return (keys, 0.5 * float(edges[0])) if keys else (self._any_stump, 0.0)

    def opposite(self, key: Key) -> Key | None:
        """The stump of the other sign."""
        return (key[0], key[1], -key[2]) if isinstance(key, tuple) else None

    @cached_property
    def _any_stump(self) -> Keys:
        keys, _ = self._search(
            np.random.default_rng(0).random((self.X.shape[0],)), 1
        )  # no stump is level in such weights
        if not keys:
            raise DataError(NO_FEATURE_VARIES)
        return keys

    def _search(self, weights: FloatArray, count: int) -> tuple[Keys, FloatArray]:
        features, thresholds, signs, edges = self.search.best(weights, count)
        return list(zip(features.tolist(), thresholds.tolist(), signs.tolist(), strict=True)), edges

    def _sides(self, keys: Keys) -> NDArray[np.int8]:
        stumps = _stump_keys(keys)
        new = [key for key in stumps if key not in self.places]
        if new:
            sides = [sign * self.search.values(feature, threshold) for feature, threshold, sign in new]
            self.places |= {key: len(self.places) + number for number, key in enumerate(new)}
            self.sides = np.vstack([self.sides, np.array(sides, dtype=np.int8)])
        return self.sides[[self.places[key] for key in stumps]]


def _stump_keys(keys: Keys) -> list[StumpKey]:
    """Keys that all name stumps."""
    return [key for key in keys if isinstance(key, tuple)]


def stumps_of(keys: Keys, alpha: FloatArray) -> Stumps:
    """The weighted stumps that keys name."""
    features, thresholds, signs = zip(*_stump_keys(keys), strict=True)
    return Stumps.of(features, thresholds, signs, alpha)


def function_values(functions: Sequence[HypothesisFunction], X: Matrix) -> FloatArray:
    """What functions of the user's own return for rows, one per column; all must be from −1 to 1."""
    columns = []
    for number, function in enumerate(functions):
        values = function(X)
        try:
            column = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            reason = " ".join(str(problem).split())
            raise DataError(
                f"hypothesis {number} must give one number from -1 to 1 per row ({reason}); fix it"
            ) from problem
        columns.append(column)
        if column.shape != (X.shape[0],) or not (np.abs(column) <= 1.0).all():
            raise DataError(
                f"hypothesis {number} must give one number from -1 to 1 per row, got shape {column.shape}, largest "
                f"{np.abs(column).max(initial=0.0):g}; scale it, with np.tanh for instance"
            )
    return np.column_stack(columns)
