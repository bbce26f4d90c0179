"""Winner takes all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._average_precision import TopRelevance
from rankwise.metrics.catalogue._linear import LinearMetric, relevant_count
from rankwise.types import FloatArray


@dataclass(frozen=True)
class WTA(TopRelevance, LinearMetric):
    """Winner takes all (Burges 2006 section 2): 1 if the top document is relevant, else 0.

    References
    ----------
    Burges, Ragno & Le (2006). Learning to rank with nonsmooth cost functions. NIPS.

    Examples
    --------
    >>> WTA().value([1, 0]), WTA().value([0, 1])
    (1.0, 0.0)
    >>> WTA().tied_value([0, 1, 0], runs=[0, 2, 3])  # a coin decides between the first two
    0.5
    """

    name: ClassVar[str] = "wta"
    needs: ClassVar[str] = "a relevant document"

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """1 for the top rank alone."""
        return np.ones(1)

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """1 where there is a relevant document."""
        return 1.0 if relevant_count(ideal) > 0 else 0.0
