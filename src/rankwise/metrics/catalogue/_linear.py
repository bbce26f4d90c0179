"""Metrics linear in the gains: DCG and NDCG, precision, recall, and the AUCs.

    value = offset + Σ_i gain(label_i) · discount(rank i) / normalizer

Three short statements make such a metric. What follows from them, once for all: documents of equal score share the
mean of their gains (McSherry & Najork 2008, exact), and exchanging ranks i and j changes the value by
(gain_j − gain_i)·(discount_i − discount_j)/normalizer.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from rankwise.kernels import _metric_loops as loops
from rankwise.kernels._compile import compiled, compiled_hooks, helper, specialize
from rankwise.kernels._metric_loops import NO_TIES, linear_value
from rankwise.metrics._base import Metric, QueryLoop
from rankwise.types import FloatArray, IntArray


@helper
def top(k: int | None, n: int) -> int:
    """How many ranks count: the cut-off where there is one, at most n."""
    return min(k, n) if k else n


@helper
def relevant_count(labels: FloatArray) -> int:
    """Documents with a label above 0."""
    count = 0
    for label in labels:
        count += label > 0
    return count


@dataclass(frozen=True)
class LinearMetric(Metric):
    """A metric that is a sum of gain times discount; subclasses state both, and what the sum is divided by.

    Notes
    -----
    value = offset + Σ_i gain(label_i) · discount(rank i) / normalizer

    Hooks, marked `@compiled` for speed: `_discounts(ideal)` and, unless the defaults do, `_gains(labels, ideal)` (1 for
    a relevant document) and `_normalizer(ideal)` (1; 0 or NaN where the query lacks what the metric needs). Exact ties
    and swaps follow: documents of equal score share the mean of their gains (McSherry & Najork 2008), and exchanging
    ranks i and j changes the value by (gain_j − gain_i)·(discount_i − discount_j)/normalizer.

    References
    ----------
    McSherry & Najork (2008). Computing information retrieval performance measures efficiently in the presence of tied
    scores. ECIR.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from rankwise.metrics import LinearMetric, compiled
    >>> @dataclass(frozen=True)
    ... class Harmonic(LinearMetric, register=False):
    ...     name = "harmonic"
    ...     @compiled
    ...     def _discounts(self, ideal):
    ...         return 1.0 / (1.0 + np.arange(ideal.size))
    >>> Harmonic().value([1, 0, 1, 0])  # 1 + 1/3
    1.333333...
    """

    offset: ClassVar[float] = 0.0

    @compiled
    def _gains(self, labels: FloatArray, ideal: FloatArray) -> FloatArray:
        """What each of `labels` is worth; unless stated, 1 for a relevant document."""
        return (labels > 0) * 1.0  # type: ignore[return-value]

    @abstractmethod
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """What each rank is worth, from the top; ranks past its end are worth nothing."""

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """What the sum is divided by; 0 or NaN where the query lacks what the metric needs."""
        return 1.0

    def _sum(self, ranked: FloatArray, ideal: FloatArray, runs: IntArray) -> float:
        total = linear_value(self._gains(ranked, ideal), self._discounts(ideal), runs)
        return float(self.offset + np.float64(total) / self._normalizer(ideal))

    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Offset + Σ gain · discount / normalizer."""
        return self._sum(ranked, ideal, NO_TIES)

    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """The same with the mean gain of its run for each document."""
        return self._sum(ranked, ideal, runs)

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """(gain_j − gain_i) · (discount_i − discount_j) / normalizer."""
        gain = self._gains(ranked, ideal)
        discount = np.zeros(max(len(ranked), len(ideal)))
        worth = self._discounts(ideal)
        discount[: len(worth)] = worth
        return np.asarray((gain[j] - gain[i]) * (discount[i] - discount[j]) / self._normalizer(ideal))

    def _best_order(self, ideal: FloatArray) -> FloatArray:
        """The labels by falling gain."""
        return ideal[np.argsort(-self._gains(ideal, ideal), kind="stable")]

    def query_loop(self) -> QueryLoop | None:
        """Compile `_gains`, `_discounts` and `_normalizer` into a loop over queries.

        Returns
        -------
        QueryLoop or None
            None if the hooks are plain Python.
        """
        hooks = compiled_hooks(type(self), "gains", "discounts", "normalizer")
        if hooks is None:
            return None
        return QueryLoop(partial(specialize(loops.evaluate_linear, **hooks), self.record(), self.offset), True)


@dataclass(frozen=True)
class TopHits(LinearMetric):
    """What precision, recall and their kin share: Σ_{i≤k} [y_i > 0] / normalizer."""

    k: int

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """1 down to rank k."""
        return np.ones(top(self.k, ideal.size))
