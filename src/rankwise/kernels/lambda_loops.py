"""λ's of all queries: the metric's factors, then all pairs of a short list or two sweeps over a long one.

Templates for `specialise`; shared arguments as in `loops` and `pair_sums`. `terms` are the exponentials of
`expansions`; `grades` all labels of the data set, rising; lists up to `exact_up_to` are summed over pairs,
lists above `longest` are left to the caller, who gives each sweep a thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.kernels.compiled import helper, kernel
from rankwise.kernels.pair_sums import all_pairs, all_pairs_by_gain

__all__ = ["NO_LEVELS", "class_of", "lambdas_of_queries", "linear_factors", "sweep_weights"]

# What `specialise` replaces. They are never called as they stand here.
gains: Any = None
discounts: Any = None
normaliser: Any = None
swap_factors: Any = None
sweep: Any = None

NO_LEVELS = np.empty(0)
MOST_CLASSES = 64  # more kinds of labels than this are summed pair by pair


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


def linear_factors(self, ranked, ideal, grades):  # type: ignore[no-untyped-def]
    """For a metric linear in its gains: |ΔM_ij| = |gain_i − gain_j| · (discount_i − discount_j) / normaliser.

    Classes, heights and weights as in `pair_sums`, and the gain of each class (`levels`), from which all pairs are
    summed faster than from weights. No classes at all: the query lacks what the metric needs.
    """
    scale = 1.0 / normaliser(self, ideal)
    heights = np.zeros((1, ranked.size))
    many = grades.size if grades.size <= MOST_CLASSES else 1  # with more, only levels are used
    weights = np.zeros((1, many, many))
    if not (0.0 < scale < np.inf):
        return np.empty(0, dtype=np.int64), heights, weights, NO_LEVELS
    worth = discounts(self, ideal)
    heights[0, : worth.size] = worth
    levels = gains(self, grades, ideal) * scale
    classes = np.empty(ranked.size, dtype=np.int64)
    for i in range(ranked.size):
        classes[i] = class_of(ranked[i], grades)
    for a in range(many):
        for b in range(many):
            weights[0, a, b] = abs(levels[a] - levels[b])
    return classes, heights, weights, levels


@kernel
def sweep_weights(weights: Any, right: Any, wrong: Any, curvature: Any, down: bool) -> tuple[Any, Any]:
    """What turns the sums of a sweep into λ and Hessian: for each class of the document, by (factor, class, term).

    A document is pushed down by worse-placed better ones, so: going down, a better class above takes `right` from
    it, a worse one gives it `wrong`; going up the reverse.
    """
    factors, classes = weights.shape[0], weights.shape[1]
    terms = right.size
    pushes = np.zeros((classes, factors * classes * terms))
    bends = np.zeros((classes, factors * classes * terms))
    for mine in range(classes):
        for r in range(factors):
            for other in range(classes):
                if other != mine:
                    w = weights[r, other, mine] if down else weights[r, mine, other]
                    start = (r * classes + other) * terms
                    for m in range(terms):
                        push = wrong[m] if (other < mine) == down else right[m]
                        pushes[mine, start + m] = w * (push if other < mine else -push)
                        bends[mine, start + m] = w * curvature[m]
    return pushes, bends


def lambdas_of_queries(  # type: ignore[no-untyped-def]
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
        ranked, s, w = labels[rows], scores[rows], share[rows]
        classes, heights, weights, levels = swap_factors(self, ranked, ideal[start:stop], grades)
        if classes.size == 0:
            continue
        p, h = np.zeros(n), np.zeros(n)
        if n > exact_up_to:
            for down in (True, False):
                push_weights, bend_weights = sweep_weights(weights, terms.right, terms.wrong, terms.curvature, down)
                sweep(s, classes, heights, push_weights, bend_weights, terms.doubling, terms.slowest, w, down, p, h)
        elif levels.size > 0:
            all_pairs_by_gain(s, classes, levels, heights[0], c, w, p, h)
        else:
            all_pairs(s, classes, heights, weights, c, w, p, h)
        for i in range(n):
            pushes[rows[i]] = p[i]
            bends[rows[i]] = h[i]
