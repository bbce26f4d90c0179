"""Expected reciprocal rank."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankwise.errors import MetricError
from rankwise.kernels._compile import compiled, helper
from rankwise.kernels.sorting._ranks import class_of
from rankwise.metrics._base import Metric
from rankwise.metrics._hooks import Factors
from rankwise.metrics.catalogue._dcg import MAX_EXPONENT, exponential_gain
from rankwise.metrics.catalogue._err_places import NEGLIGIBLE
from rankwise.metrics.catalogue._err_ties import tied_err
from rankwise.metrics.catalogue._linear import top
from rankwise.metrics.catalogue._ndcg import NDCG
from rankwise.types import FloatArray, IntArray


@helper
def _stops(label: float, highest: float) -> float:
    """Chance that a document of this grade ends the search: (2^y − 1) / 2^highest."""
    return exponential_gain(min(label, highest)) / (exponential_gain(highest) + 1.0)


@dataclass(frozen=True)
class ERR(Metric):
    """Expected reciprocal rank (Chapelle et al. 2009): ERR = Σ_i (1/i)·R_i·Π_{j<i} (1 − R_j).

    Parameters
    ----------
    k : int, optional
        The cut-off; by default the whole list counts.
    highest : float, default=0.0
        The best grade there is; 0 takes that of the data. `err[4]@10` fixes it.

    Notes
    -----
    A reader goes down the list and stops at a document with chance R = (2^y − 1)/2^highest; the metric is the
    expectation of 1/(rank of the stop).

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan (2009). Expected reciprocal rank for graded relevance. CIKM.

    Examples
    --------
    >>> ERR(highest=1).value([1, 1])  # 1/2 + (1/2)(1/2)/2
    0.625
    """

    name: ClassVar[str] = "err"
    told_apart_by = "grades"
    k: int | None = None
    highest: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.highest <= MAX_EXPONENT:
            raise MetricError(f"the highest grade of err must be from 0 to {MAX_EXPONENT:g}, got {self.highest:g}")

    def _highest_label(self) -> float:
        """That of 2^y; where `highest` is given, no label counts for more."""
        return math.inf if self.highest else MAX_EXPONENT

    def _for_labels(self, labels: FloatArray) -> Self:
        """`highest` as the data's best grade."""
        return self if self.highest else replace(self, highest=float(max(1.0, np.max(labels, initial=1.0))))

    def _for_many_rows(self) -> Metric:
        """NDCG, as deep as it is trained: ERR's own swaps fade below the first good document."""
        return NDCG(k=self.k)._for_many_rows()

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Σ (1/i)·R_i·Π_{j<i} (1 − R_j)."""
        total = 0.0
        reading = 1.0
        for i in range(top(self.k, ranked.size)):
            stop = _stops(ranked[i], self.highest)
            total += reading * stop / (i + 1)
            reading *= 1.0 - stop
        return total

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """A run is worth its own ERR behind the documents above it, times the chance of coming to it."""
        total = 0.0
        reading = 1.0
        cut = top(self.k, ranked.size)
        for run in range(runs.size - 1):
            start = runs[run]
            if start >= cut or reading < NEGLIGIBLE:
                break
            stops = np.empty(runs[run + 1] - start)
            for c in range(stops.size):
                stops[c] = _stops(ranked[start + c], self.highest)
            total += reading * tied_err(stops, start, min(stops.size, cut - start))
            for stop in stops:
                reading *= 1.0 - stop
        return total

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """Between the two ranks all terms change by the ratio of the chances of passing them; below, nothing does."""
        counted = np.arange(len(ranked)) < top(self.k, len(ranked))
        per_rank = counted / np.arange(1.0, len(ranked) + 1)
        stop = (np.exp2(np.minimum(ranked, self.highest)) - 1.0) / 2.0**self.highest
        reading = np.concatenate(([1.0], np.cumprod(1.0 - stop)[:-1]))
        terms = reading * stop * per_rank
        sums = np.cumsum(terms)
        a, b = np.minimum(i, j), np.maximum(i, j)
        ratio = (1.0 - stop[b]) / (1.0 - stop[a])
        at_a = reading[a] * (stop[b] - stop[a]) * per_rank[a]
        inner = (ratio - 1.0) * (sums[b] - terms[b] - sums[a])
        at_b = reading[b] * (ratio * stop[a] - stop[b]) * per_rank[b]
        return np.where(a == b, 0.0, at_a + inner + at_b)

    @compiled
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Factors:
        """With T = Π(1−R)/rank: |R_b − R_a|/(1 − R_a) times the fall of T(1−R) + ΣTR from the upper rank, a's, on."""
        n = ranked.size
        classes = np.empty(n, dtype=np.int64)
        heights = np.empty((1, n))
        reading = 1.0
        passed = 0.0
        for i in range(n):
            stop = _stops(ranked[i], self.highest)
            worth = reading / (i + 1) if i < top(self.k, n) else 0.0
            passed += worth * stop
            heights[0, i] = worth * (1.0 - stop) + passed
            reading *= 1.0 - stop
            classes[i] = class_of(ranked[i], grades)
        weights = np.empty((1, grades.size, grades.size))
        for a in range(grades.size):
            for b in range(grades.size):
                upper, lower = _stops(grades[a], self.highest), _stops(grades[b], self.highest)
                weights[0, a, b] = abs(upper - lower) / (1.0 - upper)
        return classes, heights, weights
