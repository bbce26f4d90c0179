"""Precision at k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._average_precision import TopRelevance
from rankwise.metrics.catalogue._linear import TopHits, top
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Precision(TopRelevance, TopHits):
    """Share of relevant documents (label above 0) among the first k: P@k = |{i ≤ k: y_i > 0}| / k.

    Parameters
    ----------
    k : int
        The cut-off.
    capped : bool, default=False
        Divide by the number of documents of a shorter list, as XGBoost does, instead of k, as trec_eval does. In text
        `p[capped]@10`; `p[min]@10` is read too.

    Examples
    --------
    >>> Precision(k=4).value([1, 0, 2]), Precision(k=4, capped=True).value([1, 0, 2])
    (0.5, 0.666666...)
    """

    name: ClassVar[str] = "p"
    aliases: ClassVar[Mapping[str, str]] = {"min": "capped"}
    capped: bool = False

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """The cut-off k."""
        return 1.0 * (top(self.k, ideal.size) if self.capped else self.k)
