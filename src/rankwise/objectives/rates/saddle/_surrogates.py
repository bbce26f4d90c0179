"""Upper bounds of the 0/1 loss 1[m <= 0] of a margin m, each with value 1 at m = 0 (Eban 2017 section 3), and a
sigmoid.

`value` and `slope` take numpy arrays and torch tensors alike; `curvature` is for numpy. A curvature is what a tree
booster divides by: it is 0 where the slope is 0, positive elsewhere, and, of the piecewise linear losses, that of a
parabola that touches the loss at m.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy.special import entr, expit

from rankwise.errors import DataError
from rankwise.types import FloatArray

Margins: TypeAlias = Any  # an array of numpy or a tensor of torch
LOG_2 = float(np.log(2.0))


def _is_numpy(margin: Margins) -> bool:
    return isinstance(margin, np.ndarray | np.number | float)


def _sigmoid(margin: Margins) -> Margins:
    return expit(margin) if _is_numpy(margin) else margin.sigmoid()


@dataclass(frozen=True)
class Surrogate(ABC):
    """A loss of margins: m = s − b for a positive row and b − s for a negative one."""

    name: ClassVar[str]
    is_convex: ClassVar[bool] = True

    @property
    def reach(self) -> float:
        """How far beyond 0 the loss goes on, roughly."""
        return 1.0

    @abstractmethod
    def value(self, margin: Margins) -> Margins:
        """The loss."""

    @abstractmethod
    def slope(self, margin: Margins) -> Margins:
        """The derivative, which is nowhere positive."""

    @abstractmethod
    def curvature(self, margin: FloatArray) -> FloatArray:
        """A stand-in for the second derivative, which is nowhere negative."""

    def rounded(self, corner: float) -> Surrogate:
        """The loss with its corners rounded, for solvers that need a derivative everywhere."""
        return self

    def tangent(self, slope: FloatArray) -> FloatArray:
        """The highest c with value(m) >= c + slope · m for all margins: what a convex loss is bounded by from below."""
        raise DataError(f"a {self.name} is not convex, and so has no tangents below it; take hinge or log2")

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Hinge(Surrogate):
    """max(0, 1 − m): Eban 2017 (2)."""

    name: ClassVar[str] = "hinge"

    def value(self, margin: Margins) -> Margins:
        """The loss."""
        return (1.0 - margin).clip(min=0.0)

    def slope(self, margin: Margins) -> Margins:
        """−1 below a margin of 1."""
        return -1.0 * (margin < 1.0)

    def curvature(self, margin: FloatArray) -> FloatArray:
        """Of max(0, u) <= (u + u²/2c + c/2)/2, which touches at u = c; at most 1."""
        short = 1.0 - margin
        return (short > 0.0) / (2.0 * np.maximum(short, 0.5))

    def tangent(self, slope: FloatArray) -> FloatArray:
        """Through the corner, (1, 0)."""
        return -slope

    def rounded(self, corner: float) -> Surrogate:
        """The corner at 1."""
        return Rounded(1.0, corner, ramp=False)


@dataclass(frozen=True)
class SmoothHinge(Surrogate):
    """1 − 2m, (1 − m)², 0 for m below 0, up to 1 and above: Rennie's, doubled so that it stays above the 0/1 loss."""

    name: ClassVar[str] = "smooth-hinge"

    def value(self, margin: Margins) -> Margins:
        """The loss."""
        short = (1.0 - margin).clip(min=0.0)
        inside = short.clip(max=1.0)
        return inside * (2.0 * short - inside)

    def slope(self, margin: Margins) -> Margins:
        """−2 below 0, rising to 0 at 1."""
        return -2.0 * (1.0 - margin).clip(0.0, 1.0)

    def curvature(self, margin: FloatArray) -> FloatArray:
        """2 within [0, 1]; below, that of the parabola with its foot at 1."""
        short = 1.0 - margin
        return 2.0 * (short > 0.0) / np.maximum(short, 1.0)

    def tangent(self, slope: FloatArray) -> FloatArray:
        """It touches at a margin of 1 + slope/2."""
        return -slope - 0.25 * slope**2


@dataclass(frozen=True)
class Log2(Surrogate):
    """log2(1 + e^−m): the log loss, in bits so that it is 1 at 0."""

    name: ClassVar[str] = "log2"

    def value(self, margin: Margins) -> Margins:
        """The loss."""
        if _is_numpy(margin):
            return np.logaddexp(0.0, -margin) / LOG_2
        from torch.nn.functional import softplus

        return softplus(-margin, threshold=40.0) / LOG_2

    def slope(self, margin: Margins) -> Margins:
        """−σ(−m)/ln 2."""
        return _sigmoid(-margin) / -LOG_2

    def curvature(self, margin: FloatArray) -> FloatArray:
        """The second derivative itself."""
        return np.asarray(expit(margin) * expit(-margin) / LOG_2)

    def tangent(self, slope: FloatArray) -> FloatArray:
        """The entropy in bits of σ(−m), where it touches."""
        chance = np.clip(-LOG_2 * slope, 0.0, 1.0)
        return np.asarray((entr(chance) + entr(1.0 - chance)) / LOG_2)


