"""Recall at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._average_precision import TopRelevance
from rankwise.metrics.catalogue._linear import TopHits, relevant_count
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Recall(TopRelevance, TopHits):
    """Share of the relevant documents that stand among the first k: R@k = |{i ≤ k: y_i > 0}| / R.

    Parameters
    ----------
    k : int
        The cut-off.

    Examples
    --------
    >>> Recall(k=2).value([1, 0, 2])
    0.5
    """

    name: ClassVar[str] = "r"
    needs: ClassVar[str] = "a relevant document"

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """R, the relevant documents."""
        return 1.0 * relevant_count(ideal)
