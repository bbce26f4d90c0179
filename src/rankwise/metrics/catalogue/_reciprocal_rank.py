"""Reciprocal rank; its mean over queries is MRR."""

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
class ReciprocalRank(TopRelevance):
    """1 / rank of the first relevant document (Burges 2006 section 2), 0 if that rank is below k.

    Parameters
    ----------
    k : int, optional
        The cut-off; by default the whole list counts.

    Notes
    -----
    In the first run of equal scores with r relevant of t documents, place p holds the first of them with probability
    r/(t−p+1) times that of none before it (McSherry & Najork 2008).

    References
    ----------
    Burges, Ragno & Le (2006). Learning to rank with nonsmooth cost functions. NIPS.

    McSherry & Najork (2008). Computing information retrieval performance measures efficiently in the presence of tied
    scores. ECIR.

    Examples
    --------
    >>> ReciprocalRank().value([0, 0, 1, 1])
    0.333333...
    >>> ReciprocalRank().tied_value([0, 1], runs=[0, 2])  # (1 + 1/2) / 2
    0.75
    """

    name: ClassVar[str] = "mrr"
    needs: ClassVar[str] = "a relevant document"
    k: int | None = None

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """1 / rank of the first relevant document."""
        for i in range(top(self.k, ranked.size)):
            if ranked[i] > 0:
                return 1.0 / (i + 1)
        return 0.0 if ideal[0] > 0 else np.nan

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """Σ over places of the first run with relevant documents of the chance that the first one stands there."""
        cut = top(self.k, ranked.size)
        for run in range(runs.size - 1):
            start = runs[run]
            t = runs[run + 1] - start
            r = relevant_count(ranked[start : start + t])
            if r > 0:
                total = 0.0
                none_yet = 1.0
                for p in range(min(t, cut - start)):
                    first = none_yet * r / (t - p)
                    total += first / (start + p + 1)
                    none_yet -= first
                    if none_yet <= 0.0:
                        break
                return total
        return 0.0 if ideal[0] > 0 else np.nan

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """Only a relevant document moved above the first one, or the first one moved away, changes anything."""
        n = len(ranked)
        relevant = np.append(np.flatnonzero(ranked > 0), [n, n])  # their ranks
        worth = np.append(1.0 / np.arange(1.0, n + 1), 0.0)
        worth[top(self.k, n) :] = 0.0
        a, b = np.minimum(i, j), np.maximum(i, j)
        up = (ranked[b] > 0) & (ranked[a] <= 0)
        down = (ranked[a] > 0) & (ranked[b] <= 0) & (a == relevant[0])
        first = np.where(up, np.minimum(a, relevant[0]), np.where(down, np.minimum(b, relevant[1]), relevant[0]))
        delta = worth[first] - worth[relevant[0]]
        return np.asarray(delta if np.any(ideal > 0) else np.full_like(delta, np.nan))

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """The first relevant document alone counts, so it is a class of its own: 0 irrelevant, 1 relevant, 2 first."""
        n = ranked.size
        classes = np.zeros(n, dtype=np.int64)
        worth = np.zeros(n + 1)  # the last is the worth of a rank that does not exist
        first, second = n, n
        for i in range(n):
            worth[i] = 1.0 / (i + 1) if i < top(self.k, n) else 0.0
            if ranked[i] > 0:
                classes[i] = 2 if first == n else 1
                if first == n:
                    first = i
                elif second == n:
                    second = i
        heights = np.zeros((2, n))
        for i in range(n):
            heights[0, i] = worth[i] - worth[first] if i < first else 0.0
            heights[1, i] = worth[i] if i <= first else max(worth[i], worth[second])
        weights = np.zeros((2, 3, 3))
        weights[0, 0, 1] = weights[0, 0, 2] = weights[1, 2, 0] = 1.0
        return classes, heights, weights
