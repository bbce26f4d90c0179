"""Lists by rising score: largest gaps, mean ranks, and the expected loss of Donmez 2009 that both make up."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import kernel
from rankwise.types import FloatArray, IntArray


@kernel
def largest_gaps(scores: FloatArray, offsets: IntArray, low: int, high: int, below: IntArray) -> None:
    """For queries `low:high` (columns) the places below the largest gaps between neighbours, the largest first.

    Of equal gaps the lowest comes first, and rows beyond the gaps of a query are −1. Equivalent, for the first row and
    each query that has a gap, to `start + np.argmax(np.diff(scores[start:stop]))`.
    """
    for q in range(low, high):
        below[:, q] = -1
        below[0, q] = offsets[q]
        before, before_place = np.inf, -1  # the gap that comes before in the order of size and place
        for row in range(min(below.shape[0], offsets[q + 1] - offsets[q] - 1)):
            largest = -1.0
            for k in range(offsets[q], offsets[q + 1] - 1):
                gap = scores[k + 1] - scores[k]
                if gap > largest and (gap < before or (gap == before and k > before_place)):
                    largest = gap
                    below[row, q] = k
            before, before_place = largest, below[row, q]


@kernel
def mean_ranks(scores: FloatArray, offsets: IntArray, low: int, high: int, ranks: FloatArray) -> None:
    """Ranks within queries `low:high`, from 1 at the lowest score; equal scores share their mean rank."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        first = start
        while first < stop:
            end = first + 1
            while end < stop and scores[end] == scores[first]:
                end += 1
            ranks[first:end] = 0.5 * (first + end - 1) - start + 1
            first = end


@kernel
def posteriors(
    scores: FloatArray, offsets: IntArray, below: IntArray, low: int, high: int, chances: FloatArray
) -> None:
    """Donmez 2009 (8) with the threshold of figure 2: `1 / (1 + np.exp(scores[below[q]] - scores))` for each query.

    Queries without a threshold, whose `below` is −1, are passed over.
    """
    for q in range(low, high):
        if below[q] < 0:
            continue
        for k in range(offsets[q], offsets[q + 1]):
            chances[k] = 1.0 / (1.0 + np.exp(scores[below[q]] - scores[k]))


@kernel
def add_expected_rank_losses(
    ranks: FloatArray,
    positive: FloatArray,
    offsets: IntArray,
    below: IntArray,
    weight: float,
    low: int,
    high: int,
    losses: FloatArray,
) -> None:
    """Add Donmez 2009 (7) at each place: the hinge rank loss of both labels, by how likely they are, each side over its
    longest; queries without a threshold, whose `below` is −1, are passed over."""
    for q in range(low, high):
        if below[q] < 0:
            continue
        start, size = offsets[q], offsets[q + 1] - offsets[q]
        threshold = below[q] - start + 1.5  # Donmez 2009 figure 2: θ̄ = i + ½, ranks from 1
        of_low, of_high = (1 - weight) / abs(1 - threshold), weight / abs(size - threshold)
        for k in range(start, start + size):
            distance = ranks[k] - threshold
            too_low, too_high = max(0.5 - distance, 0.0), max(0.5 + distance, 0.0)
            losses[k] += positive[k] * too_low * of_low + (1 - positive[k]) * too_high * of_high
