"""One step of a rate loss: bounded counts of a batch, the Lagrangian that they make, and its derivatives.

`rate_lagrangian` is the algebra of one class, whose anchors are few; `rate_step` is that with the passes over rows
before and after it. Both are templates: `specialize` gives them the statements and the surrogate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.kernels._compile import hook, reassociating_kernel
from rankwise.types import AnyArray, FloatArray, IntArray

TINY = 1e-30  # a complex step this small derives exactly, as long as a statement is plain arithmetic
MAX_LABEL_WEIGHT = 1e6  # after which sums of weights are halved: they stay exact in single precision
MIN_COUNT = 1e-12
MIN_SHARE = 1e-6
MAX_WIDTHS = 600.0  # widths: up to there an exponential does not overflow

cost_0 = cost_1 = cost_2 = cost_3 = excess_0 = excess_1 = excess_2 = excess_3 = hook  # of statements, by their kind
surrogate_column = lagrangian = hook
HAS_ODDS = 0  # whether the surrogate reads odds


class AnchorCounts(NamedTuple):
    """`RateCounts` of one anchor, which is what a statement reads."""

    missed: complex
    false: complex
    positives: float
    negatives: float
    level: float
    split: complex


def rate_lagrangian(
    raw: AnyArray, rates: FloatArray, levels: AnyArray, units: AnyArray, kinds: IntArray, shares: FloatArray,
    class_weight: float, known_share: float, label_weight: FloatArray, is_counted: bool, damping: float,
    max_multiplier: float, min_split: float, in_batch: FloatArray, losses: FloatArray, slopes: FloatArray,
    factors: FloatArray, by_raw: AnyArray,
) -> float:  # fmt: skip
    """The Lagrangian of a class, Eban 2017 (12), augmented by damping, from sums over the rows of each side.

    `in_batch` is the weight of positives and of negatives; `losses` and `slopes` are sums of the surrogate by side and
    anchor. Fills the derivative by each of these losses, with the sign of the margin's by the score, and that by what
    is raw, turned round for multipliers and 0 where it points out of bounds. Without a known share (0 stands for that)
    it is that of all batches so far, to which a counted one is added.
    """
    share = known_share
    if known_share == 0.0:
        so_far = label_weight[0] + in_batch[0], label_weight[1] + in_batch[1]
        part = 0.5 if so_far[0] + so_far[1] > MAX_LABEL_WEIGHT else 1.0
        if is_counted:
            label_weight[0], label_weight[1] = part * so_far[0], part * so_far[1]
        share = min(max(part * so_far[0] / max(part * (so_far[0] + so_far[1]), MIN_COUNT), MIN_SHARE), 1.0)
    unit = max((in_batch[0] + in_batch[1]) * share, MIN_COUNT)  # |Y+| as it is to be expected
    positives, negatives = 1.0, (1.0 - share) / share
    if known_share == 0.0:
        positives, negatives = max(in_batch[0] / unit, MIN_COUNT), max(in_batch[1] / unit, MIN_COUNT)
    value, by, has_splits = 0.0, np.empty(3), raw.shape[0] > 2
    lowest, n_inputs = np.log(min_split), 3 if has_splits else 2  # of a statement: missed, false and the split
    for k in range(kinds.size):
        highest = max_multiplier / min(units[k], 1.0)
        raised = raw[1, k] * rates[1]
        multiplier = min(max(raised, 0.0), highest) * units[k]
        log_split = raw[2, k] * rates[2] if has_splits else 0.0
        split = np.exp(min(max(log_split, lowest), 0.0)) if has_splits else 1.0
        applied, missing = multiplier, 0.0
        cost, excess = 0j, 0j
        for step in range(-1 if damping > 0.0 else 0, n_inputs):
            counts = AnchorCounts(
                complex(losses[0, k] / unit, TINY if step == 0 else 0.0),
                complex(losses[1, k] / unit, TINY if step == 1 else 0.0),
                positives,
                negatives,
                float(levels[k]),
                complex(split, TINY if step == 2 else 0.0),
            )
            if kinds[k] == 0:
                cost, excess = cost_0(None, counts), excess_0(None, counts)
            elif kinds[k] == 1:
                cost, excess = cost_1(None, counts), excess_1(None, counts)
            elif kinds[k] == 2:
                cost, excess = cost_2(None, counts), excess_2(None, counts)
            else:
                cost, excess = cost_3(None, counts), excess_3(None, counts)
            if step < 0:
                applied = min(max(multiplier + damping * excess.real, 0.0), highest * units[k])
                missing = (applied - multiplier) / damping
            else:
                by[step] = class_weight * shares[k] * (cost.imag + applied * excess.imag) / TINY
        scale = class_weight * shares[k]
        value += scale * (cost.real + applied * excess.real - 0.5 * damping * missing**2)
        factors[0, k], factors[1, k] = by[0] / unit, -by[1] / unit
        by_raw[0, k] = -(factors[0, k] * slopes[0, k] + factors[1, k] * slopes[1, k])
        fall = -scale * (missing if damping > 0.0 else excess.real) * units[k]
        is_out = (raised <= 0.0 and fall > 0.0) or (raised >= highest and fall < 0.0)
        by_raw[1, k] = 0.0 if is_out else fall
        if has_splits:
            fall = by[2] * split
            is_out = (log_split <= lowest and fall > 0.0) or (log_split >= 0.0 and fall < 0.0)
            by_raw[2, k] = 0.0 if is_out else fall
    return value


def rate_lagrangians(
    raw: AnyArray, rates: FloatArray, levels: AnyArray, units: AnyArray, kinds: IntArray, shares: FloatArray,
    class_weight: FloatArray, known_share: FloatArray, label_weight: FloatArray, is_counted: bool, damping: float,
    max_multiplier: float, min_split: float, in_batch: FloatArray, losses: FloatArray, slopes: FloatArray,
    factors: FloatArray, by_raw: AnyArray,
) -> float:  # fmt: skip
    """The sum of `rate_lagrangian` over classes, for sums over rows that were made elsewhere."""
    total = 0.0
    for c in range(class_weight.size):
        total += lagrangian(
            raw[:, c], rates, levels[c], units[c], kinds, shares, class_weight[c], known_share[c], label_weight[:, c],
            is_counted, damping, max_multiplier, min_split, in_batch[c], losses[c], slopes[c], factors[c], by_raw[:, c],
        )  # fmt: skip
    return total


@reassociating_kernel
def rate_step(
    scores: AnyArray, targets: AnyArray, weights: AnyArray, width: float,
    raw: AnyArray, rates: FloatArray, levels: AnyArray, units: AnyArray, kinds: IntArray, shares: FloatArray,
    class_weight: FloatArray, known_share: FloatArray, label_weight: FloatArray, is_counted: bool, damping: float,
    max_multiplier: float, min_split: float, by_scores: AnyArray, by_raw: AnyArray,
) -> float:  # fmt: skip
    """The value of the loss; fills its derivatives by scores and by what is raw. No weights are weights of 1.

    What rows have is flat, class by class within each row; weights may be one per row. Where targets or weights are not
    known, which is what NaN stands for, the value is NaN and nothing else is done.
    """
    for values in (targets, weights):
        for i in range(values.size):
            if values[i] != values[i]:
                return np.nan
    n_classes, n_anchors, total = class_weight.size, kinds.size, 0.0
    n_rows = scores.size // n_classes
    n_weights = weights.size // max(n_rows, 1)  # of each row
    # Margins are differences in the precision of the scores: where a threshold is one of them, a corner is met exactly.
    column, thresholds = np.empty(n_rows, scores.dtype), np.empty(n_anchors + 1, scores.dtype)
    thresholds[n_anchors] = width
    width = thresholds[n_anchors]
    of_rows = np.empty((7 + n_anchors, n_rows))
    signs, odds, below, by_score, losses_of_rows = of_rows[0], of_rows[1], of_rows[2], of_rows[3], of_rows[4]
    weight, slopes_of_rows = of_rows[5:7], of_rows[7:]
    of_anchors, in_batch = np.empty((3, 2, n_anchors)), np.empty(2)
    losses, slopes, factors = of_anchors[0], of_anchors[1], of_anchors[2]
    for c in range(n_classes):
        in_batch[0], in_batch[1], spread, middle = 0.0, 0.0, 0.0, raw[0, c, n_anchors // 2] * rates[0]
        for k in range(n_anchors):
            thresholds[k] = raw[0, c, k] * rates[0]
            spread = max(spread, abs(thresholds[k] - middle))
        furthest = spread
        of_class = c if n_weights > 1 else 0
        for i in range(n_rows):
            side = 0 if targets[i * n_classes + c] > 0 else 1
            one = 1.0
            if n_weights > 0:
                one = float(weights[i * n_weights + of_class])
            weight[side, i], weight[1 - side, i] = one, 0.0
            in_batch[side] += one
            column[i], signs[i], by_score[i] = scores[i * n_classes + c], 1.0 - 2.0 * side, 0.0
            furthest = max(furthest, abs(column[i] - middle) + spread)
        is_near = furthest < MAX_WIDTHS * width
        if HAS_ODDS and is_near:
            for i in range(n_rows):
                below[i] = np.exp(signs[i] * (middle - column[i]) / width)
        for k in range(n_anchors):
            threshold = thresholds[k]
            if HAS_ODDS and is_near:
                shift = np.exp((threshold - middle) / width)
                for i in range(n_rows):
                    odds[i] = below[i] * (shift if signs[i] > 0.0 else 1.0 / shift)
            elif HAS_ODDS:
                for i in range(n_rows):
                    odds[i] = np.exp(min(signs[i] * (threshold - column[i]) / width, MAX_WIDTHS))
            slope = slopes_of_rows[k]
            surrogate_column(signs, column, threshold, width, odds, losses_of_rows, slope)
            for side in range(2):
                loss_sum, slope_sum = 0.0, 0.0
                for i in range(n_rows):
                    loss_sum += weight[side, i] * losses_of_rows[i]
                    slope_sum += weight[side, i] * slope[i]
                losses[side, k], slopes[side, k] = loss_sum, slope_sum
        total += lagrangian(
            raw[:, c], rates, levels[c], units[c], kinds, shares, class_weight[c], known_share[c], label_weight[:, c],
            is_counted, damping, max_multiplier, min_split, in_batch, losses, slopes, factors, by_raw[:, c],
        )  # fmt: skip
        for k in range(n_anchors):
            for i in range(n_rows):
                by_score[i] += (factors[0, k] if signs[i] > 0.0 else factors[1, k]) * slopes_of_rows[k, i]
        for i in range(n_rows):
            by_scores[i * n_classes + c] = (weight[0, i] + weight[1, i]) * by_score[i]
    return scores.dtype.type(total)  # type: ignore[no-any-return]
