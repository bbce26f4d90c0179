"""What a document gets from each run, and how that is put together.

All arrays are in grouped order (`QueryGroups`); −inf is a document that a run did not retrieve. Equal scores of a run
share the mean of what their places are worth, so that nothing hangs on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankwise._validation import check_real
from rankwise.errors import DataError
from rankwise.metrics._ranking import descending_order
from rankwise.types import BoolArray, FloatArray, IntArray

Method = Literal["rrf", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed", "borda"]
Normalization = Literal["min-max", "z-score", "rank", "none"]
BY_PLACE = ("rrf", "borda")
_EXTREMES: dict[str, Callable[..., FloatArray]] = {
    "combmax": np.nanmax,
    "combmin": np.nanmin,
    "combmed": np.nanmedian,
}
WEIGHTED = ("rrf", "borda", "combsum")


@dataclass(frozen=True, eq=False)
class RunValues:
    """What each run gives each document, as (n_runs, n_rows): NaN in `values` where it was not retrieved.

    `absent` is what a document gets from a run that did not retrieve it, where runs are summed.
    """

    values: FloatArray
    absent: FloatArray

    def combined(self, method: Method, weights: FloatArray) -> FloatArray:
        """The fused score of each document; −inf where no run retrieved it."""
        missing = np.isnan(self.values)
        counts = (~missing).sum(axis=0)
        values = self.values[:, counts > 0]
        if method in WEIGHTED:
            scores = _sum(np.where(missing, self.absent, self.values)[:, counts > 0] * weights[:, None])
        elif method in ("combmnz", "combanz"):
            total, hits = _sum(np.nan_to_num(values)), counts[counts > 0]
            scores = total * hits if method == "combmnz" else total / hits
        else:
            scores = _EXTREMES[method](values, axis=0)
        fused = np.full(counts.size, -np.inf)
        fused[counts > 0] = scores
        return fused


def _sum(values: FloatArray) -> FloatArray:
    """Sums over runs from the lowest value on: documents of the same values in other runs have equal sums."""
    total: FloatArray = np.sort(values, axis=0).sum(axis=0)
    return total


def run_values(
    runs: Sequence[FloatArray], offsets: IntArray, method: Method, normalize: Normalization, k: float
) -> RunValues:
    """What each run gives each document, by a method and its normalization."""
    constant = check_real("k", k, 0.0, 1e9)
    retrieved = np.array([scores > -np.inf for scores in runs])
    values = np.empty(retrieved.shape)
    absent = np.zeros(retrieved.shape)
    candidates = _spread(np.add.reduceat(retrieved.any(axis=0).astype(np.int64), offsets[:-1]), offsets)
    for run, scores in enumerate(runs):
        if method == "rrf":
            values[run] = _by_places(scores, offsets, lambda place: 1.0 / (constant + 1.0 + place))
        elif method == "borda":
            own = _spread(np.add.reduceat(retrieved[run].astype(np.int64), offsets[:-1]), offsets)
            values[run] = candidates - _by_places(scores, offsets, lambda place: place)
            absent[run] = (candidates - own + 1) / 2.0  # the points that are left, shared
        else:
            values[run] = _normalized(scores, retrieved[run], offsets, normalize)
            lowest = np.minimum.reduceat(np.where(retrieved[run], values[run], 0.0), offsets[:-1])
            absent[run] = _spread(np.minimum(lowest, 0.0), offsets)
    if method == "combmnz" and (values[retrieved] < 0).any():
        raise DataError(
            f"combmnz multiplies scores by the number of runs, so they must be 0 or more, got "
            f"{values[retrieved].min():g}; normalize by 'min-max' or 'rank'"
        )
    return RunValues(np.where(retrieved, values, np.nan), absent)


def _normalized(scores: FloatArray, retrieved: BoolArray, offsets: IntArray, how: Normalization) -> FloatArray:
    """Scores of one run on the scale of others, query by query; of documents not retrieved anything."""
    if how == "none":
        return scores
    starts = offsets[:-1]
    counts = np.maximum(np.add.reduceat(retrieved.astype(np.int64), starts), 1)
    if how == "rank":
        return 1.0 - _by_places(scores, offsets, lambda place: place) / _spread(counts, offsets)
    size = np.maximum.reduceat(np.where(retrieved, np.abs(scores), 0.0), starts)
    finite = np.where(retrieved, scores, 0.0) / _spread(np.where(size > 0, size, 1.0), offsets)  # no sum is infinite
    low = np.minimum.reduceat(np.where(retrieved, finite, np.inf), starts)
    high = np.maximum.reduceat(np.where(retrieved, finite, -np.inf), starts)
    if how == "min-max":
        span = np.where(high > low, high - low, 1.0)
        bottom = np.where(high > low, low, low - 1.0)  # where all are equal, all are the best
        return np.where(retrieved, (finite - _spread(bottom, offsets)) / _spread(span, offsets), 0.0)
    centred = np.where(retrieved, finite - _spread(np.add.reduceat(finite, starts) / counts, offsets), 0.0)
    deviation = np.sqrt(np.add.reduceat(centred**2, starts) / counts)
    return np.where(_spread(high > low, offsets), centred / _spread(np.where(high > low, deviation, 1.0), offsets), 0.0)


def _by_places(scores: FloatArray, offsets: IntArray, worth: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """What the place of each document is worth, places from 0; equal scores share the mean."""
    order = descending_order(scores, offsets)
    ranked = scores[order]
    places = np.arange(scores.size, dtype=np.float64) - _spread(offsets[:-1], offsets)
    begins = np.concatenate(([True], ranked[1:] != ranked[:-1]))
    begins[offsets[:-1]] = True
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.append(starts, scores.size))
    shared = np.empty(scores.size)
    shared[order] = np.repeat(np.add.reduceat(worth(places), starts) / sizes, sizes)
    return shared


def _spread(per_query: FloatArray | IntArray | BoolArray, offsets: IntArray) -> FloatArray:
    """A value per query for each of its rows."""
    return np.repeat(per_query, np.diff(offsets))
