"""λ-gradients on one scale for all metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._position_bias import PositionBias
from rankwise.types import FloatArray, IntArray

EVEN_ODDS = 0.25  # the Hessian of the log loss at even odds


class ScaledLambdas:
    """λ's times one constant, so that limits on Hessians mean the same for every metric and length of list.

    The λ's of AUC are of the order 1/(mn), those of NDCG of the order 1/n: under LightGBM's limits on the sum of
    Hessians in a leaf the former would not split at all. The constant makes the mean Hessian of a row, at
    equal scores and without gap normalization, that of the log loss at even odds. The steps of the trees are
    ratios of gradients and Hessians and do not change with it.

    With a `bias` rows weigh by how likely they were seen, too, as the scores of the round tell.
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
        given: dict[str, Any] = {"sigma": sigma, "sample_weight": weight, "tie_keys": tie_keys}
        # One after the other: each holds several numbers per row.
        plain = LambdaObjective(metric, y, qid, norm=None, **given)
        self.sums = [float(y.size), *_exact_sum(plain.gradients(np.zeros(y.size))[1])]
        del plain
        self.objective = LambdaObjective(metric, y, qid, norm=norm, **given)
        self.scale = 1.0

    def settle(self, sums: Sequence[Sequence[float]]) -> None:
        """Take the mean Hessian from all parts of the data."""
        # fsum: the same to the last bit, in whatever order and parts the rows come
        mean = math.fsum(term for rows, *terms in sums for term in terms) / sum(rows for rows, *_ in sums)
        if not mean > 0.0:
            raise DataError(
                f"no two documents of a query change {self.metric} by changing places, so there is nothing to learn; "
                "check that labels differ within queries, and the weights"
            )
        self.scale = EVEN_ODDS / mean

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
    """The sum and what rounding it left out: with twice the digits, sums of parts add up to that of all."""
    total = math.fsum(numbers)
    return [total, math.fsum(chain(numbers, [-total]))]
