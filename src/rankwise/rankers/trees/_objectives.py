"""What trees descend: λ's on one scale for all metrics, and the plain losses that a model may start from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Protocol

import numpy as np
from scipy.special import expit

from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._position_bias import PositionBias
from rankwise.types import FloatArray, IntArray

EVEN_ODDS_HESSIAN = 0.25  # of the log loss at even odds


class Objective(Protocol):
    """A loss on the rows of this machine, which may be one of several.

    `sums` are its share of what the loss takes from all rows; before the first round it gets those of all machines.
    """

    sums: list[float]

    def set_global_sums(self, sums: Sequence[Sequence[float]]) -> None:
        """Take what concerns all rows from the sums of all machines."""
        ...

    def gradients(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient of the cost and Hessian, one entry per row."""
        ...


class ScaledLambdas:
    """λ's times one constant, so that limits on Hessians mean the same for every metric and length of list.

    The λ's of AUC are of the order 1/(mn), those of NDCG of the order 1/n: under LightGBM's limits on the sum of
    Hessians in a leaf the former would not split at all. The constant makes the mean Hessian of a row, at
    equal scores and without gap normalization, that of the log loss at even odds. The steps of the trees are
    ratios of gradients and Hessians and do not change with it.

    With a `bias` rows weigh by how likely they were seen, too, as the scores of the round say.
    """

    def __init__(
        self,
        metric: Metric,
        y: FloatArray,
        qid: IntArray,
        weight: FloatArray | None,
        *,
        norm: Norm | None,
        sigma: float,
        tie_keys: FloatArray,
        bias: PositionBias | None = None,
    ) -> None:
        self.metric, self.weight, self.bias = metric, weight, bias
        if bias is not None:
            weight = self._weights(bias, np.zeros(y.size))
        # One after the other: each holds several numbers per row.
        unnormalized = LambdaObjective(metric, y, qid, norm=None, sigma=sigma, sample_weight=weight, tie_keys=tie_keys)
        self.sums = [float(y.size), *_exact_sum(unnormalized.gradients(np.zeros(y.size))[1])]
        del unnormalized
        self.objective = LambdaObjective(
            metric, y, qid, norm=norm, sigma=sigma, sample_weight=weight, tie_keys=tie_keys
        )
        self.scale = 1.0

    def set_global_sums(self, sums: Sequence[Sequence[float]]) -> None:
        """Take the mean Hessian from the rows of all machines."""
        # fsum: the same to the last bit, in whatever order and on whatever machines the rows are
        mean = math.fsum(term for rows, *terms in sums for term in terms) / sum(rows for rows, *_ in sums)
        if not mean > 0.0:
            raise DataError(
                f"no two documents of a query change {self.metric} by changing places, so there is nothing to learn; "
                "check that labels differ within queries, and the weights"
            )
        self.scale = EVEN_ODDS_HESSIAN / mean

    def gradients(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian at these scores."""
        if self.bias is not None:
            self.objective.reweigh(self._weights(self.bias, scores))
        gradient, hessian = self.objective.gradients(scores)
        gradient *= self.scale
        hessian *= self.scale
        return gradient, hessian

    def _weights(self, bias: PositionBias, scores: FloatArray) -> FloatArray:
        return bias.weights(scores) * (1.0 if self.weight is None else self.weight)


def _exact_sum(numbers: FloatArray) -> list[float]:
    """The sum and what rounding it left out: with twice the digits, sums of machines add up to that of all."""
    total = math.fsum(numbers)
    return [total, math.fsum(chain(numbers, [-total]))]


class LogLoss:
    """Log loss of "the label is above 0", the scores being log odds less those of the whole data set.

    The constant is left out of the scores because no ranking depends on it.
    """

    def __init__(self, y: FloatArray, weight: FloatArray | None) -> None:
        self.target = (y > 0).astype(np.float64)
        self.weight = np.ones(y.size) if weight is None else weight
        self.sums = [float((self.target * self.weight).sum()), float(self.weight.sum())]
        self.offset = 0.0

    def set_global_sums(self, sums: Sequence[Sequence[float]]) -> None:
        """Take the share of positive labels from the rows of all machines."""
        share = sum(positive for positive, _ in sums) / sum(total for _, total in sums)
        if not 0.0 < share < 1.0:
            raise DataError(
                f'init="logloss" needs labels of 0 and labels above 0, got only {"the latter" if share else "0"}; '
                'use init="l2" or None'
            )
        self.offset = float(np.log(share / (1.0 - share)))

    def gradients(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian at these scores."""
        chance = expit(scores + self.offset)
        return self.weight * (chance - self.target), self.weight * chance * (1.0 - chance)


class SquaredLoss:
    """Half the squared distance of scores from labels, both less the mean label."""

    def __init__(self, y: FloatArray, weight: FloatArray | None) -> None:
        self.y, self.weight = y, np.ones(y.size) if weight is None else weight
        self.sums = [float((self.y * self.weight).sum()), float(self.weight.sum())]
        self.mean = 0.0

    def set_global_sums(self, sums: Sequence[Sequence[float]]) -> None:
        """Take the mean label from the rows of all machines."""
        self.mean = sum(labels for labels, _ in sums) / sum(weights for _, weights in sums)

    def gradients(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian at these scores."""
        return self.weight * (scores - (self.y - self.mean)), self.weight.copy()  # the caller may write to it
