"""R-precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._average_precision import TopRelevance
from rankwise.metrics.catalogue._linear import LinearMetric, relevant_count
from rankwise.types import FloatArray


@dataclass(frozen=True)
class RPrecision(TopRelevance, LinearMetric):
    """Precision at R, the number of relevant documents, where it is the recall too: |{i ≤ R: y_i > 0}| / R.

    Examples
    --------
    >>> RPrecision().value([1, 0, 0, 2])
    0.5
    """

    name: ClassVar[str] = "r-precision"
    needs: ClassVar[str] = "a relevant document"

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """1 down to rank R."""
        return np.ones(relevant_count(ideal))

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """R, the relevant documents."""
        return 1.0 * relevant_count(ideal)
