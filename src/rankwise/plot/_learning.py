"""How a metric rose while a model learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from rankwise.errors import DataError
from rankwise.plot._axes import ink, key, name_axes, own_axes
from rankwise.plot._style import series_colour, series_dashes

MAX_BAGS = 5  # more have one colour and no names


def learning_curve(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the metric by rounds on each `eval_set`, and the round at which the model stands.

    Parameters
    ----------
    model : Ranker
        A model that was fitted with an `eval_set`.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    DataError
        If nothing was evaluated while the model learned.
    """
    history = getattr(model, "evals_result_", None)
    if not history:
        raise DataError("there is no learning curve, nothing was evaluated in training; pass eval_set= to fit")
    ax = own_axes(ax)
    metric = ""
    named = len(history) <= MAX_BAGS
    for number, (name, values) in enumerate(history.items()):
        ((metric, curve),) = values.items()
        style = {"color": series_colour(number), "linestyle": series_dashes(number), "label": name}
        plain = {"color": series_colour(0), "linewidth": 0.7, "alpha": 0.6, "label": "_"}
        ax.plot(np.arange(1, len(curve) + 1), curve, **(style if named else plain))
    best = int(model.best_iteration_)
    if best > 0:
        ax.axvline(best, color=ink(), linewidth=0.8, linestyle=(0, (2, 2)), label=f"stopped at round {best}")
    name_axes(ax, "rounds", metric)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    key(ax, "lower right")
    return ax
