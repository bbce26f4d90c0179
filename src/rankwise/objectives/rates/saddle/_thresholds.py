"""Thresholds for fixed scores: the best ones under the program, from quantiles of the scores, refined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.types import FloatArray, IntArray

QUANTILES, POSITIVE_QUANTILES = np.linspace(0.0, 1.0, 17), np.linspace(0.0, 1.0, 101)
GRID_POINTS = 9
ZOOMS = 5
MAX_POSITIVES = 200  # up to so many, each is a threshold to try


def best_thresholds(
    values_at: Callable[[FloatArray], FloatArray], scores: FloatArray, positive: IntArray, reach: float
) -> FloatArray:
    """Where `values_at`, which has a column per anchor and a row per threshold tried, is least.

    First the quantiles of all scores and of the positives' (with rare positives, thresholds lie among theirs), and as
    far to either side as the loss reaches; then ever finer grids around the best. Where the values are convex, that
    finds their least; where they are not, the best of the quantiles' neighbours.
    """
    of_positives = scores[positive]
    if of_positives.size > MAX_POSITIVES:
        of_positives = np.quantile(of_positives, POSITIVE_QUANTILES)
    first = np.append(np.quantile(scores, QUANTILES), of_positives)
    grid = np.unique(np.concatenate([first - reach, first, first + reach]))
    values = values_at(grid)
    best, anchors = np.argmin(values, axis=0), np.arange(values.shape[1])
    centres, least = grid[best], values[best, anchors]
    radius = np.maximum(grid[np.minimum(best + 1, grid.size - 1)] - centres, centres - grid[np.maximum(best - 1, 0)])
    for _ in range(ZOOMS):
        # All anchors' grids are evaluated at every anchor: rows are one pass, and there are few anchors.
        grids = centres[:, None] + radius[:, None] * np.linspace(-1.0, 1.0, GRID_POINTS)
        values = values_at(grids.ravel()).reshape(anchors.size, GRID_POINTS, anchors.size)[anchors, :, anchors]
        best = np.argmin(values, axis=1)
        centres = np.where(values[anchors, best] < least, grids[anchors, best], centres)
        least = np.minimum(least, values[anchors, best])
        radius = radius * (2.0 / (GRID_POINTS - 1))
    return np.asarray(centres)
