"""From scores to probabilities, by rows that the model was not trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from rankwise.rankers.rates._rows import Rows
from rankwise.rankers.rates.families._linear import fit_cross_entropy
from rankwise.types import BoolArray, FloatArray

CalibrationMethod = Literal["isotonic", "sigmoid"]
MIN_PROBABILITY = 1e-6  # no row is certain to be of a class
ISOTONIC_MIN_ROWS = 30  # positives and negatives below which a step function would be an accident


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities at scores, straight lines between them; or σ(slope · score + shift) where there are none."""

    scores: FloatArray
    probabilities: FloatArray
    slope: float
    shift: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The probability of being positive."""
        if self.scores.size:
            probability = np.interp(scores, self.scores, self.probabilities)
        else:
            probability = expit(self.slope * scores + self.shift)
        return np.asarray(np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))


def calibrate(method: CalibrationMethod, scores: FloatArray, positive: BoolArray, weight: FloatArray) -> Calibration:
    """Isotonic regression, or Platt's sigmoid, which also stands in where rows are few."""
    counted = weight > 0
    scores, positive, weight = scores[counted], positive[counted], weight[counted]
    rarer = min(np.count_nonzero(positive), np.count_nonzero(~positive))
    if method == "isotonic" and rarer >= ISOTONIC_MIN_ROWS:
        steps = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, positive, weight)
        return Calibration(steps.X_thresholds_, steps.y_thresholds_, 0.0, 0.0)
    spread = max(float(scores.std()), 1e-9)
    rows = Rows(scores[:, None] / spread, positive, weight)
    line = fit_cross_entropy(rows, 1.0 / rows.positive_weight, None)  # scikit-learn's LogisticRegression, sooner
    return Calibration(np.zeros(0), np.zeros(0), float(line.weights[0]) / spread, line.intercept)
