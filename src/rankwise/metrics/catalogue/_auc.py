"""Area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.kernels._compile import compiled, helper
from rankwise.kernels.sorting._ranks import class_of
from rankwise.metrics._hooks import Factors
from rankwise.metrics.catalogue._linear import LinearMetric, relevant_count
from rankwise.metrics.catalogue._pairs import differing_pairs
from rankwise.metrics.catalogue._partial_auc import PartialAUC
from rankwise.metrics.catalogue._rates import AreaMetric, RateMetric
from rankwise.metrics.catalogue._tpr_at_fpr import TPRAtFPR
from rankwise.types import FloatArray

GRADED_SHARE = 0.5  # of the weight of pairs that λ's of AUC give to pairs of different grades


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
    told_apart_by = "relevance"

    @inherit_sections(RateMetric.value_of_counts)
    def value_of_counts(self, hits: FloatArray, cuts: FloatArray) -> float:
        """Return the area where rows have weights."""
        return PartialAUC(0.0, 1.0).value_of_counts(hits, cuts)

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """m·n, the pairs."""
        return pair_count(relevant_count(ideal), ideal.size)


@dataclass(frozen=True)
class CountedAUC(AUC, register=False):
    """AUC with the λ's that train it best: pairs count alike and cost 1 − 1/(1 + e^{−(s_i − s_j)}).

    Where there are several grades of relevance, half of the weight is spread over all pairs of different grades: the
    better of two relevant documents tells something of relevance, too.
    """

    counts_pairs: ClassVar[bool] = True

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """Pairs of a relevant and an irrelevant document, half and half with all pairs of different labels."""
        n, n_grades = ranked.size, grades.size
        classes = np.empty(n, dtype=np.int64)
        sizes = np.zeros(n_grades)
        for i in range(n):
            classes[i] = class_of(ranked[i], grades)
            sizes[classes[i]] += 1.0
        pairs = pair_count(relevant_count(ideal), n)
        weights, graded = np.zeros((1, n_grades, n_grades)), GRADED_SHARE / differing_pairs(sizes)
        for a in range(n_grades):
            for b in range(n_grades):
                weights[0, a, b] = graded
                if (grades[a] > 0) != (grades[b] > 0):
                    weights[0, a, b] += (1.0 - GRADED_SHARE) / pairs
        return classes[: n if pairs > 0 else 0], np.zeros((1, n)), weights
