"""Loops over all queries; `specialize` puts a metric's own few lines in place of the names marked below.

Shared arguments: `self` the metric's fields as a record; `labels` and `scores` in rank order and `ideal`
labels in the best order, rows `offsets[q]:offsets[q + 1]` for query `q`; `retrieved[q]` how many documents of
the query stand in the ranking (the rest of `ideal` was judged but not retrieved); `tied[q]` whether
scores are equal anywhere in the query; `values[q]` the result, NaN where the metric is not defined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.kernels._compile import helper
from rankwise.kernels.sorting._ranks import run_starts

NO_TIES = np.empty(0, dtype=np.int64)

# What `specialize` replaces. They are never called as they stand here.
value: Any = None
tied_value: Any = None
gains: Any = None
discounts: Any = None
normalizer: Any = None
point: Any = None


def evaluate_untied(self, labels, scores, ideal, offsets, retrieved, tied, low, high, values):  # type: ignore[no-untyped-def]
    """The value of each query's list as it stands: hook `value`."""
    for q in range(low, high):
        start = offsets[q]
        values[q] = value(self, labels[start : start + retrieved[q]], ideal[start : offsets[q + 1]])


def evaluate_tied(self, labels, scores, ideal, offsets, retrieved, tied, low, high, values):  # type: ignore[no-untyped-def]
    """The same with runs of equal scores averaged: hooks `value`, `tied_value`."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q] + retrieved[q]
        best = ideal[start : offsets[q + 1]]
        if tied[q]:
            values[q] = tied_value(self, labels[start:end], run_starts(scores[start:end]), best)
        else:
            values[q] = value(self, labels[start:end], best)


@helper
def linear_value(gain: Any, discount: Any, starts: Any) -> float:
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
            total += np.sum(discount[a:b]) * np.mean(gain[a:b])
    return total


def evaluate_linear(  # type: ignore[no-untyped-def]
    self, offset, labels, scores, ideal, offsets, retrieved, tied, low, high, values
):
    """Metrics linear in the gains, ties or not: hooks `gains`, `discounts`, `normalizer`."""
    for q in range(low, high):
        start, end = offsets[q], offsets[q] + retrieved[q]
        best = ideal[start : offsets[q + 1]]
        discount = discounts(self, best)
        seen = min(end, start + discount.size)  # nothing below the cut-off is looked at,
        starts = NO_TIES
        if tied[q]:
            while start < seen < end and scores[seen] == scores[seen - 1]:
                seen += 1  # but for what is tied with the last document above it
            starts = run_starts(scores[start:seen])
        total = linear_value(gains(self, labels[start:seen], best), discount, starts)
        values[q] = offset + total / normalizer(self, best)


def evaluate_curve(self, labels, scores, ideal, offsets, retrieved, tied, low, high, values):  # type: ignore[no-untyped-def]
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
                worth = point(self, hits, i + 1 - start, relevant, size - relevant)
                if worth > best:
                    best = worth
        values[q] = best
