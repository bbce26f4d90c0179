"""Two metrics against each other."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from rankwise.analysis import TradeOff
from rankwise.plot._axes import ink, own_axes
from rankwise.plot._style import series_colour
from rankwise.plot._words import part_words


def trade_off(result: TradeOff, *, ax: Axes | None = None) -> Axes:
    """Draw each model of a trade-off as a point by both metrics, with its weight, and the line of the Pareto front.

    Parameters
    ----------
    result : TradeOff
        What `trade_off` returned.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    ax = own_axes(ax, (5.4, 4.2))
    front = sorted(mean for mean, on_front in zip(result.means, result.on_front, strict=True) if on_front)
    ax.plot(*np.array(front).T, color=series_colour(0), linewidth=1)
    words = []
    for weight, (x, y), on_front in zip(result.weights, result.means, result.on_front, strict=True):
        ax.plot([x], [y], marker="o", markersize=6, color=series_colour(0 if on_front else 1))
        words.append(ax.annotate(f"{weight:g}", (x, y), (0, 0), textcoords="offset points", color=ink()))
    ax.margins(0.15)
    for axis, metric in zip((ax.xaxis, ax.yaxis), result.metrics, strict=True):
        axis.set_major_locator(MaxNLocator(5))
        axis.set_label_text(metric).set_parse_math(False)
    part_words(words, ax, result.means)
    return ax
