"""Lists by rising score: their largest gaps, mean ranks, P4's expected loss; and the best few of each list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import kernel

__all__ = ["best_of_each", "expected_rank_losses", "largest_gaps", "mean_ranks", "posteriors"]

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@kernel
def largest_gaps(scores: Array, offsets: Rows, low: int, high: int, below: Rows) -> None:
    """For queries `low:high` the place below the largest gap between neighbours, the lowest of equal ones.

    Equivalent, for each query that has a gap, to `start + np.argmax(np.diff(scores[start:stop]))`.
    """
    for q in range(low, high):
        below[q] = offsets[q]
        largest = -1.0
        for k in range(offsets[q], offsets[q + 1] - 1):
            gap = scores[k + 1] - scores[k]
            if gap > largest:
                largest = gap
                below[q] = k


@kernel
def mean_ranks(scores: Array, offsets: Rows, low: int, high: int, ranks: Array) -> None:
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
def posteriors(scores: Array, offsets: Rows, below: Rows, low: int, high: int, chances: Array) -> None:
    """P4 (8) with the threshold of figure 2: `1 / (1 + np.exp(scores[below[q]] - scores))` for each query."""
    for q in range(low, high):
        for k in range(offsets[q], offsets[q + 1]):
            chances[k] = 1.0 / (1.0 + np.exp(scores[below[q]] - scores[k]))


@kernel
def expected_rank_losses(
    ranks: Array,
    positive: Array,
    offsets: Rows,
    below: Rows,
    weight: float,
    low: int,
    high: int,
    losses: Array,
) -> None:
    """P4 (7) at each place: the hinge rank loss of both labels, by how likely they are, each side over its longest."""
    for q in range(low, high):
        start, size = offsets[q], offsets[q + 1] - offsets[q]
        threshold = below[q] - start + 1.5  # P4 figure 2: θ̄ = i + ½, ranks from 1
        of_low, of_high = (1 - weight) / abs(1 - threshold), weight / abs(size - threshold)
        for k in range(start, start + size):
            distance = ranks[k] - threshold
            too_low, too_high = max(0.5 - distance, 0.0), max(0.5 + distance, 0.0)
            losses[k] = positive[k] * too_low * of_low + (1 - positive[k]) * too_high * of_high


@kernel
def best_of_each(
    values: Array, keys: Array, offsets: Rows, count: int, low: int, high: int, chosen: Rows, found: Rows
) -> bool:
    """The `count` rows of highest value of each of the queries `low:high`, best first; equal ones by rising key.

    Those of query q go to `chosen[q * count:]`, their number to `found[q]`. Without keys (an empty array) equal ones
    stay as they stand, and the answer is whether any were met that keys would have to order.
    """
    tied = False
    for q in range(low, high):
        first, n = q * count, 0
        for row in range(offsets[q], offsets[q + 1]):
            value = values[row]
            if n == count:
                last = chosen[first + n - 1]
                if value < values[last]:
                    continue
                if value == values[last]:
                    tied = True
                    if keys.size == 0 or keys[row] >= keys[last]:
                        continue
                n -= 1
            place = first + n
            while place > first:
                above = chosen[place - 1]
                if values[above] > value:
                    break
                if values[above] == value:
                    tied = True
                    if keys.size == 0 or keys[above] <= keys[row]:
                        break
                chosen[place] = above
                place -= 1
            chosen[place] = row
            n += 1
        found[q] = n
    return tied
