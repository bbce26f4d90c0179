"""Hinge and ramp with their corners rounded, for solvers that need a derivative everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.objectives.rates.saddle._surrogates import Hinge, Ramp, Surrogate
from rankwise.types import FloatArray


def _part(u: Any, corner: float) -> Any:
    """max(0, u), a parabola within `corner` of 0: above it by at most corner/4."""
    return np.maximum(u, 0.0) + np.maximum(corner - np.abs(u), 0.0) ** 2 / (4.0 * corner)


def _rise(u: FloatArray, corner: float) -> FloatArray:
    return np.clip((u + corner) / (2.0 * corner), 0.0, 1.0)


def _bend(u: FloatArray, corner: float) -> FloatArray:
    return (np.abs(u) < corner) / (2.0 * corner)


@dataclass(frozen=True)
class Rounded(Surrogate):
    """max(0, 1 − m/width), less max(0, −m/width) if it is a ramp, each with its corner rounded."""

    name: ClassVar[str] = "rounded"
    width: float
    corner: float
    ramp: bool

    def value(self, margin: Any) -> Any:
        """The loss."""
        u = margin / self.width
        return _part(1.0 - u, self.corner) - (_part(-u, self.corner) if self.ramp else 0.0)

    def slope(self, margin: FloatArray) -> FloatArray:
        """Its derivative."""
        u = margin / self.width
        return (-_rise(1.0 - u, self.corner) + (_rise(-u, self.corner) if self.ramp else 0.0)) / self.width

    def curvature(self, margin: FloatArray) -> FloatArray:
        """Its second derivative, where that is positive."""
        return _bend(1.0 - margin / self.width, self.corner) / self.width**2


def rounded(loss: Surrogate, corner: float) -> Surrogate:
    """The loss with corners rounded; one without corners is itself."""
    if isinstance(loss, Hinge):
        return Rounded(1.0, corner, ramp=False)
    if isinstance(loss, Ramp):
        return Rounded(loss.width, corner, ramp=True)
    return loss
