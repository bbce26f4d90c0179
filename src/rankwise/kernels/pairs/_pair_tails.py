"""The pairs of documents with the lowest margins, up to a given weight of them, without a list of pairs.

Margins are s_i − s_j with i of a better grade than j in the same query. How many pairs lie below a gap is counted in
time linear in the documents (`close_pairs`), so the gap below which a given weight of pairs lies is searched for.
With two grades, equal scores are put together first: features with few values then cost next to nothing.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.kernels.pairs._close_pairs import close_weight
from rankwise.types import FloatArray, IntArray

MAX_PASSES = 200  # far more than a search takes, which halves its bracket in three passes at the latest


@kernel
def put_together(
    scores: FloatArray, grade: IntArray, weight: FloatArray, offsets: IntArray, place: IntArray, levels: FloatArray,
    better: FloatArray, worse: FloatArray, starts: IntArray,
) -> int:  # fmt: skip
    """Runs of equal scores of each query as levels with a weight of better and of worse documents; how many there are.

    `place[i]` is the level of row i, `starts[q]` the first level of query q.
    """
    at = -1
    for q in range(offsets.size - 1):
        starts[q] = at + 1
        for i in range(offsets[q], offsets[q + 1]):
            if i == offsets[q] or scores[i] != scores[i - 1]:
                at += 1
                levels[at] = scores[i]
                better[at] = 0.0
                worse[at] = 0.0
            if grade[i] > 0:
                better[at] += weight[i]
            else:
                worse[at] += weight[i]
            place[i] = at
    starts[offsets.size - 1] = at + 1
    return at + 1


@helper
def _weight_of_two(levels: FloatArray, better: FloatArray, worse: FloatArray, starts: IntArray, gap: float) -> float:
    """Σ w_i w_j over the pairs with a margin below the gap."""
    total = 0.0
    for q in range(starts.size - 1):
        i, ahead, stop, below = starts[q], starts[q], starts[q + 1], 0.0
        while i < stop:  # no branch: which pointer moves is hard to predict
            near = ahead < stop and levels[i] - levels[min(ahead, stop - 1)] < gap
            step = 1 if near else 0
            below += worse[ahead] if near else 0.0
            total += 0.0 if near else better[i] * below
            ahead += step
            i += 1 - step
    return total


@helper
def _weight_below(
    scores: FloatArray, better: FloatArray, worse: FloatArray, grade: IntArray, grades: IntArray, starts: IntArray,
    gap: float, sums: FloatArray,
) -> float:  # fmt: skip
    """The same for rows of any number of grades, where `grades` are given; `better` is then the weight of all rows."""
    if grades.size == 0:
        return _weight_of_two(scores, better, worse, starts, gap)
    close_weight(scores, grade, grades, better, starts, gap, 0, grades.size, sums)
    return float(sums.sum())


@kernel
def find_gap(
    scores: FloatArray, better: FloatArray, worse: FloatArray, grade: IntArray, grades: IntArray, starts: IntArray,
    mass: float, low: float, high: float, min_margin: float, max_margin: float, tolerance: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """(low, high, weight below low, weight below high) with low's weight <= mass <= high's.

    `min_margin` and `max_margin` bound all margins, `low` and `high` are a guess; high − low is such that the mean
    margin of the lowest pairs is known within `tolerance`.
    """
    sums = np.zeros(max(1, grades.size))
    below_low = _weight_below(scores, better, worse, grade, grades, starts, low, sums)
    step = high - low
    while below_low > mass:
        high, low, step = low, max(min_margin, low - step), 4.0 * step
        below_low = 0.0 if low <= min_margin else _weight_below(scores, better, worse, grade, grades, starts, low, sums)
    below_high = _weight_below(scores, better, worse, grade, grades, starts, high, sums)
    while below_high < mass and high < max_margin:  # the sum of all may be below the mass by rounding
        low, below_low = high, below_high
        high, step = min(max_margin, high + step), 4.0 * step
        below_high = _weight_below(scores, better, worse, grade, grades, starts, high, sums)
    short, over, moved = mass - below_low, below_high - mass, 0
    width, slow = high - low, 0
    for _ in range(MAX_PASSES):
        if (high - low) * min(below_high - below_low, mass) <= 2.0 * tolerance * mass:
            break
        middle = low + (high - low) * (short / (short + over) if short + over > 0.0 and slow < 2 else 0.5)
        if not low < middle < high:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
        below = _weight_below(scores, better, worse, grade, grades, starts, middle, sums)
        if below <= mass:  # Illinois: an end that stays counts half
            low, below_low, short = middle, below, mass - below
            over, moved = (0.5 * over if moved == 1 else over), 1
        else:
            high, below_high, over = middle, below, below - mass
            short, moved = (0.5 * short if moved == 2 else short), 2
        slow = slow + 1 if high - low > 0.5 * width and slow < 2 else 0
        if slow == 0:
            width = high - low
            short, over, moved = mass - below_low, below_high - mass, 0
    return low, high, below_low, below_high


@kernel
def two_grade_weights(
    levels: FloatArray, better: FloatArray, worse: FloatArray, starts: IntArray, low: float, high: float, share: float,
    of_better: FloatArray, of_worse: FloatArray,
) -> None:  # fmt: skip
    """For a document at each level, the weight of its partners: those below `low`, and a share of those below `high`.

    `of_better` is for a better document there, which has worse partners; `of_worse` the other way.
    """
    for q in range(starts.size - 1):
        start, stop = starts[q], starts[q + 1]
        a, b, below_a, below_b = start, start, 0.0, 0.0
        for i in range(start, stop):
            while a < stop and levels[i] - levels[a] < low:
                below_a += worse[a]
                a += 1
            while b < stop and levels[i] - levels[b] < high:
                below_b += worse[b]
                b += 1
            of_better[i] = below_a + share * (below_b - below_a)
        a, b, below_a, below_b = stop - 1, stop - 1, 0.0, 0.0
        for j in range(stop - 1, start - 1, -1):
            while a >= start and levels[a] - levels[j] < low:
                below_a += better[a]
                a -= 1
            while b >= start and levels[b] - levels[j] < high:
                below_b += better[b]
                b -= 1
            of_worse[j] = below_a + share * (below_b - below_a)
