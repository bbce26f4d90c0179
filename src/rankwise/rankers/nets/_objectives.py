"""What nets minimize over pairs: the λ's of a metric, or RankNet's cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rankwise.metrics import Metric, evaluate
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import RankNetObjective
from rankwise.objectives.lambdas._objective import Norm
from rankwise.types import FloatArray, IntArray

Gradient = Callable[[FloatArray], FloatArray]


class PairObjective(Protocol):
    """Labels, the query and the weight of each row come with every call: each batch has other rows."""

    def bind(self, y: FloatArray, query: IntArray, weight: FloatArray | None) -> Gradient:
        """A function that gives the gradient of the cost of these queries by their scores."""
        ...

    def cost(self, scores: FloatArray, y: FloatArray, query: IntArray, weight: FloatArray | None) -> float:
        """What must fall from epoch to epoch, Burges 2006 section 6.3."""
        ...


@dataclass(frozen=True)
class LambdaPairObjective:
    """The λ's of `gradient_metric`, Burges 2006 (9), for a net that is to be good at `metric`."""

    metric: Metric
    gradient_metric: Metric
    norm: Norm | None
    sigma: float
    seed: int

    def bind(self, y: FloatArray, query: IntArray, weight: FloatArray | None) -> Gradient:
        """−λ."""
        objective = LambdaObjective(
            self.gradient_metric, y, query, norm=self.norm, sigma=self.sigma, weight=weight, seed=self.seed
        )
        return lambda scores: objective.gradients(scores)[0]

    def cost(self, scores: FloatArray, y: FloatArray, query: IntArray, weight: FloatArray | None) -> float:
        """Minus the metric."""
        return -evaluate(y, scores, query, self.metric)[self.metric]


@dataclass(frozen=True)
class RankNetPairObjective:
    """RankNet's cost, Burges 2006 (8), by the λ's of its section 4 in linear time."""

    sigma: float

    def bind(self, y: FloatArray, query: IntArray, weight: FloatArray | None) -> Gradient:
        """The gradient of `cost`."""
        objective = RankNetObjective(y, query, sigma=self.sigma, weight=weight)
        return lambda scores: objective.gradient_and_costs(scores)[0]

    def cost(self, scores: FloatArray, y: FloatArray, query: IntArray, weight: FloatArray | None) -> float:
        """The cross entropy of all pairs."""
        objective = RankNetObjective(y, query, sigma=self.sigma, weight=weight)
        return float(objective.gradient_and_costs(scores)[1].sum())
