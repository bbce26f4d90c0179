"""What a metric states: hooks with an underscore, each with a default but the first.

`ranked` are labels from the top rank down, `ideal` all labels of the query, best first; `runs` says where each run of
equal scores starts, and last the length of the list.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from typing import Self, TypeAlias

import numpy as np

from rankwise.types import FloatArray, IntArray

Factors: TypeAlias = tuple[IntArray, FloatArray, FloatArray]  # classes, heights, weights

N_SHUFFLES = 200  # orders averaged for a metric without a closed form for ties


class MetricHooks(ABC):
    """The methods that a metric writes; those marked `@compiled` run at full speed."""

    @abstractmethod
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """How good this order is."""

    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """The mean of `_value` over random orders within runs of equal scores."""
        return self._mean_of_shuffles(ranked, runs, ideal)[0]

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """The change of `_value` when ranks i and j, which broadcast, are exchanged."""
        labels = ranked.copy()
        first, second = np.broadcast_arrays(i, j)
        before = self._value(labels, ideal)
        delta = np.empty(first.shape)
        for at, (a, b) in enumerate(zip(first.flat, second.flat, strict=True)):
            labels[a], labels[b] = labels[b], labels[a]
            delta.flat[at] = self._value(labels, ideal) - before
            labels[a], labels[b] = labels[b], labels[a]
        return delta

    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors | None:
        """|`_swap_delta`| in a form that can be summed over pairs in linear time."""
        return None

    def _for_labels(self, labels: FloatArray) -> Self:
        """The metric with what it takes from the whole data set filled in."""
        return self

    def _highest_label(self) -> float:
        """The greatest label whose gain, and sums of it over any list, are numbers."""
        return math.inf

    def _best_order(self, ideal: FloatArray) -> FloatArray:
        """The labels in an order of the highest `_value`."""
        return ideal

    def _mean_of_shuffles(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> tuple[float, float]:
        """Mean of `_value` over seeded orders of tied documents, and the standard error of that mean."""
        rng = np.random.default_rng(0)
        labels, values = ranked.copy(), np.empty(N_SHUFFLES)
        for s in range(N_SHUFFLES):
            for start, end in itertools.pairwise(runs):
                if end - start > 1:
                    labels[start:end] = rng.permutation(labels[start:end])
            values[s] = self._value(labels, ideal)
        return float(values.mean()), float(values.std() / np.sqrt(N_SHUFFLES))
