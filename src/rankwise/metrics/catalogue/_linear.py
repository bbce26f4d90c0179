"""Metrics linear in the gains: DCG and NDCG, precision, recall, and the AUCs.

    value = offset + Σ_i gain(label_i) · discount(rank i) / normalizer

Three short statements make such a metric. What follows from them, once for all: documents of equal score share the
mean of their gains (McSherry & Najork 2008, exact), and exchanging ranks i and j changes the value by
(gain_j − gain_i)·(discount_i − discount_j)/normalizer.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankwise.kernels._compile import compiled, helper
from rankwise.kernels._judge_loops import NO_TIES, linear_value
from rankwise.metrics._base import Labels, Metric, Ranks


@helper
def top(k: int | None, n: int) -> int:
    """How many ranks count: the cut-off where there is one, at most n."""
    return min(k, n) if k else n


@helper
def relevant_count(labels: Labels) -> int:
    """Documents with a label above 0."""
    count = 0
    for label in labels:
        count += label > 0
    return count


@dataclass(frozen=True)
class LinearMetric(Metric):
    """Subclasses state `gains`, `discounts` and, unless it is 1, `normalizer`, all marked `@compiled`."""

    offset: ClassVar[float] = 0.0

    @abstractmethod
    def gains(self, labels: Labels, ideal: Labels) -> Labels:
        """What each of `labels` is worth."""

    @abstractmethod
    def discounts(self, ideal: Labels) -> Labels:
        """What each rank is worth, from the top; ranks past its end are worth nothing."""

    @compiled
    def normalizer(self, ideal: Labels) -> float:
        """What the sum is divided by; 0 or NaN where the query lacks what the metric needs."""
        return 1.0

    def _sum(self, ranked: Labels, ideal: Labels, runs: Ranks) -> float:
        total = linear_value(self.gains(ranked, ideal), self.discounts(ideal), runs)
        return float(self.offset + np.float64(total) / self.normalizer(ideal))

    def value(self, ranked: Labels, ideal: Labels) -> float:
        """Offset + Σ gain · discount / normalizer."""
        return self._sum(ranked, ideal, NO_TIES)

    def tied_value(self, ranked: Labels, runs: Ranks, ideal: Labels) -> float:
        """The same with the mean gain of its run for each document."""
        return self._sum(ranked, ideal, runs)

    def swap_delta(self, ranked: Labels, i: Ranks, j: Ranks, ideal: Labels) -> Labels:
        """(gain_j − gain_i) · (discount_i − discount_j) / normalizer."""
        gain = self.gains(ranked, ideal)
        discount = np.zeros(max(len(ranked), len(ideal)))
        worth = self.discounts(ideal)
        discount[: len(worth)] = worth
        return np.asarray((gain[j] - gain[i]) * (discount[i] - discount[j]) / self.normalizer(ideal))

    def best_order(self, labels: ArrayLike) -> Labels:
        """Labels by falling gain."""
        ideal = super().best_order(labels)
        metric = self.for_labels(ideal)
        with np.errstate(divide="ignore", invalid="ignore"):
            return ideal[np.argsort(-metric.gains(ideal, ideal), kind="stable")]
