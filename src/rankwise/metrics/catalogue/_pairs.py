"""Pair-wise correct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled, helper
from rankwise.kernels.sorting._ranks import class_of
from rankwise.metrics._base import Metric
from rankwise.metrics._hooks import Factors
from rankwise.types import FloatArray, IntArray


@helper
def _grades(ideal: FloatArray) -> FloatArray:
    """The different labels, rising."""
    different = np.empty(ideal.size)
    count = 0
    for i in range(ideal.size - 1, -1, -1):
        if count == 0 or ideal[i] != different[count - 1]:
            different[count] = ideal[i]
            count += 1
    return different[:count]


@dataclass(frozen=True)
class PairwiseCorrect(Metric):
    """Pair-wise correct (Burges 2006 section 2): share of pairs with different labels that stand in the right order.

    Notes
    -----
    With two grades that is the AUC. Tied scores count half.

    References
    ----------
    Burges, Ragno & Le (2006). Learning to rank with nonsmooth cost functions. NIPS.

    Examples
    --------
    >>> PairwiseCorrect().value([2, 0, 1])  # (2,0), (2,1) are right, (1,0) is not
    0.666666...
    """

    name: ClassVar[str] = "pairs"
    needs: ClassVar[str] = "two different labels"
    ranks_everything: ClassVar[bool] = True
    told_apart_by = "grades"

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Pairs in the right order, counted by the labels seen above each document."""
        return _share_of_pairs(ranked, np.arange(ranked.size + 1), ideal)

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """Half a pair where the scores are equal."""
        return _share_of_pairs(ranked, runs, ideal)

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """The pair itself, and for each document between the two its order against both.

        With L(v) and G(v) the documents strictly between that are below and above label v, exchanging a (upper)
        and b changes the count by L(b) − L(a) + G(a) − G(b) + [b > a] − [a > b].
        """
        grades, at = np.unique(ranked, return_inverse=True)
        counts = np.cumsum(at[:, None] == np.arange(len(grades)), axis=0)
        top, low = np.broadcast_arrays(np.minimum(i, j), np.maximum(i, j))
        between = counts[low] - counts[top]
        np.put_along_axis(between, at[low][..., None], np.take_along_axis(between, at[low][..., None], -1) - 1, -1)
        fewer = np.concatenate((np.zeros((*between.shape[:-1], 1)), np.cumsum(between, -1)), -1)

        def below(g: IntArray) -> FloatArray:
            return np.asarray(np.take_along_axis(fewer, g[..., None], -1)[..., 0])

        def above(g: IntArray) -> FloatArray:
            return np.asarray(fewer[..., -1] - np.take_along_axis(fewer, g[..., None] + 1, -1)[..., 0])

        a, b = at[top], at[low]
        change = below(b) - below(a) + above(a) - above(b) + np.sign(b - a)
        sizes = np.unique(ideal, return_counts=True)[1]
        pairs = (len(ideal) ** 2 - np.sum(sizes.astype(float) ** 2)) / 2
        return np.asarray(np.where(a == b, 0.0, change) / pairs)

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """For labels a > b: documents from the upper to the lower rank with b ≤ label < a and with b < label ≤ a."""
        n, n_grades = ranked.size, grades.size
        classes = np.empty(n, dtype=np.int64)
        heights = np.zeros((n_grades, n))
        for i in range(n):
            classes[i] = class_of(ranked[i], grades)
            if i > 0:
                for c in range(n_grades):
                    heights[c, i] = heights[c, i - 1]
            heights[classes[i], i] -= 1.0
        total = n * (n - 1) / 2.0
        for c in range(n_grades):
            total -= heights[c, n - 1] * (heights[c, n - 1] + 1.0) / 2.0
        weights = np.zeros((n_grades, n_grades, n_grades))
        for v in range(n_grades):
            for a in range(n_grades):
                for b in range(n_grades):
                    high, low = max(a, b), min(a, b)
                    weights[v, a, b] = ((low <= v < high) + (low < v <= high)) / total
        return classes, heights, weights


@helper
def differing_pairs(sizes: FloatArray) -> float:
    """Pairs of documents with different labels, of which there are `sizes` with each."""
    documents, alike = 0.0, 0.0
    for size in sizes:
        documents += size
        alike += size * size
    return (documents * documents - alike) / 2.0


@dataclass(frozen=True)
class CountedPairs(PairwiseCorrect, register=False):
    """Pair-wise correct with the λ's that train it best: pairs weigh alike and cost 1 − 1/(1 + e^{−(s_i − s_j)})."""

    counts_pairs: ClassVar[bool] = True

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """Pairs of different labels count 1 / their number."""
        n, n_grades = ranked.size, grades.size
        classes = np.empty(n, dtype=np.int64)
        sizes = np.zeros(n_grades)
        for i in range(n):
            classes[i] = class_of(ranked[i], grades)
            sizes[classes[i]] += 1.0
        weights, weight = np.zeros((1, n_grades, n_grades)), 1.0 / differing_pairs(sizes)
        for a in range(n_grades):
            for b in range(n_grades):
                weights[0, a, b] = weight
        return classes, np.zeros((1, n)), weights


@helper
def _share_of_pairs(ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
    grades = _grades(ideal)
    # A Fenwick tree over grades: how n_grades documents with at least this label stand above.
    tree = np.zeros(grades.size + 1)
    correct = 0.0
    for run in range(runs.size - 1):
        for i in range(runs[run], runs[run + 1]):
            place = grades.size - 1 - class_of(ranked[i], grades)  # so n_grades grades are strictly better
            while place > 0:
                correct += tree[place]
                place -= place & -place
        if runs[run + 1] - runs[run] > 1:  # pairs inside the run count half
            tied = np.sort(ranked[runs[run] : runs[run + 1]])
            same = 1
            pairs = tied.size * (tied.size - 1) / 2.0
            for i in range(1, tied.size):
                same = same + 1 if tied[i] == tied[i - 1] else 1
                pairs -= same - 1
            correct += pairs / 2.0
        for i in range(runs[run], runs[run + 1]):
            place = grades.size - class_of(ranked[i], grades)
            while place <= grades.size:
                tree[place] += 1
                place += place & -place
    total = ideal.size * (ideal.size - 1) / 2.0
    same = 0
    for i in range(1, ideal.size):
        same = same + 1 if ideal[i] == ideal[i - 1] else 0
        total -= same
    return correct / total if total > 0 else np.nan
