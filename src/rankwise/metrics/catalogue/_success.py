"""Success at k, also called hit rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics._hooks import Factors
from rankwise.metrics.catalogue._average_precision import TopRelevance
from rankwise.metrics.catalogue._linear import relevant_count, top
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Success(TopRelevance):
    """1 if a relevant document (label above 0) stands among the first k, else 0; its mean is the hit rate.

    Parameters
    ----------
    k : int
        The cut-off.

    Notes
    -----
    Of t equal scores, r of them relevant, the first m hold none with probability C(t−r, m)/C(t, m).

    Examples
    --------
    >>> Success(k=2).value([0, 1, 0]), Success(k=1).value([0, 1, 0])
    (1.0, 0.0)
    >>> Success(k=2).tied_value([0, 0, 1], runs=[0, 3])  # the relevant one is third in a third of the orders
    0.666666...
    """

    name: ClassVar[str] = "success"
    needs: ClassVar[str] = "a relevant document"
    k: int

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Whether one of the first k is relevant."""
        if ideal[0] <= 0:
            return np.nan
        return 1.0 if relevant_count(ranked[: self.k]) > 0 else 0.0

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """1 less the chance that the first run with relevant documents has none of them above the cut-off."""
        if ideal[0] <= 0:
            return np.nan
        cut = top(self.k, ranked.size)
        for run in range(runs.size - 1):
            start = runs[run]
            t = runs[run + 1] - start
            r = relevant_count(ranked[start : start + t])
            if r > 0:
                none = 1.0
                for p in range(min(t, cut - start)):
                    none *= max(t - r - p, 0) / (t - p)
                return 1.0 - none
        return 0.0

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """Whether the first k have a relevant document after the swap, less whether they have one before."""
        relevant = (ranked > 0).astype(np.int64)
        above, below = np.minimum(i, j), np.maximum(i, j)
        hits = relevant[: self.k].sum()
        crossing = (above < self.k) & (below >= self.k)
        after = hits + crossing * (relevant[below] - relevant[above])
        return np.asarray((after > 0) * 1.0 - (hits > 0)) if ideal[0] > 0 else np.full(np.shape(after), np.nan)

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """A swap over the cut-off counts 1 if it brings the first relevant document, or takes away the only one."""
        hits = relevant_count(ranked[: self.k])
        classes = np.zeros(ranked.size, dtype=np.int64)
        heights = np.zeros((1, ranked.size))
        for i in range(ranked.size):
            classes[i] = ranked[i] > 0
            heights[0, i] = i < self.k
        weights = np.zeros((1, 2, 2))
        weights[0, 0, 1] = hits == 0
        weights[0, 1, 0] = hits == 1
        return classes, heights, weights
