"""L+ and L− of Eban 2017 (2) at many thresholds, and their derivatives, in numpy.

Rows are taken a block at a time: what is computed for a block and an anchor stays in the processor's cache, so K
anchors cost K passes over a cache and one over memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.errors import DataError, ShapeError
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import FloatArray, IntArray

BLOCK_ROWS = 8192
SIGNS = (1.0, -1.0)  # of the margins of positives and of negatives


@dataclass(frozen=True)
class Slopes:
    """Derivatives of Σ_t p_t L+_t + q_t L−_t; curvatures are zero unless asked for."""

    scores: FloatArray  # by the score of each row
    curvature: FloatArray
    missed: FloatArray  # ∂L+/∂b_t
    false: FloatArray  # ∂L−/∂b_t
    threshold_curvature: FloatArray


class BoundedCounts:
    """Which rows are positive (label above 0) and what each weighs; sums over them for any scores."""

    def __init__(self, y: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        labels = as_vector("labels", y)
        weight = np.ones(labels.size) if sample_weight is None else as_vector("sample_weight", sample_weight)
        if weight.size != labels.size:
            raise ShapeError(f"sample_weight must have one entry per row: got {weight.size} for {labels.size} rows")
        if (weight < 0.0).any():
            raise DataError(f"sample_weight must be 0 or more, got a lowest of {weight.min():g}; drop such rows")
        self.n_rows = labels.size
        rows = [np.flatnonzero((labels > 0) == (sign > 0)) for sign in SIGNS]
        self.sides = [(at, None if sample_weight is None else weight[at]) for at in rows]
        self.positives, self.negatives = (float(weight[at].sum()) for at in rows)

    @property
    def positive_rows(self) -> IntArray:
        """Where the positives are."""
        return self.sides[0][0]

    def condensed(self, scores: FloatArray, bins: int = 2048) -> tuple[BoundedCounts, FloatArray]:
        """Rows of like score as one row of their mean score and total weight: enough to place thresholds by."""
        low, high = float(scores.min()), float(scores.max())
        if self.n_rows <= 2 * bins or not high > low:
            return self, scores
        means, weights = [], []
        for rows, weight in self.sides:
            values = scores[rows]
            bin_of = np.minimum(((values - low) * (bins / (high - low))).astype(np.int64), bins - 1)
            total = np.bincount(bin_of, weight, bins).astype(np.float64)
            sums = np.bincount(bin_of, values if weight is None else values * weight, bins)
            means.append(sums[total > 0.0] / total[total > 0.0])
            weights.append(total[total > 0.0])
        labels = np.repeat([1.0, 0.0], [means[0].size, means[1].size])
        return BoundedCounts(labels, np.concatenate(weights)), np.concatenate(means)

    def _blocks(self, side: int, scores: FloatArray) -> Iterator[tuple[FloatArray, IntArray, FloatArray | None]]:
        """Signed scores, their rows and weights, a block at a time."""
        rows, weight = self.sides[side]
        for start in range(0, rows.size, BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            yield SIGNS[side] * scores[rows[block]], rows[block], None if weight is None else weight[block]

    def sums(self, scores: FloatArray, thresholds: FloatArray, loss: Surrogate) -> tuple[FloatArray, FloatArray]:
        """L+ and L− at each threshold."""
        totals = np.zeros((2, thresholds.size))
        for side, sign in enumerate(SIGNS):
            for signed, _, weight in self._blocks(side, scores):
                for t, threshold in enumerate(thresholds * sign):
                    totals[side, t] += _total(loss.value(signed - threshold), weight)
        return totals[0], totals[1]

    def slopes(
        self,
        scores: FloatArray,
        thresholds: FloatArray,
        loss: Surrogate,
        p: FloatArray,
        q: FloatArray,
        *,
        curved: bool = False,
    ) -> Slopes:
        """Derivatives of Σ_t p_t L+_t + q_t L−_t."""
        gradient, curvature = np.zeros((2, self.n_rows))
        by_threshold, threshold_curvature = np.zeros((2, thresholds.size)), np.zeros(thresholds.size)
        for side, (sign, factors) in enumerate(zip(SIGNS, (p, q), strict=True)):
            for signed, rows, weight in self._blocks(side, scores):
                pull, bend = np.zeros((2, rows.size))
                for t, threshold in enumerate(thresholds * sign):
                    margin = signed - threshold
                    slope = loss.slope(margin)
                    by_threshold[side, t] -= sign * _total(slope, weight)
                    pull += factors[t] * slope
                    if curved:
                        bent = factors[t] * loss.curvature(margin)
                        threshold_curvature[t] += _total(bent, weight)
                        bend += bent
                row_weight = 1.0 if weight is None else weight
                gradient[rows], curvature[rows] = sign * pull * row_weight, bend * row_weight
        return Slopes(gradient, curvature, by_threshold[0], by_threshold[1], threshold_curvature)


def _total(values: FloatArray, weight: FloatArray | None) -> float:
    return float(values.sum() if weight is None else values @ weight)
