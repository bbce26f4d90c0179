"""Bounds of the 0/1 loss of all rows at one threshold, each with its slope: what `rate_step` is specialized with.

The margin of a row is m = s − b for a positive one, whose sign is 1, and b − s for a negative one; its odds are
e^{−m/width}. A score of NaN has a loss of NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.types import FloatArray

LOG_2 = float(np.log(2.0))

# Signs, scores, the threshold, the width, odds, and what is filled: losses and slopes.
Column = Callable[[FloatArray, FloatArray, float, float, FloatArray, FloatArray, FloatArray], None]


def hinge(
    signs: FloatArray, scores: FloatArray, threshold: float, width: float, odds: FloatArray, losses: FloatArray,
    slopes: FloatArray,
) -> None:  # fmt: skip
    """max(0, 1 − m)."""
    for i in range(scores.size):
        short = 1.0 - signs[i] * (scores[i] - threshold)
        losses[i] = 0.0 if short < 0.0 else short
        slopes[i] = -1.0 if short > 0.0 else 0.0


def smooth_hinge(
    signs: FloatArray, scores: FloatArray, threshold: float, width: float, odds: FloatArray, losses: FloatArray,
    slopes: FloatArray,
) -> None:  # fmt: skip
    """1 − 2m, (1 − m)², 0 for m below 0, up to 1 and above."""
    for i in range(scores.size):
        short = 1.0 - signs[i] * (scores[i] - threshold)
        short = 0.0 if short < 0.0 else short
        inside = 1.0 if short > 1.0 else short
        losses[i] = inside * (2.0 * short - inside)
        slopes[i] = -2.0 * inside


def log2(
    signs: FloatArray, scores: FloatArray, threshold: float, width: float, odds: FloatArray, losses: FloatArray,
    slopes: FloatArray,
) -> None:  # fmt: skip
    """log2(1 + e^−m), with a series in the place of each logarithm, because the compiler has vectors for that.

    Of z = e^−|m|, log(1 + z) is 2 artanh(z / (2 + z)), whose argument is at most 1/3: 16 terms are all of a double.
    """
    for i in range(scores.size):
        margin = signs[i] * (scores[i] - threshold)
        z = 1.0 / odds[i] if odds[i] > 1.0 else odds[i]
        inverse = 1.0 / ((1.0 + z) * (2.0 + z))
        u, likely = z * (1.0 + z) * inverse, (2.0 + z) * inverse
        slopes[i] = (z * likely if margin > 0.0 else likely) * (-1.0 / LOG_2)
        series = 0.0
        for term in range(31, 0, -2):
            series = series * (u * u) + 1.0 / term
        losses[i] = (2.0 * u * series + (0.0 if margin > 0.0 else -margin)) * (1.0 / LOG_2)


def ramp(
    signs: FloatArray, scores: FloatArray, threshold: float, width: float, odds: FloatArray, losses: FloatArray,
    slopes: FloatArray,
) -> None:  # fmt: skip
    """1 − m/width cut to [0, 1]."""
    for i in range(scores.size):
        margin = signs[i] * (scores[i] - threshold)
        short = 1.0 - margin / width
        losses[i] = 0.0 if short < 0.0 else 1.0 if short > 1.0 else short
        slopes[i] = -1.0 / width if 0.0 < margin < width else 0.0


def sigmoid(
    signs: FloatArray, scores: FloatArray, threshold: float, width: float, odds: FloatArray, losses: FloatArray,
    slopes: FloatArray,
) -> None:  # fmt: skip
    """1/(1 + e^{m/width})."""
    for i in range(scores.size):
        likely = 1.0 / (1.0 + odds[i])
        losses[i] = odds[i] * likely
        slopes[i] = -losses[i] * likely / width


COLUMNS: dict[str, Column] = {
    "hinge": hinge,
    "smooth-hinge": smooth_hinge,
    "log2": log2,
    "ramp": ramp,
    "sigmoid": sigmoid,
}
WITH_ODDS = ("log2", "sigmoid")
