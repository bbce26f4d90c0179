"""Rows counted through sigmoids of one width at several thresholds: one exponential per row, however many
thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.kernels._compile import reassociating_kernel

FARTHEST = 300.0  # widths: beyond, a sigmoid is 0 or 1, and no product of two exponentials overflows


@reassociating_kernel
def soft_sums(
    scores: Any,
    positive: Any,
    weight: Any,
    thresholds: Any,
    gains: Any,
    prices: Any,
    width: float,
    slope: Any,
    bend: Any,
    by_threshold: Any,
) -> float:
    """Σ weight · worth · σ((s − b)/width) over rows and thresholds; worth is −gain of a positive, price of a negative.

    Fills the derivative of each row by its score, over its weight; half its absolute value over the width, a curvature;
    and the derivative by each threshold.
    """
    total, middle = 0.0, np.mean(thresholds)
    shifts = np.exp(np.clip((thresholds - middle) / width, -FARTHEST, FARTHEST))
    for i in range(scores.size):
        below = np.exp(min(max((middle - scores[i]) / width, -FARTHEST), FARTHEST))
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
def soft_rates(scores: Any, positive: Any, weight: Any, thresholds: Any, width: float, counts: Any, near: Any) -> None:
    """At each threshold, Σ weight · σ((s − b)/width) of the negatives and of the positives, and Σ weight · σ(1 − σ)."""
    middle = np.mean(thresholds)
    shifts = np.exp(np.clip((thresholds - middle) / width, -FARTHEST, FARTHEST))
    for i in range(scores.size):
        below = np.exp(min(max((middle - scores[i]) / width, -FARTHEST), FARTHEST))
        kind = 1 if positive[i] else 0
        for k in range(thresholds.size):
            odds = below * shifts[k]
            above = 1.0 / (1.0 + odds)
            counts[kind, k] += weight[i] * above
            near[kind, k] += weight[i] * (odds * above) * above


@reassociating_kernel
def add_log_loss(scores: Any, positive: Any, weight: Any, gamma: float, slope: Any, bend: Any) -> None:
    """slope = weight · (σ(s) − y + γ · slope), bend = weight · (σ(s)(1 − σ(s)) + γ · bend), in place."""
    for i in range(scores.size):
        likely = 1.0 / (1.0 + np.exp(-min(max(scores[i], -FARTHEST), FARTHEST)))
        label = 1.0 if positive[i] else 0.0
        slope[i] = weight[i] * (likely - label + gamma * slope[i])
        bend[i] = weight[i] * (likely * (1.0 - likely) + gamma * bend[i])
