"""Average precision; its mean over queries is MAP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled, helper
from rankwise.metrics._base import Metric
from rankwise.metrics._hooks import Factors
from rankwise.metrics.catalogue._linear import relevant_count, top
from rankwise.types import FloatArray, IntArray


@helper
def _denominator(ideal: FloatArray, k: int | None, capped: bool) -> float:
    """R or min(R, k), NaN where nothing is relevant."""
    relevant = relevant_count(ideal)
    if capped:
        relevant = top(k, relevant)
    return relevant if relevant else np.nan


@dataclass(frozen=True)
class AveragePrecision(Metric):
    """Mean of the precision at each relevant document (Burges 2006 section 2): AP@k = (1/R) Σ_{i≤k, y_i>0} hits_i / i.

    Parameters
    ----------
    k : int, optional
        The cut-off; by default the whole list counts.
    capped : bool, default=False
        Divide by min(R, k), as LightGBM and XGBoost do, instead of R, all relevant documents, as trec_eval does. In
        text `map[capped]@10`; `map[min]@10` is read too.

    Notes
    -----
    In a run of t equal scores, r of them relevant, each place holds a relevant document with probability r/t; given
    that, (p−1)(r−1)/(t−1) of the run's own are expected above its p-th place (McSherry & Najork 2008).

    References
    ----------
    Burges, Ragno & Le (2006). Learning to rank with nonsmooth cost functions. NIPS.

    McSherry & Najork (2008). Computing information retrieval performance measures efficiently in the presence of tied
    scores. ECIR.

    Examples
    --------
    >>> AveragePrecision().value([1, 0, 1])  # (1/1 + 2/3) / 2
    0.833333...
    >>> AveragePrecision(k=2).value([1, 0, 1, 1]), AveragePrecision(k=2, capped=True).value([1, 0, 1, 1])
    (0.333333..., 0.5)
    """

    name: ClassVar[str] = "map"
    told_apart_by = "relevance"
    needs: ClassVar[str] = "a relevant document"
    aliases: ClassVar[Mapping[str, str]] = {"min": "capped"}
    k: int | None = None
    capped: bool = False

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Σ hits/rank over the relevant documents, over their number."""
        total = 0.0
        hits = 0
        for i in range(top(self.k, ranked.size)):
            if ranked[i] > 0:
                hits += 1
                total += hits / (i + 1)
        return total / _denominator(ideal, self.k, self.capped)

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """Σ over places of the chance that a relevant document stands there, times the precision expected then."""
        total = 0.0
        above = 0
        cut = top(self.k, ranked.size)
        for run in range(runs.size - 1):
            start = runs[run]
            t = runs[run + 1] - start
            if start >= cut:
                break
            if t == 1:  # most documents are tied with none
                if ranked[start] > 0:
                    above += 1
                    total += above / (start + 1)
                continue
            r = relevant_count(ranked[start : start + t])
            if r > 0:
                pace = (r - 1) / (t - 1)
                for p in range(min(t, cut - start)):
                    total += r / t * (above + 1 + p * pace) / (start + p + 1)
            above += r
        return total / _denominator(ideal, self.k, self.capped)

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """With hits H_x and S_x = Σ_{y≤x} rel_y/y, moving a relevant document up from rank b to a gains
        (H_a + 1)/a + S_{b−1} − S_a − H_b/b; moving it down from a to b loses H_a/a + S_{b−1} − S_a − H_b/b.
        Ranks below the cut-off count nothing.
        """
        relevant = ranked > 0
        counted = np.arange(1, len(ranked) + 1) <= top(self.k, len(ranked))
        per_rank = counted / np.arange(1.0, len(ranked) + 1)
        hits = np.cumsum(relevant)
        between = np.cumsum(relevant * per_rank)
        a, b = np.minimum(i, j), np.maximum(i, j)
        up = relevant[b] & ~relevant[a]
        inner: FloatArray = between[b] - relevant[b] * per_rank[b] - between[a]
        change: FloatArray = (hits[a] + up) * per_rank[a] + inner - hits[b] * per_rank[b]
        total = _denominator(ideal, self.k, self.capped)
        return np.where(relevant[a] == relevant[b], 0.0, np.where(up, change, -change)) / total

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """With H and S as in `swap_delta`: (H+1)/rank − S where the irrelevant document is above, else H/rank − S."""
        n = ranked.size
        classes = np.zeros(n, dtype=np.int64)
        heights = np.zeros((2, n))
        hits = 0
        between = 0.0
        for i in range(n):
            per_rank = 1.0 / (i + 1) if i < top(self.k, n) else 0.0
            if ranked[i] > 0:
                classes[i] = 1
                hits += 1
                between += per_rank
            heights[0, i] = (hits + 1) * per_rank - between
            heights[1, i] = hits * per_rank - between
        total = top(self.k, hits) if self.capped else hits
        weights = np.zeros((2, 2, 2))
        weights[0, 0, 1] = weights[1, 1, 0] = 1.0 / total
        return classes, heights, weights


@dataclass(frozen=True)
class TopRelevance(Metric):
    """How metrics of the first few relevant documents are trained: their own swaps touch too few to learn from."""

    told_apart_by = "relevance"

    def _for_many_rows(self) -> AveragePrecision:
        """Average precision."""
        return AveragePrecision()
