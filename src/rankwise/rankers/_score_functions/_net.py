"""Nets of fully connected layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers._score_functions._base import SINGLE, ScoreFunction
from rankwise.types import AnyArray, FloatArray


@dataclass(frozen=True, eq=False)
class NetFunction(ScoreFunction):
    """Layers of weights and biases, in single precision, on (x − center)·scale, and a constant."""

    noun: ClassVar[str] = "a net"
    center: FloatArray
    scale: FloatArray
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32] | None]]
    activation: Literal["relu", "tanh"]
    constant: float = 0.0

    @property
    def rounding(self) -> float:
        """Nets compute in single precision."""
        return SINGLE

    @property
    def terms(self) -> int:
        """Operations one after the other that each may round."""
        return sum(weights.shape[1] + 4 for weights, _ in self.layers)

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of: neither activation makes a number larger."""
        sizes = (np.abs(X.astype(np.float64)) + np.abs(self.center)) * self.scale
        for weights, bias in self.layers:
            sizes = sizes @ np.abs(weights.T.astype(np.float64)) + (0.0 if bias is None else np.abs(bias))
        return np.asarray(sizes[:, 0] + abs(self.constant))
