"""Lists by rising score: largest gaps, mean ranks, and what samplers make of them: expected losses, wrong pairs, and
ambiguous sets."""

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
    scores: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    below: IntArray,
    weight: float,
    low: int,
    high: int,
    losses: FloatArray,
) -> None:
    """Add Donmez 2009 (7) to the row at each place: the hinge rank loss of both labels, by how likely they are (as
    `posteriors` has it), each side over its longest; equal scores share their mean rank.

    Queries without a threshold, whose `below` is −1, are passed over.
    """
    for q in range(low, high):
        if below[q] < 0:
            continue
        start, stop = offsets[q], offsets[q + 1]
        threshold = below[q] - start + 1.5  # Donmez 2009 figure 2: θ̄ = i + ½, ranks from 1
        of_low, of_high = (1 - weight) / abs(1 - threshold), weight / abs(stop - start - threshold)
        first = start
        while first < stop:
            end = first + 1
            while end < stop and scores[end] == scores[first]:
                end += 1
            distance = 0.5 * (first + end - 1) - start + 1 - threshold
            too_low, too_high = max(0.5 - distance, 0.0), max(0.5 + distance, 0.0)
            positive = 1.0 / (1.0 + np.exp(scores[below[q]] - scores[first]))
            loss = positive * too_low * of_low + (1 - positive) * too_high * of_high
            for k in range(first, end):
                losses[rows[k]] += loss
            first = end


@kernel
def expected_wrong_pairs(
    scores: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    chances: FloatArray,
    relevant: FloatArray,
    others: FloatArray,
    low: int,
    high: int,
    pairs: FloatArray,
) -> None:
    """For the row at each place the expected number of pairs in the wrong order; a pair of equal scores is half wrong.

    `relevant` and `others` are sums of the chances, and of one less each, over all places before.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        first = start
        while first < stop:
            end = first + 1
            while end < stop and scores[end] == scores[first]:
                end += 1
            below, above = relevant[first] - relevant[start], others[stop] - others[end]
            for k in range(first, end):
                p = chances[k]
                tied = 0.5 * (p * (others[end] - others[first]) + (1 - p) * (relevant[end] - relevant[first]))
                tied -= p * (1 - p)  # a document makes no pair with itself
                pairs[rows[k]] = p * above + (1 - p) * below + tied
            first = end


@kernel
def ambiguous_sets(
    scores: FloatArray,
    rows: IntArray,
    numbers: FloatArray,
    offsets: IntArray,
    size: int,
    low: int,
    high: int,
    utilities: FloatArray,
) -> None:
    """For the row at each place, minus the least sum of score differences over the pairs of a set of `size` neighbours
    that it is in; 1 in the set of the least sum, of equal ones that whose first place has the highest number.

    A gap between neighbours counts once for each pair that it lies between. −inf where there is no set.
    """
    sums = np.empty(0)
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        n_sets = stop - start - size + 1
        for k in range(start, stop):
            utilities[rows[k]] = -np.inf
        if n_sets < 1:
            continue
        if sums.size < n_sets:
            sums = np.empty(n_sets)
        best = -1
        for at in range(n_sets):
            total = 0.0
            for place in range(1, size):
                k = start + at + place
                total += place * (size - place) * (scores[k] - scores[k - 1])
            sums[at] = total
            if total < np.inf and (
                best < 0 or total < sums[best] or (total == sums[best] and numbers[start + at] > numbers[start + best])
            ):
                best = at
        for at in range(stop - start):
            least = np.inf
            for around in range(max(0, at - size + 1), min(at + 1, n_sets)):
                least = min(least, sums[around])
            utilities[rows[start + at]] = -least
        if best >= 0:
            for at in range(best, best + size):
                utilities[rows[start + at]] = 1.0
