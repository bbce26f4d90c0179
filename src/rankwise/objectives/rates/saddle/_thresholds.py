"""Thresholds for given scores: the best ones under the stated program, from quantiles of the scores, refined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.types import FloatArray, IntArray

OF_ALL, OF_POSITIVES = np.linspace(0.0, 1.0, 17), np.linspace(0.0, 1.0, 101)
POINTS = 9
ZOOMS = 5
MANY = 200  # up to so many positives, each is a place to try


def best_thresholds(
    judge: Callable[[FloatArray], FloatArray], scores: FloatArray, positive: IntArray, reach_of_loss: float
) -> FloatArray:
    """Where `judge`, which has a column for each anchor and a row for each threshold tried, is least.

    First the quantiles of all scores and of the positives' (with rare positives, thresholds lie among theirs), and as
    far to either side as the loss reaches; then ever finer grids around the best. Where the judge is convex, that finds
    its least; where it is not, the best of the quantiles' neighbours.
    """
    own = scores[positive]
    known = np.append(np.quantile(scores, OF_ALL), own if own.size <= MANY else np.quantile(own, OF_POSITIVES))
    grid = np.unique(np.concatenate([known - reach_of_loss, known, known + reach_of_loss]))
    values = judge(grid)
    best = np.argmin(values, axis=0)
    centres, least = grid[best], values[best, np.arange(best.size)]
    reach = np.maximum(grid[np.minimum(best + 1, grid.size - 1)] - centres, centres - grid[np.maximum(best - 1, 0)])
    for _ in range(ZOOMS):
        # All anchors' grids are judged at every anchor: rows are one pass, and there are few.
        tried = centres[:, None] + reach[:, None] * np.linspace(-1.0, 1.0, POINTS)
        values = judge(tried.ravel()).reshape(best.size, POINTS, best.size)
        own = values[np.arange(best.size), :, np.arange(best.size)]
        best = np.argmin(own, axis=1)
        better = own[np.arange(best.size), best] < least
        centres = np.where(better, tried[np.arange(best.size), best], centres)
        least = np.minimum(least, own[np.arange(best.size), best])
        reach = reach * (2.0 / (POINTS - 1))
    return np.asarray(centres)
