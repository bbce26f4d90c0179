"""What nets descend: the λ's of a metric, or RankNet's cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rankwise.metrics import Metric, evaluate
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import RankNetObjective
from rankwise.objectives.lambdas._objective import Norm
from rankwise.types import FloatArray, IntArray

Gradient = Callable[[FloatArray], FloatArray]


class Descent(Protocol):
    """Labels, the query and the weight of each row come with every call: each batch has other rows."""

    def gradient_of(self, y: FloatArray, query: IntArray, weight: FloatArray | None) -> Gradient:
        """A function that gives the gradient of the cost of these queries by their scores."""
        ...

    def cost(self, scores: FloatArray, y: FloatArray, query: IntArray, weight: FloatArray | None) -> float:
        """What must fall from epoch to epoch (Burges 2006 section 6.3): eq. (8) for RankNet, minus the metric for
        λ's."""
        ...


class LambdaDescent:
    """The λ's of a metric, Burges 2006 (9): those of `descended`, for a net that is to be good at `judged`."""

    def __init__(self, judged: Metric, descended: Metric, norm: Norm | None, sigma: float, seed: int) -> None:
        self.judged, self.descended, self.norm, self.sigma, self.seed = judged, descended, norm, sigma, seed

    def gradient_of(self, y: FloatArray, query: IntArray, weight: FloatArray | None) -> Gradient:
        """−λ."""
        objective = LambdaObjective(
            self.descended, y, query, norm=self.norm, sigma=self.sigma, sample_weight=weight, random_state=self.seed
        )
        return lambda scores: objective.gradients(scores)[0]

    def cost(self, scores: FloatArray, y: FloatArray, query: IntArray, weight: FloatArray | None) -> float:
        """Minus the metric."""
        return -evaluate(y, scores, query, self.judged)[self.judged]


class RankNetDescent:
    """RankNet's cost, Burges 2006 (8), by V2's λ's in linear time."""

    def __init__(self, sigma: float) -> None:
        self.sigma = sigma

    def gradient_of(self, y: FloatArray, query: IntArray, weight: FloatArray | None) -> Gradient:
        """The gradient of `cost`."""
        objective = RankNetObjective(y, query, sigma=self.sigma, sample_weight=weight)
        return lambda scores: objective.gradient_and_costs(scores)[0]

    def cost(self, scores: FloatArray, y: FloatArray, query: IntArray, weight: FloatArray | None) -> float:
        """The cross entropy of all pairs."""
        objective = RankNetObjective(y, query, sigma=self.sigma, sample_weight=weight)
        return float(objective.gradient_and_costs(scores)[1].sum())
