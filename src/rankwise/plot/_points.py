"""ROC and precision-recall curves of rankings; a document is relevant if its label is above 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.metrics.certification._operating_point import counts_at
from rankwise.types import FloatArray

CURVE_GRID = np.linspace(0, 1, 101)
"""Where the curves of queries are read before they are averaged."""

MAX_POINTS = 500
"""More than a screen can show; a list of a million documents must not make a page of 100 MB."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve, and over how many queries it is the mean."""

    x: FloatArray
    y: FloatArray
    queries: int


CurveFunction: TypeAlias = Callable[[FloatArray, FloatArray, QueryGroups, FloatArray | None], Curve | None]


def roc_points(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """False and true positive rate from the top of the list down; None unless there are both kinds of labels.

    Documents with equal scores enter together, which draws a slope through them: the expected order.

    >>> roc_points(np.array([1.0, 0.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    (array([0., 0., 1., 1.]), array([0. , 0.5, 0.5, 1. ]))
    """
    hits, misses = _counts(labels, scores)
    if hits[-1] == 0 or misses[-1] == 0:
        return None
    return misses / misses[-1], hits / hits[-1]


def precision_recall_points(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Recall and precision from the top of the list down; None if there is no relevant document.

    >>> precision_recall_points(np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    (array([0., 1., 1.]), array([1. , 1. , 0.5]))
    """
    hits, misses = _counts(labels, scores)
    if hits[-1] == 0:
        return None
    precision = hits[1:] / (hits + misses)[1:]
    return hits / hits[-1], np.concatenate((precision[:1], precision))


def roc_curve(labels: FloatArray, scores: FloatArray, groups: QueryGroups, weight: FloatArray | None) -> Curve | None:
    """The ROC curve of one list, or the mean over queries of the true positive rate."""
    return _curve(roc_points, lambda x, y: np.interp(CURVE_GRID, x, y), labels, scores, groups, weight)


def precision_recall_curve(
    labels: FloatArray, scores: FloatArray, groups: QueryGroups, weight: FloatArray | None
) -> Curve | None:
    """The precision-recall curve of one list, or the mean over queries of their interpolated precision.

    That is, as is usual, the best precision at that recall or more: a list has no precision between two hits.
    """

    def interpolated(recall: FloatArray, precision: FloatArray) -> FloatArray:
        best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
        return best_from_here[np.searchsorted(recall, CURVE_GRID - 1e-9)]

    return _curve(precision_recall_points, interpolated, labels, scores, groups, weight)


def _curve(
    points: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray] | None],
    read_on_grid: Callable[[FloatArray, FloatArray], FloatArray],
    labels: FloatArray,
    scores: FloatArray,
    groups: QueryGroups,
    weight: FloatArray | None,
) -> Curve | None:
    """None if no query has one. Scores of different queries cannot be compared, so they are never pooled."""
    labels, scores = groups.grouped(labels), groups.grouped(scores)
    if groups.n_queries == 1:
        corners = points(labels, scores)
        return None if corners is None else Curve(*thinned(*corners), queries=1)
    total, weights, queries = np.zeros(CURVE_GRID.size), 0.0, 0
    for query, (start, stop) in enumerate(zip(groups.offsets[:-1], groups.offsets[1:], strict=True)):
        corners = points(labels[start:stop], scores[start:stop])
        importance = 1.0 if weight is None else float(weight[query])
        if corners is not None and importance > 0:
            total += importance * read_on_grid(*corners)
            weights, queries = weights + importance, queries + 1
    return None if queries == 0 else Curve(CURVE_GRID, total / weights, queries)


def thinned(x: FloatArray, y: FloatArray, max_points: int = MAX_POINTS) -> tuple[FloatArray, FloatArray]:
    """At most `max_points` of the points, spread evenly along the length of the curve, both ends among them."""
    if x.size <= max_points:
        return x, y
    length = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))))
    selected = np.searchsorted(length, np.linspace(0, length[-1], max_points - 1))
    selected = np.unique(np.append(selected, x.size - 1))
    return x[selected], y[selected]


def _counts(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Relevant and irrelevant documents down to each score, from none to all."""
    counts = counts_at(np.unique(scores)[::-1], labels > 0, scores)
    return np.append(0.0, counts.tp), np.append(0.0, counts.fp)
