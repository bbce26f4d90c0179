"""Rows counted through sigmoids of one width at several thresholds: one exponential per row, however many
thresholds."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import reassociating_kernel
from rankwise.types import BoolArray, FloatArray

MAX_WIDTHS = 300.0  # widths: beyond, a sigmoid is 0 or 1, and no product of two exponentials overflows


@reassociating_kernel
def soft_sums(
    scores: FloatArray,
    positive: BoolArray,
    weight: FloatArray,
    thresholds: FloatArray,
    gains: FloatArray,
    prices: FloatArray,
    width: float,
    slope: FloatArray,
    bend: FloatArray,
    by_threshold: FloatArray,
) -> float:
    """Σ weight · worth · σ((s − b)/width) over rows and thresholds; worth is −gain of a positive, price of a negative.

    Fills the derivative of each row by its score, over its weight; half its absolute value over the width, a curvature;
    and the derivative by each threshold.
    """
    total, middle = 0.0, np.mean(thresholds)
    shifts = np.exp(np.clip((thresholds - middle) / width, -MAX_WIDTHS, MAX_WIDTHS))
    for i in range(scores.size):
        below = np.exp(min(max((middle - scores[i]) / width, -MAX_WIDTHS), MAX_WIDTHS))
        of_row, steep_of_row, bend_of_row = 0.0, 0.0, 0.0
        for k in range(thresholds.size):
            worth = -gains[k] if positive[i] else prices[k]
            odds = below * shifts[k]  # of not being above
            above = 1.0 / (1.0 + odds)
            steep = worth * (odds * above) * above / width
            of_row += worth * above
            steep_of_row += steep
            bend_of_row += abs(steep)
            by_threshold[k] -= weight[i] * steep
        total += weight[i] * of_row
        slope[i] = steep_of_row
        bend[i] = 0.5 * bend_of_row / width
    return total


@reassociating_kernel
def log_loss_sum(scores: FloatArray, positive: BoolArray, weight: FloatArray, slope: FloatArray) -> float:
    """Σ weight · log loss over rows; fills the derivative of each row by its score."""
    total = 0.0
    for i in range(scores.size):
        z = np.exp(-abs(scores[i]))
        margin = scores[i] if positive[i] else -scores[i]
        right = (1.0 if margin > 0.0 else z) / (1.0 + z)  # how likely the label is
        total += weight[i] * (np.log1p(z) + max(-margin, 0.0))
        slope[i] = weight[i] * (right - 1.0 if positive[i] else 1.0 - right)
    return total


@reassociating_kernel
def soft_rates(
    scores: FloatArray, positive: BoolArray, weight: FloatArray, thresholds: FloatArray, width: float,
    counts: FloatArray, near: FloatArray,
) -> None:  # fmt: skip
    """At each threshold, Σ weight · σ((s − b)/width) of the negatives and of the positives, and Σ weight · σ(1 − σ)."""
    middle = np.mean(thresholds)
    shifts = np.exp(np.clip((thresholds - middle) / width, -MAX_WIDTHS, MAX_WIDTHS))
    for i in range(scores.size):
        below = np.exp(min(max((middle - scores[i]) / width, -MAX_WIDTHS), MAX_WIDTHS))
        kind = 1 if positive[i] else 0
        for k in range(thresholds.size):
            odds = below * shifts[k]
            above = 1.0 / (1.0 + odds)
            counts[kind, k] += weight[i] * above
            near[kind, k] += weight[i] * (odds * above) * above


@reassociating_kernel
def near_log_loss(
    scores: FloatArray, positive: BoolArray, weight: FloatArray, thresholds: FloatArray, gains: FloatArray,
    prices: FloatArray, width: float, gamma: float, slope: FloatArray, bend: FloatArray,
) -> None:  # fmt: skip
    """Derivative and curvature of weight · (log loss + γ · near · log loss about the middle of the thresholds) of rows.

    near is Σ worth · 4σ'((s − b)/width) over thresholds, worth being the gain of a positive, the price of a negative.
    """
    middle = float(np.mean(thresholds))
    middle_odds = np.exp(min(max(middle, -MAX_WIDTHS), MAX_WIDTHS))
    shifts = np.exp(np.clip((thresholds - middle) / width, -MAX_WIDTHS, MAX_WIDTHS))
    for i in range(scores.size):
        below = np.exp(min(max((middle - scores[i]) / width, -MAX_WIDTHS), MAX_WIDTHS))
        near = 0.0
        for k in range(thresholds.size):
            odds = below * shifts[k]
            above = 1.0 / (1.0 + odds)
            near += (gains[k] if positive[i] else prices[k]) * (odds * above) * above
        near *= 4.0 * gamma
        label = 1.0 if positive[i] else 0.0
        unlikely = np.exp(-min(max(scores[i], -MAX_WIDTHS), MAX_WIDTHS))
        likely, above_middle = 1.0 / (1.0 + unlikely), 1.0 / (1.0 + unlikely * middle_odds)
        slope[i] = weight[i] * (likely - label + near * (above_middle - label))
        bend[i] = weight[i] * (likely * (1.0 - likely) + near * above_middle * (1.0 - above_middle))
