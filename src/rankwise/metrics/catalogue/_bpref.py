"""Binary preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics._base import Metric
from rankwise.metrics._hooks import Factors
from rankwise.metrics.catalogue._linear import relevant_count
from rankwise.types import BoolArray, FloatArray, IntArray


def _between(counted: BoolArray, a: IntArray, b: IntArray) -> IntArray:
    """How many are counted strictly between ranks a and b."""
    sums = np.cumsum(counted)
    return np.asarray(sums[b] - counted[b] - sums[a])


@dataclass(frozen=True)
class BPref(Metric):
    """Binary preference (Buckley & Voorhees 2004, as in trec_eval): judged documents only.

    Notes
    -----
    bpref = (1/R) Σ_relevant (1 − min(n_r, R)/min(R, N)), n_r being the irrelevant documents above the relevant
    one, R and N the judged relevant and irrelevant ones. Documents with a label below 0 are not judged.

    References
    ----------
    Buckley & Voorhees (2004). Retrieval evaluation with incomplete information. SIGIR.

    Examples
    --------
    >>> BPref().value([1, 0, -1, 1, 0])  # ((1 − 0) + (1 − 1/2)) / 2
    0.75
    """

    name: ClassVar[str] = "bpref"
    told_apart_by = "relevance"
    needs: ClassVar[str] = "a relevant document"
    takes_unjudged: ClassVar[bool] = True

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Mean over relevant documents of the share of irrelevant ones not above them."""
        relevant = relevant_count(ideal)
        bound = min(relevant, np.sum(ideal == 0))
        total = 0.0
        above = 0
        for i in range(ranked.size):
            if ranked[i] > 0:
                total += 1.0 - (min(above, relevant) / bound if above > 0 else 0.0)
            elif ranked[i] == 0:
                above += 1
        return total / relevant if relevant else np.nan

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """A relevant document has 0 to n of its run's n irrelevant ones above it, each number equally likely."""
        relevant = relevant_count(ideal)
        bound = min(relevant, np.sum(ideal == 0))
        total = 0.0
        above = 0
        for run in range(runs.size - 1):
            labels = ranked[runs[run] : runs[run + 1]]
            here = np.sum(labels == 0)
            expected = 0.0
            for x in range(above, above + here + 1):
                expected += min(x, relevant) / (here + 1)
            total += relevant_count(labels) * (1.0 - (expected / bound if expected > 0 else 0.0))
            above += here
        return total / relevant if relevant else np.nan

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """The moved relevant document sees another count above it, and those between see one more or one less."""
        relevant, irrelevant = ranked > 0, ranked == 0
        R = int(np.sum(ideal > 0))
        bound = max(1, min(R, int(np.sum(ideal == 0))))
        above = np.cumsum(irrelevant) - irrelevant  # irrelevant documents above each rank
        would_gain = relevant & (above <= R)  # with one irrelevant document less above
        would_lose = relevant & (above < R)  # with one more
        a, b = np.minimum(i, j), np.maximum(i, j)
        sinks = irrelevant[a] & ~irrelevant[b]  # an irrelevant document leaves the ranks between at their top
        rises = irrelevant[b] & ~irrelevant[a]  # one enters there
        inner = np.where(sinks, _between(would_gain, a, b), 0) - np.where(rises, _between(would_lose, a, b), 0)
        up = np.where(relevant[b], np.minimum(above[b], R) - np.minimum(above[a], R), 0)
        down = np.where(relevant[a], np.minimum(above[a], R) - np.minimum(above[b] + rises, R), 0)
        both = relevant[a] & relevant[b]
        delta = np.where(both | (a == b), 0, inner + up + down) / (bound * R)
        return np.asarray(delta)

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """As in `swap_delta`, the counts above and between as prefix sums (all documents judged)."""
        n = ranked.size
        classes = np.zeros(n, dtype=np.int64)
        heights = np.empty((2, n))
        relevant = relevant_count(ideal)
        above, would_gain, would_lose = 0, 0, 0
        for i in range(n):
            if ranked[i] > 0:
                classes[i] = 1
                heights[0, i] = -(min(above, relevant) + would_gain)
                would_gain += above <= relevant
                would_lose += above < relevant
                heights[1, i] = -(min(above, relevant) + would_lose)
            else:
                heights[0, i] = -(min(above, relevant) + would_gain)
                heights[1, i] = -(min(above + 1, relevant) + would_lose)
                above += 1
        weights = np.zeros((2, 2, 2))
        weights[0, 0, 1] = weights[1, 1, 0] = 1.0 / max(1, relevant * min(relevant, n - relevant))
        return classes, heights, weights
