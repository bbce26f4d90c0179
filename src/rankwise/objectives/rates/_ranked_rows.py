"""Rows by falling score, and where among them a metric has its operating point."""

from __future__ import annotations

import numpy as np

from rankwise.metrics._ranking import falling_rows
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.types import BoolArray, FloatArray

FEWEST = 5.0  # true positives by which a precision is known at all


class RankedRows:
    """Sorted once, read for any number of operating points and any weights; a threshold cannot part equal scores."""

    def __init__(self, scores: FloatArray, positive: BoolArray) -> None:
        whole = np.array([0, scores.size], dtype=np.int64)
        self.order = falling_rows(np.ascontiguousarray(scores), whole)
        self.falling, self.positive = scores[self.order], positive[self.order]
        self.ends = np.append(np.flatnonzero(np.diff(self.falling)), scores.size - 1)

    def counts(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weight of the positives, and of all rows, down to each different score."""
        share = weight[self.order]
        return np.cumsum(share * self.positive)[self.ends], np.cumsum(share)[self.ends]

    def threshold(self, point: CurveMetric, hits: FloatArray, cuts: FloatArray) -> float:
        """Half-way below the last score at or above which the metric takes the point it is read off.

        Where no cut meets a precision, the one of the highest precision with a few true positives.
        """
        worth = worth_of(point, hits, cuts)
        if not worth.any():
            worth = hits / np.maximum(cuts, 1e-300) * (hits >= min(FEWEST, hits[-1]))
        best = worth.size - 1 - int(np.argmax(worth[::-1]))  # the lowest of equals: no recall is given away
        last = int(self.ends[best])
        if last + 1 == self.falling.size:
            return float(self.falling[last])
        return float(0.5 * (self.falling[last] + self.falling[last + 1]))


def worth_of(point: CurveMetric, hits: FloatArray, cuts: FloatArray) -> FloatArray:
    """What each cut is worth to the metric; 0 where nothing has been counted yet."""
    with np.errstate(divide="ignore", invalid="ignore"):
        given = (hits, np.maximum(cuts, 1e-300), hits[-1], cuts[-1] - hits[-1])
        return np.nan_to_num(np.asarray(point.point(*given), dtype=np.float64))
