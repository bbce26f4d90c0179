"""λ's of all queries: the metric's factors, then all pairs of a short list or two sweeps over a long one.

Templates for `specialize`; shared arguments as in `loops` and `pair_sums`. `terms` are the exponentials of
`expansions`; `grades` all labels of the data set, rising; lists up to `exact_up_to` are summed over pairs,
lists above `longest` are left to the caller, who gives each sweep a thread.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel
from rankwise.kernels.pairs._pair_sums import all_pairs, all_pairs_by_gain, decays, padded_classes
from rankwise.types import FloatArray

# What `specialize` replaces. They are never called as they stand here.
gains: Any = None
discounts: Any = None
normalizer: Any = None
swap_factors: Any = None
sweep: Any = None

MAX_CLASSES = 64  # more kinds of labels than this are summed pair by pair


class PreparedGains(NamedTuple):
    """What a metric linear in its gains says of a data set, whatever the ranking: taken down once, used every round.

    |ΔM_ij| = |gain_i − gain_j| · (discount_i − discount_j) · scale.
    """

    classes: NDArray[np.int32]  # of each row
    gains: FloatArray  # of each row
    discounts: FloatArray  # of each rank of each query
    levels: FloatArray  # gain of each grade in each query; none if there are more than MOST_CLASSES
    scales: FloatArray  # 1 / normalizer of each query; 0: it lacks what the metric needs


@helper
def class_of(label: float, grades: Any) -> int:
    """Place of a label among the rising grades."""
    low, high = 0, grades.size - 1
    while low < high:
        middle = (low + high) // 2
        if grades[middle] < label:
            low = middle + 1
        else:
            high = middle
    return low


def state_gains(self, labels, ideal, offsets, grades, low, high, stated):  # type: ignore[no-untyped-def]
    """Fill `stated` for queries `low:high`: hooks `gains`, `discounts`, `normalizer`."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        best = ideal[start:stop]
        scale = 1.0 / normalizer(self, best)
        if not (0.0 < scale < np.inf):
            continue
        stated.scales[q] = scale
        stated.gains[start:stop] = gains(self, labels[start:stop], best)
        if stated.levels.shape[1] > 0:
            stated.levels[q] = gains(self, grades, best)
        worth = discounts(self, best)
        stated.discounts[start : start + worth.size] = worth
        for row in range(start, stop):
            stated.classes[row] = class_of(labels[row], grades)


@kernel
def level_weights(levels: Any) -> Any:
    """|level_a − level_b| as the weights of one factor."""
    return np.abs(levels.reshape(1, -1, 1) - levels.reshape(1, 1, -1))


@kernel
def sweep_weights(weights: Any, terms: Any, down: bool) -> tuple[Any, Any, Any]:
    """What turns the sums of a sweep into λ and Hessian: for each class of the document, by (factor, class, term).

    A document is pushed down by worse-placed better ones, so: going down, a better class above takes `right` from
    it, a worse one gives it `wrong`; going up the reverse. Third, by (factor, class), what sums of rate 0 are worth.
    """
    factors, classes = weights.shape[0], weights.shape[1]
    count, padded = terms.right.size, padded_classes(classes)
    pushes = np.zeros((classes, factors * classes * count))
    bends = np.zeros((classes, factors * classes * count))
    zeros = np.zeros((classes, factors * padded))
    for mine in range(classes):
        for r in range(factors):
            for other in range(classes):
                if other == mine:
                    continue
                bend = weights[r, other, mine] if down else weights[r, mine, other]
                push = bend if other < mine else -bend
                start = (r * classes + other) * count
                if (other < mine) == down:
                    pushes[mine, start : start + count] = push * terms.wrong
                    zeros[mine, r * padded + other] = push * terms.constant
                else:
                    pushes[mine, start : start + count] = push * terms.right
                bends[mine, start : start + count] = bend * terms.curvature
    return pushes, bends, zeros


def lambdas_by_factors(  # type: ignore[no-untyped-def]
    self, labels, scores, share, order, ideal, offsets, grades, terms, c, exact_up_to, longest, low, high, pushes, bends
):
    """λ's and Hessians of queries `low:high`, all arrays but `ideal` by row: hooks `swap_factors`, `sweep`.

    Rows are put in rank order and back here, query by query, where they still are in the cache.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        n = stop - start
        if n > longest or n < 2 or ideal[start] == ideal[stop - 1]:
            continue
        rows = order[start:stop]
        s, w = scores[rows], share[rows]
        classes, heights, weights = swap_factors(self, labels[rows], ideal[start:stop], grades)
        if classes.size == 0:
            continue
        p, h = np.zeros(n), np.zeros(n)
        if n > exact_up_to:
            z = decays(s, terms.slowest)
            for down in (True, False):
                push_weights, bend_weights, zero_weights = sweep_weights(weights, terms, down)
                sweep(z, classes, heights, push_weights, bend_weights, zero_weights, w, down, p, h)
        else:
            all_pairs(s, classes, heights, weights, c, w, p, h)
        for i in range(n):
            pushes[rows[i]] = p[i]
            bends[rows[i]] = h[i]


def lambdas_by_gains(  # type: ignore[no-untyped-def]
    stated, tables, scores, share, order, ideal, offsets, terms, c, exact_up_to, longest, low, high, pushes, bends
):
    """The same for a metric that is linear in its gains: hook `sweep`.

    `tables` are the weights of the sweep down and of that up, where all queries have the same; else none.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        n = stop - start
        if n > longest or n < 2 or ideal[start] == ideal[stop - 1] or stated.scales[q] == 0.0:
            continue
        rows = order[start:stop]
        s, w, classes = scores[rows], share[rows], stated.classes[rows]
        discount = stated.discounts[start:stop]
        p, h = np.zeros(n), np.zeros(n)
        if n > exact_up_to:
            z, heights = decays(s, terms.slowest), discount.reshape(1, n)
            weights = level_weights(stated.levels[q])
            for direction in range(2):
                down = direction == 0
                push, bend, zero = tables[direction] if len(tables) else sweep_weights(weights, terms, down)
                sweep(z, classes, heights, push, bend, zero, w, down, p, h)
        else:
            all_pairs_by_gain(s, classes, stated.gains[rows], discount, c, w, p, h)
        for i in range(n):
            pushes[rows[i]] = p[i] * stated.scales[q]
            bends[rows[i]] = h[i] * stated.scales[q]
