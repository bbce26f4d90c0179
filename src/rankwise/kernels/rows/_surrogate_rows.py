"""Bounds of the 0/1 loss of one row at all thresholds, each with its slope: what `bounded_sums` is specialized with.

The margin of a row is m = s − b for a positive one, b − s for a negative one. Written so that a score of NaN has a loss
of NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.types import FloatArray

MAX_WIDTHS = 600.0  # widths: up to there an exponential, and a product that is one, does not overflow
LOG_2 = float(np.log(2.0))

# sign, score, thresholds, width, exp(sign · (thresholds − middle) / width), middle, their distance from it, and what is
# filled: losses and slopes
Row = Callable[[float, float, FloatArray, float, FloatArray, float, float, FloatArray, FloatArray], None]


def hinge_row(
    sign: float, score: float, thresholds: FloatArray, width: float, shifts: FloatArray, middle: float, reach: float,
    losses: FloatArray, slopes: FloatArray,
) -> None:  # fmt: skip
    """max(0, 1 − m)."""
    for k in range(thresholds.size):
        short = 1.0 - sign * (score - thresholds[k])
        losses[k] = 0.0 if short < 0.0 else short
        slopes[k] = -1.0 if short > 0.0 else 0.0


def smooth_hinge_row(
    sign: float, score: float, thresholds: FloatArray, width: float, shifts: FloatArray, middle: float, reach: float,
    losses: FloatArray, slopes: FloatArray,
) -> None:  # fmt: skip
    """1 − 2m, (1 − m)², 0 for m below 0, up to 1 and above."""
    for k in range(thresholds.size):
        short = 1.0 - sign * (score - thresholds[k])
        short = 0.0 if short < 0.0 else short
        inside = 1.0 if short > 1.0 else short
        losses[k] = inside * (2.0 * short - inside)
        slopes[k] = -2.0 * inside


def log2_row(
    sign: float, score: float, thresholds: FloatArray, width: float, shifts: FloatArray, middle: float, reach: float,
    losses: FloatArray, slopes: FloatArray,
) -> None:  # fmt: skip
    """log2(1 + e^−m): one exponential, unless some would overflow."""
    if abs(score - middle) + reach < MAX_WIDTHS:
        below = np.exp(sign * (middle - score))
        for k in range(thresholds.size):
            odds = below * shifts[k]
            slopes[k] = odds / (1.0 + odds) / -LOG_2
            losses[k] = np.log(1.0 + odds) / LOG_2
    else:
        for k in range(thresholds.size):
            margin = sign * (score - thresholds[k])
            z = np.exp(-abs(margin))
            slopes[k] = (z if margin > 0.0 else 1.0) / (1.0 + z) / -LOG_2
            losses[k] = (np.log(1.0 + z) + (0.0 if margin > 0.0 else -margin)) / LOG_2


def ramp_row(
    sign: float, score: float, thresholds: FloatArray, width: float, shifts: FloatArray, middle: float, reach: float,
    losses: FloatArray, slopes: FloatArray,
) -> None:  # fmt: skip
    """1 − m/width cut to [0, 1]."""
    for k in range(thresholds.size):
        margin = sign * (score - thresholds[k])
        short = 1.0 - margin / width
        losses[k] = 0.0 if short < 0.0 else 1.0 if short > 1.0 else short
        slopes[k] = -1.0 / width if 0.0 < margin < width else 0.0


def sigmoid_row(
    sign: float, score: float, thresholds: FloatArray, width: float, shifts: FloatArray, middle: float, reach: float,
    losses: FloatArray, slopes: FloatArray,
) -> None:  # fmt: skip
    """1/(1 + e^{m/width}): one exponential, unless some would overflow."""
    is_near = abs(score - middle) + reach < MAX_WIDTHS * width
    below = np.exp(sign * (middle - score) / width) if is_near else 0.0
    for k in range(thresholds.size):
        odds = below * shifts[k]
        if not is_near:
            odds = np.exp(min(sign * (thresholds[k] - score) / width, MAX_WIDTHS))
        losses[k] = odds / (1.0 + odds)
        slopes[k] = losses[k] * (losses[k] - 1.0) / width


SURROGATE_ROWS: dict[str, Row] = {
    "hinge": hinge_row,
    "smooth-hinge": smooth_hinge_row,
    "log2": log2_row,
    "ramp": ramp_row,
    "sigmoid": sigmoid_row,
}
