"""Points that are marked, and words beside them, each where no other lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from rankwise.plot._axes import ink

RADII = (0, 10, 20, 32, 46, 62, 80)  # points by which a word moves away from its place
DIRECTIONS = 12
MARK_SIZE = 7.0
BESIDE = (9, -4)  # points from a dot to its word


@dataclass(frozen=True)
class Mark:
    """A point to be marked; a hollow one is told apart from those that are full."""

    x: float
    y: float
    word: str
    colour: str
    hollow: bool = False


def draw_marks(ax: Axes, marks: Sequence[Mark]) -> None:
    """Draw a dot at each, and its word beside it, joined by a thin line where it had to move away."""
    words = []
    for mark in marks:
        face = "none" if mark.hollow else mark.colour
        ax.plot([mark.x], [mark.y], color=mark.colour, marker="o", markersize=MARK_SIZE, markerfacecolor=face)
        place: dict[str, Any] = {"textcoords": "offset points", "va": "top", "color": ink(), "parse_math": False}
        words.append(ax.annotate(mark.word, (mark.x, mark.y), BESIDE, **place))
    if not words:
        return
    part_words(words, ax, [(mark.x, mark.y) for mark in marks])
    for word, mark in zip(words, marks, strict=True):
        at = word.get_position()
        if word.get_visible() and math.dist(at, BESIDE) > MARK_SIZE:
            line = {"arrowstyle": "-", "linewidth": 0.7, "color": mark.colour, "shrinkA": 0, "shrinkB": MARK_SIZE / 2}
            ax.annotate("", word.xy, at, textcoords="offset points", arrowprops=line)


def part_words(words: list[Annotation], ax: Axes, dots: Sequence[tuple[float, float]] = ()) -> None:
    """Move words that lie upon each other or upon dots, each to the nearest place that is free, best of curves too."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # so that the layout is known
    scale = figure.dpi / 72.0
    half = scale * MARK_SIZE / 2
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in map(ax.transData.transform, dots)]
    curves = np.concatenate([line.get_transform().transform(line.get_xydata()) for line in ax.get_lines()])
    inside = ax.get_window_extent()
    for word in words:
        x, y = word.get_position()
        free = []
        for shift_x, shift_y in _places():
            word.set_position((x + shift_x, y + shift_y))
            box = Bbox(word.get_window_extent().padded(scale).get_points())
            fits = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
            if fits and not any(box.overlaps(other) for other in taken):
                free.append((int(box.count_contains(curves)), word.get_position(), box))
                if free[-1][0] == 0:
                    break
        if free:
            _, place, box = min(free, key=lambda found: found[0])
            word.set_position(place)
            taken.append(box)
        else:  # no place is free: a picture without the word says more than two on top of each other
            word.set_visible(False)


def _places() -> list[tuple[float, float]]:
    around = [
        (math.cos(2 * math.pi * k / DIRECTIONS), math.sin(2 * math.pi * k / DIRECTIONS)) for k in range(DIRECTIONS)
    ]
    wide = 2.5  # words are wider than high
    return [(wide * radius * x, radius * y) for radius in RADII for x, y in (around if radius else around[:1])]
