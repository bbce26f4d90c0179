"""Is the tuned model better than the plain one? Rows that neither was trained on decide, or the plain one stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.metrics.curve import CurveMetric
from rankwise.objectives.rates import RateObjective
from rankwise.objectives.soft_counts import near_points
from rankwise.rankers.rates.rows import Array

__all__ = ["Choice", "choose"]

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
    objective: RateObjective, plain: Array, tuned: Array, positive: NDArray[np.bool_], weight: Array, seed: int
) -> Choice:
    """Both models' scores of the same rows, in Poisson resamples of these."""
    # The metric at one level alone is an accident of few rows; near levels say the same with less noise.
    near = [(term.weight, near_points(term.metric, term.statement.anchors)) for term in objective.terms]
    rng = np.random.default_rng(seed)
    both = [_Ranked(scores, positive) for scores in (plain, tuned)]
    gains = np.empty(RESAMPLES)
    for k in range(RESAMPLES):
        drawn = weight * rng.poisson(1.0, weight.size)
        gains[k] = both[1].value(near, drawn) - both[0].value(near, drawn)
    return Choice(both[0].value(near, weight), both[1].value(near, weight), float(gains.mean()), float(gains.std()))


class _Ranked:
    """Rows by falling score, so that each resample is a pass over them."""

    def __init__(self, scores: Array, positive: NDArray[np.bool_]) -> None:
        self.order = np.argsort(-scores, kind="stable")
        self.positive = positive[self.order]
        self.ends = np.append(np.flatnonzero(np.diff(scores[self.order])), scores.size - 1)

    def value(self, near: list[tuple[float, list[CurveMetric]]], weight: Array) -> float:
        """Σ over terms of the mean over near levels of the metric."""
        share = weight[self.order]
        hits, cuts = np.cumsum(share * self.positive)[self.ends], np.cumsum(share)[self.ends]
        counted = cuts > 0.0
        hits, cuts = hits[counted], cuts[counted]
        if hits.size == 0 or hits[-1] == 0.0 or hits[-1] == cuts[-1]:
            return 0.0
        given = (hits, cuts, hits[-1], cuts[-1] - hits[-1])
        return sum(w * float(np.mean([np.max(point.point(*given)) for point in points])) for w, points in near)
