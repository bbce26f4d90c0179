"""Area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled, helper
from rankwise.metrics._hooks import Factors
from rankwise.metrics.catalogue._linear import LinearMetric, relevant_count
from rankwise.metrics.catalogue._rates import AreaMetric
from rankwise.metrics.catalogue._tpr_at_fpr import TPRAtFPR
from rankwise.types import FloatArray


@helper
def pair_count(positives: int, n: int) -> float:
    """m·n for m positives and the rest negative; NaN where one side is empty."""
    pairs = 1.0 * positives * (n - positives)
    return pairs if pairs > 0 else np.nan


@helper
def centred_ranks(n: int) -> FloatArray:
    """(n+1)/2 − rank: what a rank is worth above the middle one."""
    return (n - 1) / 2.0 - np.arange(n, dtype=np.float64)


@dataclass(frozen=True)
class PairMetric(LinearMetric):
    """What AUCs share: ½ + Σ gain · (height above the middle rank) / pairs, documents that were not retrieved last."""

    ranks_everything: ClassVar[bool] = True
    offset: ClassVar[float] = 0.5

    @compiled
    def _discounts(self, ideal: FloatArray) -> FloatArray:
        """Height above the middle rank."""
        return centred_ranks(ideal.size)


@dataclass(frozen=True)
class AUC(AreaMetric, PairMetric):
    """Area under the ROC curve: share of (relevant, irrelevant) pairs in the right order (Welleck 2016 (9)), ties half.

    Notes
    -----
    With m relevant documents (label above 0) and n others, that is ½ + Σ_relevant ((m+n+1)/2 − rank) / (m·n),
    so exchanging ranks i and j changes it by (y_j − y_i)(j − i)/(m·n): Welleck 2016's theorem 1.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> AUC().value([1, 0, 1, 0])
    0.75
    >>> AUC().tied_value([1, 0, 1, 0], runs=[0, 4])
    0.5
    """

    name: ClassVar[str] = "auc"
    needs: ClassVar[str] = "a relevant and an irrelevant document"
    held = "fpr"
    anchor = TPRAtFPR

    def for_training(self) -> CountedAUC:
        """Return the metric with λ's of pairs that count alike.

        Returns
        -------
        CountedAUC
            The change by a swap weighs a pair by the distance of its ranks, though AUC counts all pairs alike.
        """
        return CountedAUC()

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """m·n, the pairs."""
        return pair_count(relevant_count(ideal), ideal.size)


@dataclass(frozen=True)
class CountedAUC(AUC, register=False):
    """AUC with the λ's that train it best: every pair weighs 1/(m·n) and costs 1 − 1/(1 + e^{−(s_i − s_j)})."""

    counts_pairs: ClassVar[bool] = True

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """Two classes, whose pairs count 1/(m·n)."""
        n = ranked.size
        classes = np.zeros(n, dtype=np.int64)
        for i in range(n):
            classes[i] = ranked[i] > 0
        pairs = pair_count(relevant_count(ideal), n)
        if not pairs > 0:
            classes = classes[:0]
        return classes, np.zeros((1, n)), np.full((1, 2, 2), 1.0 / pairs)
