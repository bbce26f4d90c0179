"""Linear functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.rankers._score_functions._base import DOUBLE, SINGLE, ScoreFunction
from rankwise.types import AnyArray, FloatArray


@dataclass(frozen=True, eq=False)
class LinearFunction(ScoreFunction):
    """Σ weight·(x − center)·scale + constant; in `single` precision up to the weights, if the model does so."""

    noun: ClassVar[str] = "a linear function"
    weights: FloatArray
    constant: float
    center: FloatArray
    scale: FloatArray
    single: bool = False

    @property
    def rounding(self) -> float:
        """How exact the model itself is."""
        return SINGLE if self.single else DOUBLE

    @property
    def slopes(self) -> FloatArray:
        """The weights of the features as they are."""
        return self.weights * self.scale

    @property
    def intercept(self) -> float:
        """The score where all features are 0."""
        return self.constant - float(self.slopes @ self.center)

    @property
    def terms(self) -> int:
        """Numbers that a score is the sum of."""
        return 2 * self.weights.size + 1

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of."""
        return np.asarray((np.abs(X) + np.abs(self.center)) @ np.abs(self.slopes) + abs(self.constant))
