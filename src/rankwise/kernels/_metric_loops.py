"""Loops over all queries; `specialize` puts a metric's own few lines in place of the names declared below.

Shared arguments: `self` the metric's fields as a record; `labels` and `scores` in rank order and `ideal`
labels in the best order, rows `offsets[q]:offsets[q + 1]` for query `q`; `retrieved[q]` how many documents of
the query stand in the ranking (the others of `ideal` were judged but not retrieved); `tied[q]` whether
scores are equal anywhere in the query; `values[q]` the result, NaN where the metric is not defined.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.kernels._compile import helper, hook, interpretable
from rankwise.kernels.sorting._ranks import run_starts
from rankwise.types import BoolArray, FloatArray, IntArray

NO_TIES = np.empty(0, dtype=np.int64)

# What `specialize` replaces.
value: Callable[[np.void, FloatArray, FloatArray], float] = hook
tied_value: Callable[[np.void, FloatArray, IntArray, FloatArray], float] = hook
gains: Callable[[np.void, FloatArray, FloatArray], FloatArray] = hook
discounts: Callable[[np.void, FloatArray], FloatArray] = hook
normalizer: Callable[[np.void, FloatArray], float] = hook
point: Callable[[np.void, int, int, int, int], float] = hook


@interpretable
def evaluate_untied(
    self: np.void, labels: FloatArray, scores: FloatArray, ideal: FloatArray, offsets: IntArray, retrieved: IntArray,
    tied: BoolArray, low: int, high: int, values: FloatArray,
) -> None:  # fmt: skip
    """The value of each query's list as it stands: hook `value`."""
    for q in range(low, high):
        start = offsets[q]
        values[q] = value(self, labels[start : start + retrieved[q]], ideal[start : offsets[q + 1]])


@interpretable
def evaluate_tied(
    self: np.void, labels: FloatArray, scores: FloatArray, ideal: FloatArray, offsets: IntArray, retrieved: IntArray,
    tied: BoolArray, low: int, high: int, values: FloatArray,
) -> None:  # fmt: skip
    """The same with runs of equal scores averaged: hooks `value`, `tied_value`."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q] + retrieved[q]
        best = ideal[start : offsets[q + 1]]
        if tied[q]:
            values[q] = tied_value(self, labels[start:end], run_starts(scores[start:end]), best)
        else:
            values[q] = value(self, labels[start:end], best)


@helper
def linear_value(gain: FloatArray, discount: FloatArray, starts: IntArray) -> float:
    """Σ discount·gain, where documents of one run (`starts`; `NO_TIES`: none) share their mean gain."""
    total = 0.0
    if starts.size == 0:
        for i in range(min(gain.size, discount.size)):
            total += gain[i] * discount[i]
        return total
    for r in range(starts.size - 1):
        a, b = starts[r], starts[r + 1]
        if a >= discount.size:
            break
        if b == a + 1:  # most documents are tied with none
            total += gain[a] * discount[a]
        else:
            discounts_of_run, gains_of_run = 0.0, 0.0
            for i in range(a, min(b, discount.size)):
                discounts_of_run += discount[i]
            for i in range(a, b):
                gains_of_run += gain[i]
            total += discounts_of_run * (gains_of_run / (b - a))
    return total


@interpretable
def evaluate_linear(
    self: np.void, offset: float, labels: FloatArray, scores: FloatArray, ideal: FloatArray, offsets: IntArray,
    retrieved: IntArray, tied: BoolArray, low: int, high: int, values: FloatArray,
) -> None:  # fmt: skip
    """Metrics linear in the gains, ties or not: hooks `gains`, `discounts`, `normalizer`."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q] + retrieved[q]
        best = ideal[start : offsets[q + 1]]
        discount = discounts(self, best)
        read = min(end, start + discount.size)  # nothing below the cut-off is read,
        starts = NO_TIES
        if tied[q]:
            while start < read < end and scores[read] == scores[read - 1]:
                read += 1  # but for what is tied with the last document above it
            starts = run_starts(scores[start:read])
        total = linear_value(gains(self, labels[start:read], best), discount, starts)
        values[q] = offset + total / normalizer(self, best)


@interpretable
def evaluate_curve(
    self: np.void, labels: FloatArray, scores: FloatArray, ideal: FloatArray, offsets: IntArray, retrieved: IntArray,
    tied: BoolArray, low: int, high: int, values: FloatArray,
) -> None:  # fmt: skip
    """The best cut of each list, never between equal scores if it has ties: hook `point`."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q] + retrieved[q]
        size = offsets[q + 1] - start
        relevant = 0
        for i in range(start, offsets[q + 1]):
            relevant += ideal[i] > 0
        if relevant == 0:
            values[q] = np.nan
            continue
        hits = 0
        best = 0.0 * point(self, 0, 1, relevant, size - relevant)  # NaN where the query lacks irrelevant ones
        for i in range(start, end):
            hits += labels[i] > 0
            if not tied[q] or i + 1 == end or scores[i] != scores[i + 1]:
                at_cut = point(self, hits, i + 1 - start, relevant, size - relevant)
                if at_cut > best:
                    best = at_cut
        values[q] = best
