"""Discounted cumulative gain."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankwise.kernels._compile import compiled, helper
from rankwise.metrics.catalogue._linear import LinearMetric, top
from rankwise.types import FloatArray

LOG_2 = math.log(2.0)
MAX_EXPONENT, MAX_GAIN = 1000.0, 1e300  # of labels: 2^1000, and sums of millions of them, are numbers
TRAINING_DEPTH = 3  # how many cut-offs deep a model learns to rank


@helper
def exponential_gain(label: float) -> float:
    """2^y − 1, exact for whole labels, and without cancelling for small ones."""
    whole = math.floor(label)
    gain = math.ldexp(1.0, whole) - 1.0
    if whole != label:  # 2^whole·(2^rest − 1) is still missing
        gain += math.ldexp(math.expm1((label - whole) * LOG_2), whole)
    return gain


@helper
def graded_gain(labels: FloatArray, linear: bool) -> FloatArray:
    """2^y − 1, or y itself."""
    gain = labels * 1.0
    if not linear:
        for i in range(gain.size):
            gain[i] = exponential_gain(labels[i])
    return gain


FIRST_DISCOUNTS = 1.0 / np.log2(np.arange(2.0, 2050.0))  # logarithms are dear, and most lists are short


@helper
def log_discount(n: int) -> FloatArray:
    """1/log2(1 + rank) for ranks 1 to n."""
    discount = np.empty(n)
    for i in range(n):
        discount[i] = FIRST_DISCOUNTS[i] if i < FIRST_DISCOUNTS.size else 1.0 / math.log2(i + 2.0)
    return discount


@dataclass(frozen=True)
class DCG(LinearMetric):
    """Discounted cumulative gain (Järvelin & Kekäläinen 2002): DCG@k = Σ_{i≤k} (2^{y_i} − 1) / log2(1 + i).

    Parameters
    ----------
    k : int, optional
        The cut-off; by default the whole list counts.
    linear : bool, default=False
        Take the label itself as the gain instead of 2^y − 1: `dcg[linear]@10`.

    References
    ----------
    Järvelin & Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques. ACM TOIS 20.

    Examples
    --------
    >>> DCG(k=2).value([1, 2, 3])  # 1/log2(2) + 3/log2(3)
    2.892789...
    >>> DCG(linear=True), str(DCG(k=5, linear=True))
    (DCG(k=None, linear=True), 'dcg[linear]@5')
    """

    name: ClassVar[str] = "dcg"
    upper: ClassVar[float] = np.inf
    k: int | None = None
    linear: bool = False
    told_apart_by = "grades"

    def _for_many_rows(self) -> Self:
        """The same with three times the cut-off.

        Below the cut-off itself no two documents push each other, though they may be about to pass it
        (benchmarks/tune_lambdamart.py).
        """
        return replace(self, k=None if self.k is None else TRAINING_DEPTH * self.k)

    def _highest_label(self) -> float:
        """That of 2^y, or of y itself."""
        return MAX_GAIN if self.linear else MAX_EXPONENT

    @compiled
    def _gains(self, labels: FloatArray, ideal: FloatArray) -> FloatArray:
        """2^y − 1."""
        return graded_gain(labels, self.linear)

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """1/log2(1 + rank) down to rank k."""
        return log_discount(top(self.k, ideal.size))
