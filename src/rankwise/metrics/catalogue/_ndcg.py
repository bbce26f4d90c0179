"""Normalized discounted cumulative gain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankwise.kernels._compile import compiled, helper
from rankwise.kernels._metric_loops import NO_TIES, linear_value
from rankwise.metrics.catalogue._dcg import DCG, graded_gain, log_discount
from rankwise.metrics.catalogue._linear import top
from rankwise.types import FloatArray


@helper
def _discount(n: int, letor: bool) -> FloatArray:
    discount = log_discount(n)
    if letor:  # 1, 1, 1/log2(3), 1/log2(4), …: one rank later than everybody else
        for i in range(n - 1, 0, -1):
            discount[i] = discount[i - 1]
    return discount


@dataclass(frozen=True)
class NDCG(DCG):
    """Normalized DCG (Burges 2006 (1)): NDCG@k = DCG@k / the DCG@k of the ideal order.

    Parameters
    ----------
    k : int, optional
        The cut-off; by default the whole list counts.
    linear : bool, default=False
        Take the label itself as the gain instead of 2^y − 1: `ndcg[linear]@10`.
    letor : bool, default=False
        What LETOR 4.0's script prints, discounts 1, 1, 1/log2(3), … and 0 for a query with fewer than k documents:
        `ndcg[letor]@10`.

    References
    ----------
    Burges, Ragno & Le (2006). Learning to rank with nonsmooth cost functions. NIPS.

    Examples
    --------
    >>> NDCG(k=2).value([1, 2, 3])  # (1/1 + 3/log2(3)) / (7/1 + 3/log2(3))
    0.325296...
    >>> NDCG().value([3, 2, 1, 0])
    1.0
    """

    name: ClassVar[str] = "ndcg"
    needs: ClassVar[str] = "a relevant document"
    upper: ClassVar[float] = 1.0
    letor: bool = False

    def _for_many_rows(self) -> Self:
        """As for DCG, without `letor`, which would leave out all queries shorter than the deeper cut-off."""
        return replace(self, k=super()._for_many_rows().k, letor=False)

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """1/log2(1 + rank) down to rank k."""
        return _discount(top(self.k, ideal.size), self.letor)

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """The DCG of the ideal order."""
        n = top(self.k, ideal.size)
        if self.letor and self.k and n < self.k:
            return np.inf
        return linear_value(graded_gain(ideal[:n], self.linear), _discount(n, self.letor), NO_TIES)
