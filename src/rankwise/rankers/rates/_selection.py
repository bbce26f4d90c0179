"""Is the tuned model better than the baseline? Rows that neither was trained on decide, or the baseline stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._soft_counts import RankedRows, values_of_cuts
from rankwise.types import BoolArray, FloatArray

N_RESAMPLES = 40
MIN_STANDARD_ERRORS = 0.5  # by which the tuned model must be ahead


@dataclass(frozen=True)
class Choice:
    """The values of the two models on the rows that they are compared on."""

    baseline: float
    tuned: float
    gain: float  # mean over resamples of the rows
    error: float  # its deviation

    @property
    def prefers_tuned(self) -> bool:
        """Far enough ahead to be trusted."""
        return self.gain > MIN_STANDARD_ERRORS * self.error


def choose(
    objective: RateObjective,
    baseline: FloatArray,
    tuned: FloatArray,
    positive: BoolArray,
    weight: FloatArray,
    seed: int,
) -> Choice:
    """Both models' scores of the same rows, in Poisson resamples of these."""
    # The metric at one level alone is an accident of few rows; near levels say the same with less noise.
    near = [(term.weight, term.metric.operating_points(term.statement.anchors)) for term in objective.terms]
    rng = np.random.default_rng(seed)
    ranked_baseline, ranked_tuned = (RankedRows(scores, positive) for scores in (baseline, tuned))
    gains = np.empty(N_RESAMPLES)
    for k in range(N_RESAMPLES):
        resampled = weight * rng.poisson(1.0, weight.size)
        gains[k] = _value(ranked_tuned, near, resampled) - _value(ranked_baseline, near, resampled)
    return Choice(
        baseline=_value(ranked_baseline, near, weight),
        tuned=_value(ranked_tuned, near, weight),
        gain=float(gains.mean()),
        error=float(gains.std()),
    )


def _value(ranked: RankedRows, near: list[tuple[float, Sequence[CurveMetric]]], weight: FloatArray) -> float:
    """Σ over terms of the mean over near levels of the metric."""
    hits, cuts = ranked.counts(weight)
    if hits[-1] == 0.0 or hits[-1] == cuts[-1]:
        return 0.0
    return sum(w * float(np.mean([values_of_cuts(point, hits, cuts).max() for point in points])) for w, points in near)
