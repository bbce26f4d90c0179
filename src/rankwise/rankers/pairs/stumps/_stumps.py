"""Weighted decision stumps: what a boosted model is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._validation import is_finite_number
from rankwise.errors import ModelFileError
from rankwise.kernels import _decision_stumps as kernels
from rankwise.kernels import _threads as threads
from rankwise.rankers._score_functions._functions import Leaf, Tree, TreeSplit
from rankwise.rankers.pairs._matrix import Matrix, canonical
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject

BLOCK_ROWS = 4096
MAX_STUMP_WEIGHT = 1e100  # in a model file, so that sums of them stay finite
FIELDS = ("feature", "threshold", "sign", "weight")


@dataclass(frozen=True, eq=False)
class Stumps:
    """score(x) = Σ weight·sign·h(x), where h is 1 if x[feature] > threshold, −1 if not, and 0 if it is NaN.

    >>> Stumps.of([0, 1], [0.5, 2.0], [1, -1], [0.75, 0.25]).scores(np.array([[1.0, 3.0], [np.nan, 0.0]]))
    array([0.5 , 0.25])
    """

    feature: IntArray
    threshold: FloatArray
    sign: NDArray[np.int8]
    weight: FloatArray

    @classmethod
    def of(cls, feature: ArrayLike, threshold: ArrayLike, sign: ArrayLike, weight: ArrayLike) -> Self:
        """Stumps of lists or arrays."""
        return cls(
            np.asarray(feature, dtype=np.int64),
            np.asarray(threshold, dtype=np.float64),
            np.asarray(sign, dtype=np.int8),
            np.asarray(weight, dtype=np.float64),
        )

    def __len__(self) -> int:
        return self.feature.size

    def __getitem__(self, index: slice | AnyArray) -> Self:
        return type(self)(self.feature[index], self.threshold[index], self.sign[index], self.weight[index])

    def merged(self) -> Self:
        """The same scores by stumps that all differ, sorted by feature and threshold; what cancels out is left out."""
        order = np.lexsort((self.threshold, self.feature))
        feature, threshold = self.feature[order], self.threshold[order]
        new = np.append(True, (np.diff(feature) != 0) | (np.diff(threshold) != 0))[: order.size]
        first = np.flatnonzero(new)
        value = np.add.reduceat((self.weight * self.sign)[order], first) if first.size else np.zeros(0)
        first, value = first[value != 0.0], value[value != 0.0]
        return self.of(feature[first], threshold[first], np.sign(value), np.abs(value))

    def trees(self) -> list[Tree]:
        """Each stump as a tree of two leaves; it adds nothing where the value is missing."""
        values = (self.weight * self.sign).tolist()
        return [
            Tree(TreeSplit(feature, threshold, Leaf(-value), Leaf(value), "nowhere"))
            for feature, threshold, value in zip(self.feature.tolist(), self.threshold.tolist(), values, strict=True)
        ]

    def scores(self, X: Matrix) -> FloatArray:
        """A score for each row of checked features, dense or CSR."""
        steps, out = self._steps, np.empty(X.shape[0])
        if isinstance(X, np.ndarray):
            run = partial(kernels.score_dense, X, steps.features, *steps.table)
        else:
            X = canonical(X)
            place = np.full(X.shape[1], -1, dtype=np.int64)
            place[steps.features] = np.arange(steps.features.size)
            rows = (X.data, X.indices, X.indptr, place)
            run = partial(kernels.score_sparse, *rows, *steps.table, steps.at_zero, steps.base)
        blocks = np.append(np.arange(0, X.shape[0], BLOCK_ROWS), X.shape[0])
        threads.by_queries(lambda low, high: run(blocks[low], blocks[high], out), blocks)
        return out

    def contributions(self, X: Matrix) -> FloatArray:
        """What each feature (by column) adds to the score of each row."""
        out = np.zeros(X.shape)
        for feature in np.unique(self.feature):
            out[:, feature] = self[self.feature == feature].scores(X)
        return out

    def importances(self, n_features: int) -> FloatArray:
        """Share of each feature in the sum of all weights."""
        weight = np.zeros(n_features)
        np.add.at(weight, self.feature, self.weight)
        return weight / max(float(weight.sum()), MAX_STUMP_WEIGHT**-1)

    def to_state(self) -> JsonObject:
        """The arrays as plain values of JSON."""
        return {name: getattr(self, name).tolist() for name in FIELDS}

    @classmethod
    def from_state(cls, state: object, n_features: int) -> Self:
        """Stumps of the values that `to_state` gave; ModelFileError if they are no such values."""
        values_of = state if isinstance(state, dict) else {}
        lists = [values for name in FIELDS if isinstance(values := values_of.get(name), list)]
        fits = (
            len(lists) == len(FIELDS)
            and len({len(values) for values in lists}) == 1
            and all(type(k) is int and 0 <= k < n_features for k in lists[0])
            and all(is_finite_number(x) for x in lists[1])
            and all(type(s) is int and s in (-1, 1) for s in lists[2])
            and all(is_finite_number(x) and 0 <= x <= MAX_STUMP_WEIGHT for x in lists[3])
        )
        if not fits:
            raise ModelFileError(
                f"the model's stumps must be lists of features below {n_features}, thresholds, signs and weights; "
                "save it again"
            )
        return cls.of(*lists)

    @cached_property
    def _steps(self) -> _StepFunctions:
        return _StepFunctions.of(self.merged())


@dataclass(frozen=True, eq=False)
class _StepFunctions:
    """The stumps of each feature as a step function: levels between rising thresholds."""

    features: IntArray
    table: tuple[IntArray, FloatArray, FloatArray]  # where the thresholds of each feature start, thresholds, levels
    at_zero: FloatArray  # level of each feature at 0
    base: float  # score where all features are 0

    @classmethod
    def of(cls, stumps: Stumps) -> Self:
        features, first = np.unique(stumps.feature, return_index=True)
        starts = np.append(first, len(stumps)).astype(np.int64)
        levels: list[float] = []
        at_zero = np.empty(features.size)
        for f, (start, stop) in enumerate(pairwise(starts.tolist())):
            below = np.append(0.0, np.cumsum((stumps.weight * stumps.sign)[start:stop]))
            steps = 2.0 * below - below[-1]
            at_zero[f] = steps[np.searchsorted(stumps.threshold[start:stop], 0.0)]
            levels.extend(steps)
        table = (starts, stumps.threshold, np.array(levels, dtype=np.float64))
        return cls(features, table, at_zero, float(at_zero.sum()))
