"""A metric along directions of what a model learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.analysis._neighbourhoods import Neighbourhood
from rankwise.data._ranking_data import RankingData
from rankwise.metrics import Evaluation, Metric, evaluate
from rankwise.types import BoolArray, FloatArray

SCORE_DIGITS = 10  # scores that differ by less than this share of their spread are equal: rounding must break no ties


@dataclass(frozen=True, eq=False)
class Ray:
    """What was found along a direction: the metric at each step, and by how much each query changed there."""

    values: FloatArray
    changes: FloatArray
    unit: float  # by which the parameters are moved to move scores by their spread; 0 if scores stay


@dataclass(frozen=True, eq=False)
class Rays:
    """A model's scores of some rows, and steps to take from them as shares of their spread within queries."""

    near: Neighbourhood
    data: RankingData
    scores: FloatArray
    metric: Metric
    steps: FloatArray

    @cached_property
    def spread(self) -> float:
        """Of the scores within queries."""
        return spread_within(self.data, self.scores)

    @cached_property
    def start(self) -> Evaluation:
        """The model itself."""
        return self._evaluate(self.scores)

    @cached_property
    def counted(self) -> BoolArray:
        """Queries that enter the mean."""
        weight = self.start.query_weight
        defined = ~np.isnan(self.start.per_query[str(self.metric)])
        return defined if weight is None else defined & (weight > 0.0)

    def directions(self, count: int, seed: int) -> Iterator[FloatArray]:
        """Random directions of length 1, all equally likely."""
        rng = np.random.default_rng(seed)
        for _ in range(count):
            direction = rng.normal(size=self.near.n_parameters)
            yield direction / np.linalg.norm(direction)

    def along(self, direction: FloatArray) -> Ray:
        """Take all steps in a direction of length 1."""
        change = self.near.along(direction)
        slope = spread_within(self.data, change(self.near.small)) / self.near.small
        unit = self.spread / slope if slope > 0.0 else 0.0
        name, results = str(self.metric), [self._evaluate(self.scores + change(step * unit)) for step in self.steps]
        moved = np.array([result.per_query[name] - self.start.per_query[name] for result in results])
        return Ray(np.array([result[name] for result in results]), moved[:, self.counted], unit)

    def _evaluate(self, scores: FloatArray) -> Evaluation:
        return evaluate(self.data, np.round(scores / self.spread, SCORE_DIGITS), metrics=self.metric)


def spread_within(data: RankingData, scores: FloatArray) -> float:
    """The root mean square of scores less the mean of their query."""
    query = data.groups.query_of_row()
    apart = scores - (np.bincount(query, scores) / data.groups.sizes)[query]
    size = float(np.sqrt(np.mean(apart**2)))
    return size if size > 1e-12 * float(np.abs(scores).max()) else 0.0  # what rounding leaves of a mean is no spread
