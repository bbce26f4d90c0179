"""Trees by the saddle points of Eban et al. (2017): what the benchmark compares the trees of RateClassifier with."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankwise.objectives import SaddlePoint
from rankwise.types import FloatArray

MIN_CURVATURE = 1e-3  # of a row, where the surrogate is flat


def tree_gradients(saddle: SaddlePoint, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Gradient and positive Hessian of each row, in rows' own size, for a booster; then multipliers take a step.

    Thresholds are the best for the scores and multipliers: the same shift of all scores then changes nothing, so
    trees and thresholds do not chase each other.
    """
    values = np.asarray(scores, dtype=np.float64)
    saddle.thresholds = saddle._best_thresholds(values, lambda excess: saddle.multipliers * excess, saddle.splits)
    at = saddle.gradients(values, curved=True)
    saddle._raise_multipliers(at)
    return at.scores * saddle.unit, np.maximum(at.curvature * saddle.unit, MIN_CURVATURE)
