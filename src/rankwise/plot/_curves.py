"""Curves of one system or of several: ROC, precision and recall, gain and lift."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from rankwise.data import RankingData
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._evaluate import labelled_rows
from rankwise.metrics.certification._operating_point import counts_at
from rankwise.plot._axes import key, name_axes, own_axes, rule, two_classes
from rankwise.plot._points import Curve, CurveFunction, precision_recall_curve, roc_curve, thinned
from rankwise.plot._style import series_colour, series_dashes
from rankwise.types import FloatArray

Systems = Mapping[str, ArrayLike] | ArrayLike


def roc_curves(
    y: ArrayLike | RankingData, scores: Systems, qid: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw ROC curves: of one list, or the mean over queries of the true positive rate.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or RankingData
        Labels; relevant is a label above 0. RankingData brings its queries and their weights along.
    scores : array-like of shape (n_rows,), or dict of str to such
        Scores of one system, or of several by name.
    qid : array-like of shape (n_rows,), optional
        The query of each row; by default all rows are one list.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    ax = own_axes(ax, (4.2, 4.0))
    ax.plot([0, 1], [0, 1], color=rule(), linewidth=1)
    _unit_curves(ax, roc_curve, y, scores, qid, "lower right")
    name_axes(ax, "false positive rate", "true positive rate")
    return ax


def pr_curves(
    y: ArrayLike | RankingData, scores: Systems, qid: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw precision-recall curves: of one list, or the mean over queries of interpolated precision.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or RankingData
        Labels; relevant is a label above 0. RankingData brings its queries and their weights along.
    scores : array-like of shape (n_rows,), or dict of str to such
        Scores of one system, or of several by name.
    qid : array-like of shape (n_rows,), optional
        The query of each row; by default all rows are one list.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    ax = own_axes(ax, (4.2, 4.0))
    _unit_curves(ax, precision_recall_curve, y, scores, qid, "best")
    name_axes(ax, "recall", "precision")
    return ax


def gain(y: ArrayLike, scores: Systems, *, ax: Axes | None = None) -> Axes:
    """Draw the share of the positives that stands in the best share of the rows.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; positive is a label above 0.
    scores : array-like of shape (n_rows,), or dict of str to such
        Scores of one system, or of several by name.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    ax = own_axes(ax)
    ax.plot([0, 1], [0, 1], color=rule(), linewidth=1)
    _list_curves(ax, y, scores, gain_points)
    name_axes(ax, "share of the rows, best first", "share of the positives")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    key(ax, "lower right")
    return ax


def lift(y: ArrayLike, scores: Systems, *, ax: Axes | None = None) -> Axes:
    """Draw how many times more positives stand in the best share of the rows than in as many drawn at random.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; positive is a label above 0.
    scores : array-like of shape (n_rows,), or dict of str to such
        Scores of one system, or of several by name.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """

    def points(labels: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        rows, positives = gain_points(labels, values)
        enough = rows >= 0.01  # of the first row or two the lift is luck
        return rows[enough], positives[enough] / rows[enough]

    ax = own_axes(ax)
    ax.axhline(1.0, color=rule(), linewidth=1)
    _list_curves(ax, y, scores, points)
    name_axes(ax, "share of the rows, best first", "lift")
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(bottom=0)
    key(ax, "upper right")
    return ax


def gain_points(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of the rows and of the positives down to each score, from none to all; equal scores enter together.

    >>> gain_points(np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    (array([0. , 0.5, 1. ]), array([0., 1., 1.]))
    """
    counts = counts_at(np.unique(scores)[::-1], labels > 0, scores)
    return np.append(0.0, (counts.tp + counts.fp) / labels.size), np.append(0.0, counts.tp / counts.positives)


def _list_curves(
    ax: Axes, y: ArrayLike, scores: Systems, points: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
) -> None:
    for number, (name, system) in enumerate(_by_name(scores).items()):
        x, height = thinned(*points(*two_classes(y, system)))
        ax.plot(x, height, color=series_colour(number), linestyle=series_dashes(number), label=name)


def _unit_curves(
    ax: Axes, curve_of: CurveFunction, y: ArrayLike | RankingData, scores: Systems, qid: ArrayLike | None, loc: str
) -> None:
    y, qid, weight, _ = labelled_rows(y, qid)
    labels = np.asarray(y, dtype=np.float64)
    groups = QueryGroups.of_rows(qid, labels.size)
    for number, (name, system) in enumerate(_by_name(scores).items()):
        values = np.asarray(system, dtype=np.float64)
        if values.shape != labels.shape:
            raise ShapeError(f"scores of {name!r} must have one entry per row, got {values.shape} for {labels.shape}")
        curve: Curve | None = curve_of(labels, values, groups, None if weight is None else np.asarray(weight))
        if curve is None:
            raise DataError("no query has both relevant and irrelevant rows; pass rows of both")
        ax.plot(curve.x, curve.y, color=series_colour(number), linestyle=series_dashes(number), label=name)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    key(ax, loc)


def _by_name(scores: Systems) -> Mapping[str, ArrayLike]:
    return scores if isinstance(scores, Mapping) else {"scores": scores}
