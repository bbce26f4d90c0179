"""ROC and precision-recall curves of rankings; a document is relevant if its label is above 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.types import FloatArray

GRID = np.linspace(0, 1, 101)
"""Where the curves of queries are read before they are averaged."""

MOST_POINTS = 500
"""More than a screen can show; a list of a million documents must not make a page of 100 MB."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve, and over how many queries it is the mean."""

    x: FloatArray
    y: FloatArray
    queries: int


def roc_points(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """False and true positive rate from the top of the list down; None unless there are both kinds of labels.

    Documents with equal scores enter together, which draws a slope through them: the expected order.

    >>> roc_points(np.array([1.0, 0.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    (array([0., 0., 1., 1.]), array([0. , 0.5, 0.5, 1. ]))
    """
    hits, taken = _counts(labels, scores)
    misses = taken - hits
    if hits[-1] == 0 or misses[-1] == 0:
        return None
    return misses / misses[-1], hits / hits[-1]


def precision_recall_points(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Recall and precision from the top of the list down; None if there is no relevant document.

    >>> precision_recall_points(np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    (array([0., 1., 1.]), array([1. , 1. , 0.5]))
    """
    hits, taken = _counts(labels, scores)
    if hits[-1] == 0:
        return None
    precision = hits[1:] / taken[1:]
    return hits / hits[-1], np.concatenate((precision[:1], precision))


def roc_curve(labels: FloatArray, scores: FloatArray, groups: QueryGroups, weight: FloatArray | None) -> Curve | None:
    """The ROC curve of one list, or the mean over queries of the true positive rate."""
    return _curve(roc_points, lambda x, y: np.interp(GRID, x, y), labels, scores, groups, weight)


def precision_recall_curve(
    labels: FloatArray, scores: FloatArray, groups: QueryGroups, weight: FloatArray | None
) -> Curve | None:
    """The precision-recall curve of one list, or the mean over queries of their interpolated precision.

    That is, as is usual, the best precision at that recall or more: a list has no precision between two hits.
    """

    def interpolated(recall: FloatArray, precision: FloatArray) -> FloatArray:
        best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
        return best_from_here[np.searchsorted(recall, GRID - 1e-9)]

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
        found = points(labels, scores)
        return None if found is None else Curve(*thinned(*found), queries=1)
    total, weights, queries = np.zeros(GRID.size), 0.0, 0
    for query, (start, stop) in enumerate(zip(groups.offsets[:-1], groups.offsets[1:], strict=True)):
        found = points(labels[start:stop], scores[start:stop])
        importance = 1.0 if weight is None else float(weight[query])
        if found is not None and importance > 0:
            total += importance * read_on_grid(*found)
            weights, queries = weights + importance, queries + 1
    return None if queries == 0 else Curve(GRID, total / weights, queries)


def thinned(x: FloatArray, y: FloatArray, most: int = MOST_POINTS) -> tuple[FloatArray, FloatArray]:
    """At most `most` of the points, spread evenly along the length of the curve, both ends among them."""
    if x.size <= most:
        return x, y
    length = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))))
    kept = np.unique(np.searchsorted(length, np.linspace(0, length[-1], most - 1)))
    kept = np.unique(np.append(kept, x.size - 1))
    return x[kept], y[kept]


def _counts(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Relevant documents and documents down to each score, from none to all."""
    order = np.argsort(-scores, kind="stable")
    descending = scores[order]
    ends = np.append(np.flatnonzero(descending[1:] != descending[:-1]), scores.size - 1)
    hits = np.cumsum(labels[order] > 0)[ends]
    return np.append(0.0, hits), np.append(0.0, ends + 1.0)
