"""Is the tuned model better than the baseline? Rows that neither was trained on decide, or the baseline stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._soft_counts import RankedRows, SoftCounts
from rankwise.types import BoolArray, FloatArray

N_RESAMPLES = 20
MAX_RESAMPLED_ROWS = 1 << 17  # at a time, so that they stay near the core
MIN_STANDARD_ERRORS = 1.0  # by which the tuned model must be ahead


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

    @property
    def is_hopeless(self) -> bool:
        """So far behind that more rows would hardly change it."""
        return self.gain < -MIN_STANDARD_ERRORS * self.error


def choose(
    objective: RateObjective,
    baseline: FloatArray,
    tuned: FloatArray,
    positive: BoolArray,
    weight: FloatArray,
    seed: int,
) -> Choice:
    """Both models' scores of the same rows, in resamples of these: each row is in twice or not at all.

    Such a weight has the mean and the variance of a bootstrap's, and takes a bit to draw.
    """
    soft, rng = SoftCounts(objective, positive, weight), np.random.default_rng(seed)
    ranked_baseline, ranked_tuned = (RankedRows(scores, positive) for scores in (baseline, tuned))
    gains = np.empty(N_RESAMPLES)
    at_once = max(1, MAX_RESAMPLED_ROWS // weight.size)
    for first in range(0, N_RESAMPLES, at_once):
        count = min(at_once, N_RESAMPLES - first)
        resampled = 2.0 * weight * rng.integers(0, 2, (count, weight.size), dtype=np.bool_)
        by_tuned, by_baseline = (soft.values(ranked, resampled) for ranked in (ranked_tuned, ranked_baseline))
        gains[first : first + count] = by_tuned - by_baseline
    of_baseline, of_tuned = (float(soft.values(ranked, weight)) for ranked in (ranked_baseline, ranked_tuned))
    return Choice(of_baseline, of_tuned, float(gains.mean()), float(gains.std()))
