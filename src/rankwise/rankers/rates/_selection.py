"""Is the tuned model better than the plain one? Rows that neither was trained on decide, or the plain one stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._soft_counts import RankedRows, values_of_cuts
from rankwise.types import BoolArray, FloatArray

RESAMPLES = 40
SURE = 0.5  # standard errors by which the tuned model must be ahead


@dataclass(frozen=True)
class Choice:
    """What the rows judged say of the two models."""

    plain: float
    tuned: float
    gain: float  # mean over resamples of the rows
    error: float  # its deviation

    @property
    def keeps_tuned(self) -> bool:
        """Far enough ahead to be trusted."""
        return self.gain > SURE * self.error


def choose(
    objective: RateObjective, plain: FloatArray, tuned: FloatArray, positive: BoolArray, weight: FloatArray, seed: int
) -> Choice:
    """Both models' scores of the same rows, in Poisson resamples of these."""
    # The metric at one level alone is an accident of few rows; near levels say the same with less noise.
    near = [(term.weight, term.metric.operating_points(term.statement.anchors)) for term in objective.terms]
    rng = np.random.default_rng(seed)
    both = [RankedRows(scores, positive) for scores in (plain, tuned)]
    gains = np.empty(RESAMPLES)
    for k in range(RESAMPLES):
        drawn = weight * rng.poisson(1.0, weight.size)
        gains[k] = _value(both[1], near, drawn) - _value(both[0], near, drawn)
    plain_value, tuned_value = (_value(one, near, weight) for one in both)
    return Choice(plain_value, tuned_value, float(gains.mean()), float(gains.std()))


def _value(ranked: RankedRows, near: list[tuple[float, Sequence[CurveMetric]]], weight: FloatArray) -> float:
    """Σ over terms of the mean over near levels of the metric."""
    hits, cuts = ranked.counts(weight)
    if hits[-1] == 0.0 or hits[-1] == cuts[-1]:
        return 0.0
    return sum(w * float(np.mean([values_of_cuts(point, hits, cuts).max() for point in points])) for w, points in near)
