"""Two metrics against each other."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import BboxBase

from rankwise.analysis import TradeOff
from rankwise.plot._axes import own_axes
from rankwise.reports._figures import draw_trade_off

RADII = (0, 10, 20, 32, 46)  # points by which a word moves away from its place
DIRECTIONS = 12


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
    draw_trade_off(ax, result)
    for text in ax.texts:
        text.set_color(ax.xaxis.label.get_color())
    part_words([text for text in ax.texts if isinstance(text, Annotation)], ax)
    return ax


def part_words(words: list[Annotation], ax: Axes) -> None:
    """Move words that lie upon each other, each to the nearest place around its point that is free."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # so that the layout is known
    scale = figure.dpi / 72.0
    taken: list[BboxBase] = []
    inside = ax.get_window_extent()
    for word in words:
        x, y = word.get_position()
        for shift_x, shift_y in _places():
            word.set_position((x + shift_x, y + shift_y))
            box = word.get_window_extent().padded(scale)
            fits = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
            if fits and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
        else:  # no place is free: a picture without the word says more than two on top of each other
            word.set_visible(False)


def _places() -> list[tuple[float, float]]:
    around = [
        (math.cos(2 * math.pi * k / DIRECTIONS), math.sin(2 * math.pi * k / DIRECTIONS)) for k in range(DIRECTIONS)
    ]
    return [(radius * x, radius * y) for radius in RADII for x, y in (around if radius else around[:1])]
