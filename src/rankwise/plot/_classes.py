"""One list of two classes: scores by class, probabilities against truth, and what each threshold does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from rankwise.errors import DataError
from rankwise.metrics.certification._operating_point import counts_at
from rankwise.plot._axes import ink, key, name_axes, own_axes, rule, two_classes
from rankwise.plot._points import MAX_POINTS
from rankwise.plot._style import series_colour, series_dashes
from rankwise.types import FloatArray


def score_histogram(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    threshold: float | Mapping[str, float] | None = None,
    bins: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw how the scores of positives and of negatives are spread, each as a share of its class.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; positive is a label above 0.
    scores : array-like of shape (n_rows,)
        Scores or probabilities.
    threshold : float or dict of str to float, optional
        The model's threshold, to be marked, or several by name.
    bins : int, default=30
        How many bars.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    labels, values = two_classes(y, scores)
    ax = own_axes(ax)
    edges = np.histogram_bin_edges(values, bins)
    for number, (name, rows) in enumerate((("negatives", labels <= 0), ("positives", labels > 0))):
        share = np.histogram(values[rows], edges)[0] / np.count_nonzero(rows)
        colour = series_colour(number)
        ax.stairs(share, edges, fill=True, color=colour, alpha=0.35)
        ax.stairs(share, edges, color=colour, label=f"{np.count_nonzero(rows):,} {name}")
    _mark(ax, threshold)
    name_axes(ax, "score", "share of the class")
    ax.set_ylim(bottom=0)
    key(ax, above=2)
    return ax


def calibration(y: ArrayLike, proba: ArrayLike, *, bins: int = 10, ax: Axes | None = None) -> Axes:
    """Draw the share of positives against the probability that a model gives, in bins of equally many rows.

    The line at each point is the 95% interval of the share (Wilson 1927).

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; positive is a label above 0.
    proba : array-like of shape (n_rows,)
        Probabilities from 0 to 1.
    bins : int, default=10
        How many points.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    DataError
        If the numbers are no probabilities.
    """
    labels, values = two_classes(y, proba)
    if values.min() < 0 or values.max() > 1:
        raise DataError(f"probabilities must lie from 0 to 1, got {values.min():g} to {values.max():g}; calibrate them")
    given, share, low, high = calibration_points(labels, values, bins)
    ax = own_axes(ax, (4.2, 4.0))
    ax.plot([0, 1], [0, 1], color=rule(), linewidth=1)
    spread = np.maximum((share - low, high - share), 0.0)
    ax.errorbar(given, share, yerr=spread, color=series_colour(0), marker="o", markersize=4, linewidth=1.2, capsize=2)
    name_axes(ax, "probability that the model gives", "share of positives")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return ax


def calibration_points(labels: FloatArray, proba: FloatArray, bins: int) -> tuple[FloatArray, ...]:
    """Mean probability, share of positives and its interval, by bins of equally many rows.

    >>> given, share, low, high = calibration_points(np.array([0.0, 1, 1, 1]), np.array([0.1, 0.3, 0.8, 1.0]), 2)
    >>> given, share
    (array([0.2, 0.9]), array([0.5, 1. ]))
    """
    parts = [part for part in np.array_split(np.argsort(proba, kind="stable"), bins) if part.size]
    given = np.array([proba[part].mean() for part in parts])
    n = np.array([part.size for part in parts])
    share = np.array([np.mean(labels[part] > 0) for part in parts])
    z = 1.959963984540054
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return given, share, middle - half, middle + half


def precision_recall_threshold(
    y: ArrayLike, scores: ArrayLike, *, threshold: float | Mapping[str, float] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw precision, recall and the share of rows above each threshold.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels; positive is a label above 0.
    scores : array-like of shape (n_rows,)
        Scores or probabilities.
    threshold : float or dict of str to float, optional
        The model's threshold, to be marked, or several by name.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    labels, values = two_classes(y, scores)
    thresholds = np.unique(values)
    if thresholds.size > MAX_POINTS:
        thresholds = np.unique(np.quantile(values, np.linspace(0, 1, MAX_POINTS), method="nearest"))
    counts = counts_at(thresholds, labels > 0, values)
    ax = own_axes(ax)
    selected = (counts.tp + counts.fp) / values.size
    curves = {"precision": counts.share("precision"), "recall": counts.share("recall"), "share of rows": selected}
    for number, (name, curve) in enumerate(curves.items()):
        ax.plot(thresholds, curve, color=series_colour(number), linestyle=series_dashes(number), label=name)
    _mark(ax, threshold)
    name_axes(ax, "threshold", "")
    ax.set_ylim(-0.02, 1.02)
    key(ax, above=2)
    return ax


def _mark(ax: Axes, threshold: float | Mapping[str, float] | None) -> None:
    """A line down at each threshold, told apart by dots and dashes."""
    if threshold is None:
        return
    by_name = threshold if isinstance(threshold, Mapping) else {"threshold": threshold}
    for number, (name, value) in enumerate(by_name.items()):
        style = (0, (2, 2)) if number == 0 else (0, (1, 1 + 2 * number))
        ax.axvline(value, color=ink(), linewidth=0.9, linestyle=style, label=f"{name} {value:.4g}")
