"""Plain losses that a model may start from before it turns to its metric (KERNELS section 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from rankwise.errors import DataError
from rankwise.types import FloatArray

Pair = tuple[FloatArray, FloatArray]


class LogLoss:
    """Log loss of "the label is above 0", the scores being log odds less those of the whole data set.

    The constant is left out of the scores because no ranking depends on it.
    """

    def __init__(self, y: FloatArray, weight: FloatArray | None) -> None:
        self.target = (y > 0).astype(np.float64)
        self.weight = np.ones(y.size) if weight is None else weight
        self.sums = [float((self.target * self.weight).sum()), float(self.weight.sum())]
        self.offset = 0.0

    def settle(self, sums: Sequence[Sequence[float]]) -> None:
        """Take the share of positive labels from all parts of the data."""
        share = sum(above for above, _ in sums) / sum(all_of for _, all_of in sums)
        if not 0.0 < share < 1.0:
            raise DataError(
                f'init="logloss" needs labels of 0 and labels above 0, got only {"the latter" if share else "0"}; '
                'use init="l2" or None'
            )
        self.offset = float(np.log(share / (1.0 - share)))

    def gradients(self, scores: FloatArray) -> Pair:
        """Gradient and Hessian at these scores."""
        chance = expit(scores + self.offset)
        return self.weight * (chance - self.target), self.weight * chance * (1.0 - chance)


class SquaredLoss:
    """Half the squared distance of scores from labels, both less the mean label."""

    def __init__(self, y: FloatArray, weight: FloatArray | None) -> None:
        self.y, self.weight = y, np.ones(y.size) if weight is None else weight
        self.sums = [float((self.y * self.weight).sum()), float(self.weight.sum())]
        self.mean = 0.0

    def settle(self, sums: Sequence[Sequence[float]]) -> None:
        """Take the mean label from all parts of the data."""
        self.mean = sum(labels for labels, _ in sums) / sum(weights for _, weights in sums)

    def gradients(self, scores: FloatArray) -> Pair:
        """Gradient and Hessian at these scores."""
        return self.weight * (scores - (self.y - self.mean)), self.weight.copy()  # the caller may write to it
