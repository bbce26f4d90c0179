"""The losses of all pairs of documents at given scores, their slopes and their curvature.

Where lists are short, every pair is looked at; else sums over all pairs are made in linear time after a sort.

With x = 1 − (s_i − s_j) what a pair lacks of a margin of 1, and ω its weight, the loss is Σ ω x² over pairs with x > 0,
or the hinge Σ ω x rounded over a width h: x²/2h up to x = h, and x − h/2 from there on. Either is a square over a band
of margins, and a line below it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels.pairs import _close_pairs as close_pairs
from rankwise.kernels.pairs import _listed_pairs as listed_pairs
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.margins._lists import PairLists
from rankwise.types import FloatArray, IntArray

MARGIN_ROUNDING = 4 * float(np.finfo(np.float64).eps)  # in units of the scores


def unit_lists(
    y: FloatArray, offsets: IntArray, weight: FloatArray | None = None, shares: FloatArray | None = None
) -> PairLists:
    """Pairs of grouped rows with these labels, of which at least one weighs something; all of them weigh 1.

    A pair weighs the product of its rows' weights; with `shares`, the pairs of each query weigh its share together.
    """
    lists = PairLists.of(y, offsets, None if weight is None else weight / weight.max())
    total = lists.query_pairs
    by_query = total if shares is None else np.where(total > 0.0, shares, 0.0)
    factor = np.divide(by_query, total * by_query.sum(), out=np.zeros_like(total), where=total > 0.0)
    return replace(lists, weight=lists.weight * np.repeat(np.sqrt(factor), np.diff(offsets)))


class PairHinge(ABC):
    """The squared hinge at some scores (`width=None`), or the hinge rounded over a width."""

    hinge: float
    """Σ ω max(0, x), without rounding."""
    loss: float
    """The loss."""
    gradient: FloatArray
    """Its derivative by each row's score."""
    slope_sum: float
    """The sum over pairs of the loss's slope: ω times 2x, or times x/h and at most 1."""
    _scores: FloatArray
    _curvature: float
    _curved: float
    """Σ ω over the band."""

    @staticmethod
    def of(lists: PairLists, scores: FloatArray, width: float | None) -> PairHinge:
        """That of all pairs of these lists, in the way that is the faster."""
        return SweptHinge(lists, scores, width) if lists.listed is None else ListedHinge(lists, scores, width)

    @property
    def slope_error(self) -> float:
        """Bounds the rounding of `slope_sum`."""
        extent = 1.0 + 2.0 * float(np.abs(self._scores).max())
        return MARGIN_ROUNDING * self._curvature * extent * self._curved

    @abstractmethod
    def hessian_times(self, direction: FloatArray) -> FloatArray:
        """The matrix of second derivatives by the scores, times a direction."""

    @abstractmethod
    def hinge_at_scale(self, scale: float) -> tuple[float, float]:
        """Σ ω max(0, x) at these scores times a scale, and its derivative by the scale."""


class ListedHinge(PairHinge):
    """The loss pair by pair."""

    def __init__(self, lists: PairLists, scores: FloatArray, width: float | None) -> None:
        assert lists.listed is not None
        self._lists, self._listed, self._scores = lists, lists.listed, scores
        self._curvature, max_slope = (2.0, np.inf) if width is None else (1.0 / width, 1.0)
        self.gradient, self._second, totals = self._sums(scores, self._curvature, max_slope)
        self.hinge, self.loss, self.slope_sum, self._curved = totals

    def hessian_times(self, direction: FloatArray) -> FloatArray:
        out, pairs = np.empty_like(direction), (self._second, self._listed.worse, self._listed.pairs)
        threads.by_queries(
            lambda first, last: listed_pairs.laplacian(*pairs, self._lists.offsets, first, last, direction, out),
            self._lists.offsets,
        )
        return out

    def hinge_at_scale(self, scale: float) -> tuple[float, float]:
        hinge, _, _, near = self._sums(scale * self._scores, 2.0, np.inf)[2]
        return hinge, (hinge - near) / scale

    def _sums(
        self, scores: FloatArray, curvature: float, max_slope: float
    ) -> tuple[FloatArray, FloatArray, list[float]]:
        """What `hinge_sums` gives, totals over all queries."""
        lists, listed = self._lists, self._listed
        gradient, second = np.empty_like(scores), np.empty(listed.pairs[-1])
        totals = np.empty((lists.grades.size, 4))
        rows = (scores, lists.weight, listed.worse, listed.pairs, lists.offsets, curvature, max_slope)
        threads.by_queries(
            lambda first, last: listed_pairs.hinge_sums(*rows, first, last, gradient, second, totals), lists.offsets
        )
        return gradient, second, totals.sum(axis=0).tolist()


