"""λ's of all queries: the metric's factors, then all pairs of a short list or two sweeps over a long one.

Templates for `specialize`; shared arguments as in `_metric_loops` and `_lambda_sums`. `terms` are the exponentials of
`_expansions`; `grades` all labels of the data set, rising; lists up to `exact_up_to` are summed over pairs,
lists above `longest` are left to the caller, who gives each sweep a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import hook, kernel
from rankwise.kernels.pairs._expansions import PairTerms
from rankwise.kernels.pairs._lambda_sums import Classes, all_pairs_by_gain, decays, padded_classes
from rankwise.kernels.sorting._ranks import class_of
from rankwise.types import FloatArray, IntArray

SwapFactors = Callable[[np.void, FloatArray, FloatArray, FloatArray], tuple[Classes, FloatArray, FloatArray]]
SweepWeights = tuple[FloatArray, FloatArray, FloatArray]

# What `specialize` replaces.
gains: Callable[[np.void, FloatArray, FloatArray], FloatArray] = hook
discounts: Callable[[np.void, FloatArray], FloatArray] = hook
normalizer: Callable[[np.void, FloatArray], float] = hook
swap_factors: SwapFactors = hook
sweep: Callable[..., None] = hook
sum_pairs: Callable[..., None] = hook
LONG_LISTS = 1  # whether any list is longer than `exact_up_to`: sweeps that nobody needs are not compiled

MAX_CLASSES = 64  # more kinds of labels than this are summed pair by pair


class PreparedGains(NamedTuple):
    """What a metric linear in its gains makes of a data set, whatever the ranking: computed once, used every round.

    |ΔM_ij| = |gain_i − gain_j| · (discount_i − discount_j) · scale.
    """

    classes: NDArray[np.int32]  # of each row
    gains: FloatArray  # of each row
    discounts: FloatArray  # of each rank of each query
    levels: FloatArray  # gain of each grade in each query; none if there are more than MAX_CLASSES
    scales: FloatArray  # 1 / normalizer of each query; 0: it lacks what the metric needs


def prepare_gains(
    self: np.void, labels: FloatArray, ideal: FloatArray, offsets: IntArray, grades: FloatArray, low: int, high: int,
    prepared: PreparedGains,
) -> None:  # fmt: skip
    """Fill `prepared` for queries `low:high`: hooks `gains`, `discounts`, `normalizer`."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        best = ideal[start:stop]
        scale = 1.0 / normalizer(self, best)
        if not (0.0 < scale < np.inf):
            continue
        prepared.scales[q] = scale
        gain = gains(self, labels[start:stop], best)
        if prepared.levels.shape[1] > 0:
            level = gains(self, grades, best)
            for g in range(level.size):
                prepared.levels[q, g] = level[g]
        worth = discounts(self, best)
        for i in range(worth.size):
            prepared.discounts[start + i] = worth[i]
        for i in range(stop - start):
            prepared.gains[start + i] = gain[i]
            prepared.classes[start + i] = class_of(labels[start + i], grades)


@kernel
def level_weights(levels: FloatArray) -> FloatArray:
    """|level_a − level_b| as the weights of one factor."""
    return np.abs(levels.reshape(1, -1, 1) - levels.reshape(1, 1, -1))


@kernel
def sweep_weights(weights: FloatArray, terms: PairTerms, down: bool) -> SweepWeights:
    """What turns the sums of a sweep into λ and Hessian: for each class of the document, by (factor, class, term).

    A document is pushed down by worse-placed better ones, so: going down, a better class above takes `right` from
    it, a worse one gives it `wrong`; going up the reverse. Third, by (factor, class), what sums of rate 0 are worth.
    """
    factors, classes = weights.shape[0], weights.shape[1]
    count, padded = terms.right.size, padded_classes(classes)
    pushes = np.zeros((classes, factors * classes * count))
    bends = np.zeros((classes, factors * classes * count))
    zeros = np.zeros((classes, factors * padded))
    for target in range(classes):
        for r in range(factors):
            for source in range(classes):
                if source == target:
                    continue
                bend = weights[r, source, target] if down else weights[r, target, source]
                push = bend if source < target else -bend
                start = (r * classes + source) * count
                is_wrong = (source < target) == down
                if is_wrong:
                    zeros[target, r * padded + source] = push * terms.constant
                for k in range(count):  # term by term: slices of arrays take numba two seconds to compile
                    pushes[target, start + k] = push * (terms.wrong[k] if is_wrong else terms.right[k])
                    bends[target, start + k] = bend * terms.curvature[k]
    return pushes, bends, zeros


def lambdas_by_factors(
    self: np.void, labels: FloatArray, scores: FloatArray, share: FloatArray, order: IntArray, ideal: FloatArray,
    offsets: IntArray, grades: FloatArray, terms: PairTerms, c: float, exact_up_to: int, longest: int, low: int,
    high: int, pushes: FloatArray, bends: FloatArray,
) -> None:  # fmt: skip
    """λ's and Hessians of queries `low:high`, all arrays but `ideal` by row.

    Hooks are `swap_factors`, `sum_pairs` and `sweep`. Rows are put in rank order and back here, query by query, where
    they still are in the cache.
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
        if LONG_LISTS:  # noqa: SIM102  (alone, so that numba leaves out what follows)
            if n > exact_up_to:
                z = decays(s, terms.slowest)
                for down in (True, False):
                    push_weights, bend_weights, zero_weights = sweep_weights(weights, terms, down)
                    sweep(z, classes, heights, push_weights, bend_weights, zero_weights, w, down, p, h)
        if n <= exact_up_to:
            sum_pairs(s, classes, heights, weights, c, w, p, h)
        for i in range(n):
            pushes[rows[i]] = p[i]
            bends[rows[i]] = h[i]


def lambdas_by_gains(
    prepared: PreparedGains, tables: tuple[SweepWeights, ...], scores: FloatArray, share: FloatArray, order: IntArray,
    ideal: FloatArray, offsets: IntArray, terms: PairTerms, c: float, exact_up_to: int, longest: int, low: int,
    high: int, pushes: FloatArray, bends: FloatArray,
) -> None:  # fmt: skip
    """The same for a metric that is linear in its gains: hook `sweep`.

    `tables` are the weights of the sweep down and of that up, where all queries have the same; else none.
    """
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        n = stop - start
        if n > longest or n < 2 or ideal[start] == ideal[stop - 1] or prepared.scales[q] == 0.0:
            continue
        rows = order[start:stop]
        s, w, classes = scores[rows], share[rows], prepared.classes[rows]
        discount = prepared.discounts[start:stop]
        p, h = np.zeros(n), np.zeros(n)
        if LONG_LISTS:  # noqa: SIM102  (alone, so that numba leaves out what follows)
            if n > exact_up_to:
                z, heights = decays(s, terms.slowest), discount.reshape(1, n)
                weights = level_weights(prepared.levels[q])
                for direction in range(2):
                    down = direction == 0
                    push, bend, zero = tables[direction] if len(tables) else sweep_weights(weights, terms, down)
                    sweep(z, classes, heights, push, bend, zero, w, down, p, h)
        if n <= exact_up_to:
            all_pairs_by_gain(s, classes, prepared.gains[rows], discount, c, w, p, h)
        for i in range(n):
            pushes[rows[i]] = p[i] * prepared.scales[q]
            bends[rows[i]] = h[i] * prepared.scales[q]
