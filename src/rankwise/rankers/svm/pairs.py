"""The losses of all pairs of documents at given scores, their slopes and their curvature, in linear time after a sort.

All losses here are sums of squared hinges: with m = s_i − s_j the margin of a pair, and ω its weight,

    loss = Σ_parts factor · Σ_pairs ω · max(0, gap − m)².

The squared hinge is one part, (1, 1). The hinge, rounded over a width h, is two:
(max(0, 1 − m)² − max(0, 1 − h − m)²) / 2h, which is 0 from m = 1 on and 1 − m − h/2 below 1 − h.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.kernels import close_pairs, threads
from rankwise.metrics.ranking import falling_rows

__all__ = ["SQUARED_HINGE", "Pairs", "Part", "Place", "rounded_hinge"]

Array = NDArray[np.float64]
Part = tuple[float, float]  # gap, factor
SQUARED_HINGE: tuple[Part, ...] = ((1.0, 1.0),)


def rounded_hinge(width: float) -> tuple[Part, ...]:
    """The hinge, rounded over this width below a margin of 1."""
    return ((1.0, 0.5 / width), (1.0 - width, -0.5 / width))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of documents of a query with different grades, the weights of all of them adding up to 1."""

    grade: NDArray[np.int64]  # within the query, from 0
    grades: NDArray[np.int64]  # of each query, how many
    weight: Array  # of each row; a pair weighs the product
    offsets: NDArray[np.int64]

    @classmethod
    def of(
        cls, y: Array, offsets: NDArray[np.int64], weight: Array | None = None, shares: Array | None = None
    ) -> Pairs:
        """Those of grouped rows with these labels.

        A pair weighs the product of its rows' weights; with `shares`, the pairs of each query weigh its share together.
        """
        grade, grades = _grades(y, offsets)
        given = np.ones(y.size) if weight is None else weight / weight.max()
        total = np.empty(grades.size)
        count = partial(close_pairs.close_weight, np.zeros(y.size), grade, grades, given, offsets, 1.0)
        threads.by_queries(lambda low, high: count(low, high, total), offsets)
        by_query = total if shares is None else np.where(total > 0.0, shares, 0.0)
        if not by_query.any():
            raise DataError("all pairs of documents with different labels have weight 0; pass positive weights")
        factor = np.divide(by_query, total * by_query.sum(), out=np.zeros_like(total), where=total > 0.0)
        return cls(grade, grades, given * np.repeat(np.sqrt(factor), np.diff(offsets)), offsets)

    def at(self, scores: Array, parts: tuple[Part, ...]) -> Place:
        """The loss of these parts at these scores."""
        order = falling_rows(scores, self.offsets)
        return Place(self, order, scores[order], self.grade[order], self.weight[order], parts)


class Place:
    """The loss at some scores; the arrays given are in rank order, what is read is by row."""

    def __init__(
        self,
        pairs: Pairs,
        order: NDArray[np.int64],
        scores: Array,
        grade: NDArray[np.int64],
        weight: Array,
        parts: tuple[Part, ...],
    ) -> None:
        self._pairs, self._order, self._scores, self._grade, self._weight = pairs, order, scores, grade, weight
        self._parts = parts
        self.loss, self.hinges, push = 0.0, [], np.zeros(scores.size)
        self._degrees: list[Array] = []
        for (gap, factor), (worse, worse_scores, better, better_scores) in zip(parts, self._sums(scores), strict=True):
            as_better = weight * ((gap - scores) * worse + worse_scores)  # Σ_j ω_ij (gap − m_ij)
            as_worse = weight * ((gap + scores) * better - better_scores)
            hinge, own = float(as_better.sum()), as_worse - as_better
            self.hinges.append(hinge)  # Σ ω max(0, gap − m)
            self.loss += factor * (gap * hinge + float((scores * own).sum()))
            push += 2.0 * factor * own
            self._degrees.append(worse + better)
        self.slope = self._by_row(push)

    def bend(self, direction: Array) -> Array:
        """The matrix of second derivatives by the scores, times a direction."""
        along = direction[self._order]
        total = np.zeros(along.size)
        for (_, factor), degree, sums in zip(self._parts, self._degrees, self._sums(along), strict=True):
            total += 2.0 * factor * (along * degree - sums[1] - sums[3])
        return self._by_row(total * self._weight)

    def _sums(self, value: Array) -> list[Array]:
        """What `close_sums` gives for each part."""
        pairs = self._pairs
        found = [np.empty((4, value.size)) for _ in self._parts]
        threads.run(
            [
                partial(
                    close_pairs.close_sums, self._scores, self._grade, pairs.grades, self._weight, value, pairs.offsets,
                    gap, low, high, *out,
                )
                for (gap, _), out in zip(self._parts, found, strict=True)
                for low, high in threads.chunks(pairs.offsets)
            ]
        )  # fmt: skip
        return found

    def _by_row(self, ranked: Array) -> Array:
        out = np.empty_like(ranked)
        out[self._order] = ranked
        return out


def _grades(y: Array, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Labels as whole numbers from 0 within each query, and how many there are."""
    sizes = np.diff(offsets)
    query = np.repeat(np.arange(sizes.size), sizes)
    order = np.lexsort((y, query))
    new = np.append(False, (np.diff(y[order]) != 0) & (np.diff(query) == 0))
    new_query = np.append(True, np.diff(query) != 0)
    number = np.cumsum(new)
    number -= np.repeat(number[new_query], sizes)
    grade = np.empty(y.size, dtype=np.int64)
    grade[order] = number
    return grade, number[offsets[1:] - 1] + 1
