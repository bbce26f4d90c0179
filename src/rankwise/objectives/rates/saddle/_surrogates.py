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
from typing import Any, ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Surrogate(ABC):
    """A loss of margins: m = s − b for a positive row and b − s for a negative one."""

    name: ClassVar[str]
    convex: ClassVar[bool] = True

    @property
    def reach(self) -> float:
        """How far beyond 0 the loss goes on, roughly."""
        return 1.0

    @abstractmethod
    def value(self, margin: Any) -> Any:
        """The loss, of an array or a tensor."""

    @abstractmethod
    def slope(self, margin: Any) -> Any:
        """Its derivative, which is nowhere positive."""

    @abstractmethod
    def curvature(self, margin: FloatArray) -> FloatArray:
        """A stand-in for the second derivative, which is nowhere negative."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Hinge(Surrogate):
    """max(0, 1 − m): Eban 2017 (2)."""

    name: ClassVar[str] = "hinge"

    def value(self, margin: Any) -> Any:
        """The loss."""
        return (1.0 - margin).clip(min=0.0)

    def slope(self, margin: Any) -> Any:
        """−1 below a margin of 1."""
        return -1.0 * (margin < 1.0)

    def curvature(self, margin: FloatArray) -> FloatArray:
        """Of max(0, u) <= (u + u²/2c + c/2)/2, which touches at u = c; at most 1."""
        short = 1.0 - margin
        return np.asarray((short > 0.0) / (2.0 * np.maximum(short, 0.5)))


@dataclass(frozen=True)
class SmoothHinge(Surrogate):
    """1 − 2m, (1 − m)², 0 for m below 0, up to 1 and above: Rennie's, doubled so that it stays above the 0/1 loss."""

    name: ClassVar[str] = "smooth-hinge"

    def value(self, margin: Any) -> Any:
        """The loss."""
        short = (1.0 - margin).clip(min=0.0)
        inside = short.clip(max=1.0)
        return inside * (2.0 * short - inside)

    def slope(self, margin: Any) -> Any:
        """−2 below 0, rising to 0 at 1."""
        return -2.0 * (1.0 - margin).clip(0.0, 1.0)

    def curvature(self, margin: FloatArray) -> FloatArray:
        """2 within [0, 1]; below, that of the parabola with its foot at 1."""
        short = 1.0 - margin
        return 2.0 * (short > 0.0) / np.maximum(short, 1.0)


@dataclass(frozen=True)
class Log2(Surrogate):
    """log2(1 + e^−m): the log loss, in bits so that it is 1 at 0."""

    name: ClassVar[str] = "log2"

    def value(self, margin: Any) -> Any:
        """The loss."""
        if isinstance(margin, np.ndarray | np.number | float):
            return (np.maximum(-margin, 0.0) + np.log1p(np.exp(-np.abs(margin)))) / np.log(2.0)
        from torch.nn.functional import softplus

        return softplus(-margin, threshold=40.0) / float(np.log(2.0))

    def slope(self, margin: Any) -> Any:
        """−σ(−m)/ln 2."""
        if isinstance(margin, np.ndarray | np.number | float):
            small = np.exp(-np.abs(margin))
            return np.where(margin > 0.0, small, 1.0) / (1.0 + small) / -np.log(2.0)
        return (-margin).sigmoid() / -float(np.log(2.0))

    def curvature(self, margin: FloatArray) -> FloatArray:
        """The second derivative itself."""
        small = np.exp(-np.abs(margin))
        return np.asarray(small / (1.0 + small) ** 2 / np.log(2.0))


@dataclass(frozen=True)
class Ramp(Surrogate):
    """1 − m/width cut to [0, 1]: not convex, but the narrower, the nearer to the 0/1 loss itself."""

    name: ClassVar[str] = "ramp"
    convex: ClassVar[bool] = False
    width: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.width < np.inf:
            raise DataError(f"the width of a ramp must be a positive number, got {self.width!r}")

    @property
    def reach(self) -> float:
        """The width."""
        return self.width

    def value(self, margin: Any) -> Any:
        """The loss."""
        return (1.0 - margin / self.width).clip(0.0, 1.0)

    def slope(self, margin: Any) -> Any:
        """−1/width between 0 and the width."""
        return ((margin > 0.0) & (margin < self.width)) / -self.width

    def curvature(self, margin: FloatArray) -> FloatArray:
        """1/width² where there is a slope: a step of one width crosses the ramp."""
        return ((margin > 0.0) & (margin < self.width)) / self.width**2

    def __str__(self) -> str:
        return f"ramp[{self.width:g}]"


@dataclass(frozen=True)
class Sigmoid(Surrogate):
    """1/(1 + e^{m/width}): the count itself, smoothed. No bound (it is ½ at 0), but never without a slope.

    A narrow ramp cannot leave "predict nothing", where it is flat; this can. For a warm start with a falling width.
    """

    name: ClassVar[str] = "sigmoid"
    convex: ClassVar[bool] = False
    width: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.width < np.inf:
            raise DataError(f"the width of a sigmoid must be a positive number, got {self.width!r}")

    def value(self, margin: Any) -> Any:
        """The smoothed count."""
        if not isinstance(margin, np.ndarray | np.number | float):
            return (margin / -self.width).sigmoid()
        small = np.exp(-np.abs(margin) / self.width)
        return np.where(margin > 0.0, small, 1.0) / (1.0 + small)

    def slope(self, margin: Any) -> Any:
        """−σ(1−σ)/width."""
        value = self.value(margin)
        return value * (value - 1.0) / self.width

    def curvature(self, margin: FloatArray) -> FloatArray:
        """|slope|/width: a step of one width or so."""
        return np.asarray(-self.slope(margin) / self.width)

    def __str__(self) -> str:
        return f"sigmoid[{self.width:g}]"


SURROGATES: dict[str, type[Surrogate]] = {cls.name: cls for cls in (Hinge, SmoothHinge, Log2, Ramp, Sigmoid)}


def parse_surrogate(text: str | Surrogate) -> Surrogate:
    """The surrogate that a text names; one is passed through.

    >>> parse_surrogate("ramp[0.5]")
    Ramp(width=0.5)
    >>> parse_surrogate("hinge").value(np.array([-1.0, 0.0, 1.0]))
    array([2., 1., 0.])
    """
    if isinstance(text, Surrogate):
        return text
    match = re.fullmatch(r"(ramp|sigmoid)\[([0-9.e+-]+)\]", text)
    if match is not None:
        return {"ramp": Ramp, "sigmoid": Sigmoid}[match[1]](float(match[2]))
    if text not in SURROGATES:
        raise DataError(
            f"there is no surrogate {text!r}; known are {', '.join(SURROGATES)} ramp[width] and sigmoid[width]"
        )
    return SURROGATES[text]()