@dataclass(frozen=True)
class _Wide(Surrogate):
    """A loss whose fall has a width; it is not convex."""

    is_convex: ClassVar[bool] = False
    width: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.width < np.inf:
            raise DataError(
                f"the width of a {self.name} must be a positive number, got {self.width!r}; 1 is the default"
            )

    def __str__(self) -> str:
        return f"{self.name}[{self.width:g}]"


@dataclass(frozen=True)
class Ramp(_Wide):
    """1 − m/width cut to [0, 1]: not convex, but the narrower, the nearer to the 0/1 loss itself."""

    name: ClassVar[str] = "ramp"

    @property
    def reach(self) -> float:
        """The width."""
        return self.width

    def value(self, margin: Margins) -> Margins:
        """The loss."""
        return (1.0 - margin / self.width).clip(0.0, 1.0)

    def slope(self, margin: Margins) -> Margins:
        """−1/width between 0 and the width."""
        return ((margin > 0.0) & (margin < self.width)) / -self.width

    def curvature(self, margin: FloatArray) -> FloatArray:
        """1/width² where there is a slope: a step of one width crosses the ramp."""
        return ((margin > 0.0) & (margin < self.width)) / self.width**2

    def rounded(self, corner: float) -> Surrogate:
        """Both corners."""
        return Rounded(self.width, corner, ramp=True)


@dataclass(frozen=True)
class Sigmoid(_Wide):
    """1/(1 + e^{m/width}): the count itself, smoothed. No bound (it is ½ at 0), but never without a slope.

    A narrow ramp cannot leave "predict nothing", where it is flat; this can. For a warm start with a falling width.
    """

    name: ClassVar[str] = "sigmoid"

    def value(self, margin: Margins) -> Margins:
        """The smoothed count."""
        return _sigmoid(margin / -self.width)

    def slope(self, margin: Margins) -> Margins:
        """−σ(1−σ)/width."""
        value = self.value(margin)
        return value * (value - 1.0) / self.width

    def curvature(self, margin: FloatArray) -> FloatArray:
        """|slope|/width: a step of one width or so."""
        return np.asarray(-self.slope(margin) / self.width)


@dataclass(frozen=True)
class Rounded(Surrogate):
    """max(0, 1 − m/width), less max(0, −m/width) if it is a ramp, each a parabola within `corner` of its corner."""

    name: ClassVar[str] = "rounded"
    width: float
    corner: float
    ramp: bool

    def value(self, margin: Margins) -> Margins:
        """The loss: above the one with corners by at most corner/4."""
        u = margin / self.width
        return self._positive_part(1.0 - u) - (self._positive_part(-u) if self.ramp else 0.0)

    def slope(self, margin: Margins) -> Margins:
        """The derivative."""
        u = margin / self.width
        return ((self._rise(-u) if self.ramp else 0.0) - self._rise(1.0 - u)) / self.width

    def curvature(self, margin: FloatArray) -> FloatArray:
        """The second derivative, where that is positive."""
        return (np.abs(1.0 - margin / self.width) < self.corner) / (2.0 * self.corner) / self.width**2

    def _positive_part(self, u: FloatArray) -> FloatArray:
        return np.maximum(u, 0.0) + np.maximum(self.corner - np.abs(u), 0.0) ** 2 / (4.0 * self.corner)

    def _rise(self, u: FloatArray) -> FloatArray:
        return np.clip((u + self.corner) / (2.0 * self.corner), 0.0, 1.0)


SURROGATES: dict[str, type[Surrogate]] = {cls.name: cls for cls in (Hinge, SmoothHinge, Log2, Ramp, Sigmoid)}


def parse_surrogate(text: str | Surrogate) -> Surrogate:
    """The surrogate that a text names; a surrogate is returned as it is.

    >>> parse_surrogate("ramp[0.5]")
    Ramp(width=0.5)
    >>> parse_surrogate("hinge").value(np.array([-1.0, 0.0, 1.0]))
    array([2., 1., 0.])
    """
    if isinstance(text, Surrogate):
        return text
    match = re.fullmatch(r"(ramp|sigmoid)\[(\d+\.?\d*(?:e[+-]?\d+)?)\]", text) if isinstance(text, str) else None
    if match is not None:
        return {"ramp": Ramp, "sigmoid": Sigmoid}[match[1]](float(match[2]))
    if not isinstance(text, str) or text not in SURROGATES:
        raise DataError(
            f"there is no surrogate {text!r:.100}; known are {', '.join(SURROGATES)} ramp[width] and sigmoid[width]"
        )
    return SURROGATES[text]()
