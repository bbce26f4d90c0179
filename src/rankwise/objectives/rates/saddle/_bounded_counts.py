"""L+ and L− of Eban 2017 (2) at many thresholds, and their derivatives, in numpy.

Rows are taken a block at a time: what is computed for a block and an anchor stays in the processor's cache, so K
anchors cost K passes over a cache and one over memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import DataError, ShapeError
from rankwise.objectives.rates.saddle._surrogates import Surrogate
from rankwise.types import FloatArray, IntArray

BLOCK = 8192


@dataclass(frozen=True)
class Slopes:
    """Derivatives of Σ_t p_t L+_t + q_t L−_t; curvatures are zero unless asked for."""

    scores: FloatArray  # by the score of each row
    curvature: FloatArray
    missed: FloatArray  # ∂L+/∂b_t
    false: FloatArray  # ∂L−/∂b_t
    bends: FloatArray  # curvature by b_t


class BoundedCounts:
    """Which rows are positive (label above 0) and what each weighs; sums over them for any scores."""

    def __init__(self, y: ArrayLike, weight: ArrayLike | None = None) -> None:
        labels = np.asarray(y)
        if labels.ndim != 1 or labels.size == 0:
            raise ShapeError(f"labels must be one for each of at least one row, got the shape {labels.shape}")
        row_weight = np.ones(labels.size) if weight is None else np.asarray(weight, dtype=np.float64)
        if row_weight.shape != labels.shape:
            raise ShapeError(f"weights must be one for each of {labels.size} rows, got the shape {row_weight.shape}")
        if not (np.isfinite(row_weight).all() and (row_weight >= 0.0).all()):
            raise DataError("weights must be finite and not negative, got some that are not")
        self.rows = labels.size
        # (sign of the margin, rows, weights) of the positives and of the negatives
        chosen = [(sign, np.flatnonzero((labels > 0) == (sign > 0))) for sign in (1.0, -1.0)]
        self._sides = [(sign, at, None if weight is None else row_weight[at]) for sign, at in chosen]
        self.positives, self.negatives = (float(row_weight[at].sum()) for _, at in chosen)

    @property
    def positive_rows(self) -> IntArray:
        """Where the positives are."""
        return self._sides[0][1]

    def condensed(self, scores: FloatArray, bins: int = 2048) -> tuple[BoundedCounts, FloatArray]:
        """Rows of like score as one row of their mean score and whole weight: enough to place thresholds by."""
        low, high = float(scores.min()), float(scores.max())
        if self.rows <= 2 * bins or not high > low:
            return self, scores
        means, weights = [], []
        for _, at, weight in self._sides:
            own = scores[at]
            bin_of = np.minimum(((own - low) * (bins / (high - low))).astype(np.int64), bins - 1)
            whole = np.bincount(bin_of, weight, bins).astype(np.float64)
            total = np.bincount(bin_of, own if weight is None else own * weight, bins)
            means.append(total[whole > 0.0] / whole[whole > 0.0])
            weights.append(whole[whole > 0.0])
        labels = np.repeat([1.0, 0.0], [means[0].size, means[1].size])
        return BoundedCounts(labels, np.concatenate(weights)), np.concatenate(means)

    def _blocks(self, side: int, scores: FloatArray) -> Iterator[tuple[FloatArray, IntArray, FloatArray | None]]:
        """Signed scores, their rows and weights, a block at a time."""
        sign, at, weight = self._sides[side]
        for start in range(0, at.size, BLOCK):
            rows = at[start : start + BLOCK]
            yield sign * scores[rows], rows, None if weight is None else weight[start : start + BLOCK]

    def sums(self, scores: FloatArray, thresholds: FloatArray, loss: Surrogate) -> tuple[FloatArray, FloatArray]:
        """L+ and L− at each threshold."""
        totals = np.zeros((2, thresholds.size))
        for side, total in enumerate(totals):
            places = thresholds * self._sides[side][0]
            for signed, _, weight in self._blocks(side, scores):
                for t, place in enumerate(places):
                    value = loss.value(signed - place)
                    total[t] += value.sum() if weight is None else value @ weight
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
        gradient = np.zeros(self.rows)
        curvature = np.zeros(self.rows)
        by_threshold, bends = np.zeros((2, thresholds.size)), np.zeros(thresholds.size)
        for side, factors in enumerate((p, q)):
            sign = self._sides[side][0]
            for signed, rows, weight in self._blocks(side, scores):
                pull, bend = np.zeros(rows.size), np.zeros(rows.size)
                for t, place in enumerate(thresholds * sign):
                    margin = signed - place
                    slope = loss.slope(margin)
                    by_threshold[side, t] -= sign * (slope.sum() if weight is None else slope @ weight)
                    pull += factors[t] * slope
                    if curved:
                        bent = factors[t] * loss.curvature(margin)
                        bends[t] += bent.sum() if weight is None else bent @ weight
                        bend += bent
                gradient[rows] = pull * sign if weight is None else pull * weight * sign
                curvature[rows] = bend if weight is None else bend * weight
        return Slopes(gradient, curvature, by_threshold[0], by_threshold[1], bends)