class SweptHinge(PairHinge):
    """The loss by sums over the rows in rank order."""

    def __init__(self, lists: PairLists, scores: FloatArray, width: float | None) -> None:
        # Private arrays are in rank order.
        self._lists, self._order = lists, descending_order(scores, lists.offsets)
        self._scores = scores = scores.take(self._order)
        self._grade, self._weight = lists.grade.take(self._order), lists.weight.take(self._order)
        weight = self._weight
        self._curvature = 2.0 if width is None else 1.0 / width
        self._band_start = -np.inf if width is None else 1.0 - width
        worse, worse_scores, better, better_scores = self._sums(scores, self._band_start, 1.0)
        self._degree = worse + better
        as_better = weight * ((1.0 - scores) * worse + worse_scores)  # Σ_j ω_ij x_ij, i being the better one
        as_worse = weight * ((1.0 + scores) * better - better_scores)
        push, band = as_worse - as_better, float(as_better.sum())
        square = band + float((scores * push).sum())  # Σ ω x², as x² = x − x (s_i − s_j)
        self.hinge, self.loss, self.slope_sum = band, 0.5 * self._curvature * square, self._curvature * band
        self._curved = float((weight * worse).sum())
        push *= self._curvature
        if width is not None:
            worse, worse_scores, better, _ = self._sums(scores, -np.inf, self._band_start)
            below, lacking = float((weight * worse).sum()), weight * ((1.0 - scores) * worse + worse_scores)
            self.hinge += float(lacking.sum())
            self.loss += float(lacking.sum()) - 0.5 * width * below
            self.slope_sum += below
            push += weight * (better - worse)
        self.gradient = self._by_row(push)

    def hessian_times(self, direction: FloatArray) -> FloatArray:
        """The matrix of second derivatives by the scores, times a direction."""
        lists, out = self._lists, np.empty_like(direction)
        band = (self._order, self._grade, lists.grades, self._weight, self._degree, self._borders, lists.offsets)
        threads.by_queries(
            lambda first, last: close_pairs.band_laplacian(*band, self._curvature, first, last, direction, out),
            lists.offsets,
        )
        return out

    @cached_property
    def _borders(self) -> IntArray:
        """The band where the loss is curved."""
        offsets, borders = self._lists.offsets, np.empty((4, self._scores.size), dtype=np.int64)
        rows = (self._scores, offsets, self._band_start, 1.0)
        threads.by_queries(lambda first, last: close_pairs.band_borders(*rows, first, last, borders), offsets)
        return borders

    def hinge_at_scale(self, scale: float) -> tuple[float, float]:
        """Σ ω max(0, x) at these scores times a scale, and its derivative by the scale."""
        worse, worse_scores, _, _ = self._sums(self._scores, -np.inf, 1.0 / scale)
        margins = float((self._weight * (self._scores * worse - worse_scores)).sum())
        return float((self._weight * worse).sum()) - scale * margins, -margins

    def _sums(self, values: FloatArray, low: float, high: float) -> FloatArray:
        """What `close_sums` gives for pairs with margins from `low` up to `high`."""
        lists, sums = self._lists, np.empty((4, values.size))
        rows = (self._scores, self._grade, lists.grades, self._weight, values, lists.offsets)
        threads.by_queries(
            lambda first, last: close_pairs.close_sums(*rows, low, high, first, last, *sums), lists.offsets
        )
        return sums

    def _by_row(self, ranked: FloatArray) -> FloatArray:
        out = np.empty_like(ranked)
        out[self._order] = ranked
        return out
