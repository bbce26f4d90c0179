"""Newton's method for convex functions whose second derivative may jump or vanish."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rankwise.types import FloatArray

MAX_STEPS = 200
LEAST_DECREASE = 1e-4  # of what the slope promises
MAX_HALVINGS = 30
DAMPING, MAX_DAMPING = 1e-12, 1e6  # added to the curvature, in units of its mean

Curved = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]


def newton(value: Callable[[FloatArray], float], curved: Curved, start: FloatArray) -> tuple[FloatArray, int]:
    """The minimum from a start, and the steps taken; `curved` gives value, gradient and second derivatives."""
    z, damping = start, DAMPING
    for number in range(MAX_STEPS):
        here, gradient, hessian = curved(z)
        unit = max(float(np.mean(np.diag(hessian))), 1e-12)
        while True:
            try:
                step = -cho_solve(cho_factor(hessian + damping * unit * np.eye(z.size)), gradient)
                break
            except LinAlgError:
                damping *= 100.0
        promised = -float(gradient @ step)
        if promised <= 1e-15 * (1.0 + abs(here)):
            return z, number
        length = 1.0
        for _ in range(MAX_HALVINGS):
            if value(z + length * step) <= here - LEAST_DECREASE * length * promised:
                break
            length *= 0.5
        else:
            if damping >= MAX_DAMPING:
                return z, number
            damping *= 1e3
            continue
        z = z + length * step
        damping = max(0.1 * damping, DAMPING) if length == 1.0 else min(10.0 * damping, MAX_DAMPING)
    return z, MAX_STEPS
