"""A forest plot: the differences of systems with their intervals."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from rankwise.errors import DataError
from rankwise.metrics import Comparison, parse
from rankwise.metrics.comparison._statistics import format_p_value
from rankwise.plot._axes import ink, name_axes, name_ticks, own_axes, short
from rankwise.plot._style import series_colour


def differences(comparison: Comparison, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the difference of each pair of systems with its interval; where that leaves out 0 it is in colour.

    Beside each stands its p-value: Fisher's of several queries, that over rows of one list, corrected by Holm for the
    pairs of one metric.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned.
    metric : str, optional
        Only the pairs of this metric; by default all.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    DataError
        If there is no difference with an interval.
    """
    tests = [
        (test.metric, test.a, test.b, test.difference, test.interval, test.fisher_p_holm) for test in comparison.tests
    ] + [(test.metric, test.a, test.b, test.difference, test.interval, test.p_holm) for test in comparison.row_tests]
    wanted = None if metric is None else {metric, str(parse(metric))}
    drawn = [test for test in tests if (wanted is None or test[0] in wanted) and not math.isnan(test[4][0])]
    if not drawn:
        raise DataError(
            f"there is no difference with an interval{'' if metric is None else f' of {metric}'}; "
            "compare systems on several queries, or on one list by a metric that has intervals there"
        )
    ax = own_axes(ax, (5.0, forest_height(len(drawn))))
    several = len({test[0] for test in drawn}) > 1
    for place, (_, _, _, difference, (low, high), _) in enumerate(drawn):
        colour = ink() if low <= 0 <= high else series_colour(0 if difference > 0 else 1)
        ax.plot([low, high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
        ax.plot([difference], [place], color=colour, marker="o", markersize=5)
    for place in range(len(drawn)):
        ax.plot([0, 0], [place - 0.1, place + 0.25], color=ink(), linewidth=0.8)  # clear of the names
    ax.xaxis.set_major_locator(MaxNLocator(4))
    name_ticks(
        ax, [f"{f'{name}: ' if several else ''}{short(a, 20)} − {short(b, 20)}" for name, a, b, *_ in drawn], None
    )
    values = ax.secondary_yaxis("right")
    values.set_yticks(range(len(drawn)), [f"p {format_p_value(test[5])}" for test in drawn])
    values.tick_params(length=0)
    values.spines["right"].set_visible(False)
    _names_above(ax)
    name_axes(ax, f"difference{'' if several else f' of {drawn[0][0]}'}, {comparison.level:.0%} interval", "")
    return ax


def forest_height(pairs: int) -> float:
    """Inches for so many pairs."""
    return 0.9 + 0.42 * pairs


def _names_above(ax: Axes) -> None:
    """Each name above its line, where a long one has room."""
    ax.tick_params(axis="y", length=0, pad=0)
    ax.spines["left"].set_visible(False)
    for label in ax.get_yticklabels():
        label.set(horizontalalignment="left", verticalalignment="bottom")
        label.set_transform(label.get_transform() + ScaledTranslation(0, 4 / 72, ax.figure.dpi_scale_trans))
