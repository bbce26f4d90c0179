"""Thresholds in single precision: which of two sides a value is on must not depend on how a threshold is rounded."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._tree_scoring import ZERO as ZERO

LARGEST = float(np.finfo(np.float32).max)


def single(threshold: float) -> float:
    """The largest float32 at or below a threshold: no float32 is between the two, so that both part them alike.

    >>> single(0.1), single(1e300) == LARGEST
    (0.09999999403953552, True)
    """
    if threshold >= LARGEST:
        return LARGEST
    with np.errstate(over="ignore"):
        near = np.float32(threshold)
    return float(near) if float(near) <= threshold else below(float(near))


def above(value: float) -> float:
    """The next float32."""
    return -below(-value)


def below(value: float) -> float:
    """The float32 before; infinity before the lowest."""
    with np.errstate(over="ignore"):
        return float(np.nextafter(np.float32(value), np.float32(-np.inf)))
