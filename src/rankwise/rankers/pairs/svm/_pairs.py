"""The losses of all pairs of documents at given scores, their slopes and their curvature, in linear time after a sort.

With x = 1 − (s_i − s_j) what a pair lacks of a margin of 1, and ω its weight, the loss is Σ ω x² over pairs with x > 0,
or the hinge Σ ω x rounded over a width h: x²/2h up to x = h, and x − h/2 from there on. Either is a square over a band
of margins, and a line below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels.pairs import _close_pairs as close_pairs
from rankwise.metrics._ranking import descending_order
from rankwise.types import FloatArray, IntArray

EXACT = 4 * float(np.finfo(np.float64).eps)  # the rounding of a margin, in units of the scores


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of documents of a query with different grades, the weights of all of them adding up to 1."""

    grade: IntArray  # within the query, from 0
    grades: IntArray  # of each query, how many
    weight: FloatArray  # of each row; a pair weighs the product
    offsets: IntArray

    @classmethod
    def of(
        cls, y: FloatArray, offsets: IntArray, weight: FloatArray | None = None, shares: FloatArray | None = None
    ) -> Pairs:
        """Those of grouped rows with these labels, of which one pair at least weighs something.

        A pair weighs the product of its rows' weights; with `shares`, the pairs of each query weigh its share together.
        """
        grade, grades = _grades(y, offsets)
        given = np.ones(y.size) if weight is None else weight / weight.max()
        total = np.empty(grades.size)
        count = partial(close_pairs.close_weight, np.zeros(y.size), grade, grades, given, offsets, 1.0)
        threads.by_queries(lambda low, high: count(low, high, total), offsets)
        by_query = total if shares is None else np.where(total > 0.0, shares, 0.0)
        factor = np.divide(by_query, total * by_query.sum(), out=np.zeros_like(total), where=total > 0.0)
        return cls(grade, grades, given * np.repeat(np.sqrt(factor), np.diff(offsets)), offsets)

    def at(self, scores: FloatArray, width: float | None) -> Place:
        """The squared hinge at these scores, or the hinge rounded over this width."""
        order = descending_order(scores, self.offsets)
        return Place(self, order, scores[order], self.grade[order], self.weight[order], width)


class Place:
    """The loss at some scores; the arrays given are in rank order, what is read is by row.

    `hinge` is Σ ω max(0, x), `pull` the sum over pairs of the loss's slope, ω times 2x, or times x/h and at most 1;
    `slop` bounds the rounding of `pull`.
    """

    def __init__(
        self,
        pairs: Pairs,
        order: IntArray,
        scores: FloatArray,
        grade: IntArray,
        weight: FloatArray,
        width: float | None,
    ) -> None:
        self._pairs, self._order, self._scores, self._grade, self._weight = pairs, order, scores, grade, weight
        self._curvature = 2.0 if width is None else 1.0 / width
        self._least = -np.inf if width is None else 1.0 - width
        worse, worse_scores, better, better_scores = self._sums(scores, self._least, 1.0)
        self._degree = worse + better
        as_better = weight * ((1.0 - scores) * worse + worse_scores)  # Σ_j ω_ij x_ij, i being the better one
        as_worse = weight * ((1.0 + scores) * better - better_scores)
        push, band = as_worse - as_better, float(as_better.sum())
        square = band + float((scores * push).sum())  # Σ ω x², as x² = x − x (s_i − s_j)
        self.hinge, self.loss, self.pull = band, 0.5 * self._curvature * square, self._curvature * band
        extent = 1.0 + 2.0 * float(np.abs(scores).max())
        self.slop = EXACT * self._curvature * extent * float((weight * worse).sum())
        push *= self._curvature
        if width is not None:
            worse, worse_scores, better, _ = self._sums(scores, -np.inf, self._least)
            below, lacking = float((weight * worse).sum()), weight * ((1.0 - scores) * worse + worse_scores)
            self.hinge += float(lacking.sum())
            self.loss += float(lacking.sum()) - 0.5 * width * below
            self.pull += below
            push += weight * (better - worse)
        self.slope = self._by_row(push)

    def bend(self, direction: FloatArray) -> FloatArray:
        """The matrix of second derivatives by the scores, times a direction."""
        along = direction[self._order]
        _, worse, _, better = self._sums(along, self._least, 1.0)
        return self._by_row(self._curvature * self._weight * (along * self._degree - worse - better))

    def stretched(self, factor: float) -> tuple[float, float]:
        """Σ ω max(0, x) at scores that are these times a factor, and its derivative by the factor."""
        worse, worse_scores, _, _ = self._sums(self._scores, -np.inf, 1.0 / factor)
        margins = float((self._weight * (self._scores * worse - worse_scores)).sum())
        return float((self._weight * worse).sum()) - factor * margins, -margins

    def _sums(self, value: FloatArray, least: float, gap: float) -> FloatArray:
        """What `close_sums` gives for pairs with margins from `least` up to the gap."""
        pairs, found = self._pairs, np.empty((4, value.size))
        given = (self._scores, self._grade, pairs.grades, self._weight, value, pairs.offsets, least, gap)
        threads.by_queries(lambda low, high: close_pairs.close_sums(*given, low, high, *found), pairs.offsets)
        return found

    def _by_row(self, ranked: FloatArray) -> FloatArray:
        out = np.empty_like(ranked)
        out[self._order] = ranked
        return out


def _grades(y: FloatArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Labels as whole numbers from 0 within each query, and how many there are."""
    sizes = np.diff(offsets)
    query = np.repeat(np.arange(sizes.size), sizes)
    order = np.lexsort((y, query))
    new = np.append(False, (np.diff(y[order]) != 0) & (np.diff(query) == 0))
    number = np.cumsum(new)
    number -= np.repeat(number[offsets[:-1]], sizes)
    grade = np.empty(y.size, dtype=np.int64)
    grade[order] = number
    return grade, number[offsets[1:] - 1] + 1
