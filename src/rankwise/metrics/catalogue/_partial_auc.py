"""Partial area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.kernels._compile import compiled, helper
from rankwise.metrics.catalogue._linear import relevant_count
from rankwise.metrics.catalogue._rates import PartialArea, RateMetric
from rankwise.metrics.catalogue._tpr_at_fpr import TPRAtFPR
from rankwise.types import FloatArray, IntArray


@helper
def _area(ranked: FloatArray, runs: IntArray, ideal: FloatArray, low: float, high: float) -> float:
    """∫ over false positive rates of the true positive rate, run by run."""
    relevant = relevant_count(ideal)
    irrelevant = ideal.size - relevant
    if relevant == 0 or irrelevant == 0:
        return np.nan
    area = 0.0
    hits = 0
    for run in range(runs.size - 1):
        left = (runs[run] - hits) / irrelevant
        if left >= high:
            break
        run_hits = relevant_count(ranked[runs[run] : runs[run + 1]])
        width = (runs[run + 1] - runs[run] - run_hits) / irrelevant
        a, b = max(low, left), min(high, left + width)
        if width > 0 and b > a:
            middle = ((a + b) / 2.0 - left) / width
            area += (b - a) * (hits + run_hits * middle)
        hits += run_hits
    return area / relevant / (high - low)


@dataclass(frozen=True)
class PartialAUC(PartialArea):
    """Area under the ROC curve between two false positive rates, over their distance: the mean TPR there.

    Parameters
    ----------
    low, high : float
        The false positive rates between which the area is taken, from 0 to 1.

    Notes
    -----
    Tied scores are a slanted piece of the curve, as in a ROC plot.

    Examples
    --------
    >>> PartialAUC(0.0, 0.5).value([1, 0, 1, 0])  # above the first of two irrelevant documents stands one of two
    0.5
    """

    name: ClassVar[str] = "pauc"
    told_apart_by = "relevance"
    needs: ClassVar[str] = "a relevant and an irrelevant document"
    held = "fpr"
    anchor = TPRAtFPR

    @inherit_sections(RateMetric.value_of_counts)
    def value_of_counts(self, hits: FloatArray, cuts: FloatArray) -> float:
        """Return the area where rows have weights."""
        fpr, tpr = (np.append(0.0, counts) / counts[-1] for counts in (cuts - hits, hits))
        left, width = np.clip(fpr[:-1], self.low, self.high), np.diff(np.clip(fpr, self.low, self.high))
        slope = np.diff(tpr) / np.where(np.diff(fpr) > 0, np.diff(fpr), 1.0)
        middles = tpr[:-1] + slope * (left + width / 2.0 - fpr[:-1])  # heights of the straight pieces
        return float(width @ middles / (self.high - self.low))

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Each irrelevant document is a step of width 1/n at the height of the relevant ones above it."""
        return _area(ranked, np.arange(ranked.size + 1), ideal, self.low, self.high)

    @compiled
    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """Each run is a straight piece from its first to its last corner."""
        return _area(ranked, runs, ideal, self.low, self.high)

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """Let w_p be the width within the range of the p-th irrelevant document and T_p the relevant ones above it.

        One that sinks from place x to y−1 lets those between move up a place, each with one relevant document more
        above; one that rises from y to x does the reverse. Sums over places are differences of prefix sums.
        """
        relevant = ranked > 0
        above = np.cumsum(relevant)[~relevant]  # T_p
        n = len(ideal) - int(np.sum(ideal > 0))
        width = np.diff(np.clip(np.arange(len(above) + 1) / max(n, 1), self.low, self.high))  # w_p
        place: IntArray = np.cumsum(~relevant) - ~relevant  # irrelevant documents above each rank
        hits: IntArray = np.cumsum(relevant) - relevant  # relevant ones above each rank
        unmoved = np.append(0.0, np.cumsum(width * above))
        moved_up = np.append(0.0, np.cumsum(width[:-1] * (above[1:] + 1)))
        moved_down = np.append([0.0, 0.0], np.cumsum(width[1:] * (above[:-1] - 1)))

        def at(sums: FloatArray, p: IntArray) -> FloatArray:
            return np.take(sums, p, mode="clip")  # `where` below drops what lies outside

        a, b = np.minimum(i, j), np.maximum(i, j)
        x: IntArray = place[a]
        y: IntArray = place[b]
        w = np.append(width, 0.0)
        sinks = at(moved_up, y - 1) - at(moved_up, x) + at(w, y - 1) * (hits[b] + 1) - at(unmoved, y) + at(unmoved, x)
        rises = at(w, x) * hits[a] + at(moved_down, y + 1) - at(moved_down, x + 1) - at(unmoved, y + 1) + at(unmoved, x)
        area = np.where(relevant[a] == relevant[b], 0.0, np.where(relevant[b], sinks, rises))
        return np.asarray(area / int(np.sum(ideal > 0)) / (self.high - self.low))
