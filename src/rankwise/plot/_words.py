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
from rankwise.types import FloatArray

MARK_SIZE = 7.0
BESIDE = 9.0  # points from a dot to its word
FARTHER = (0.0, 25.0, 50.0, 80.0, 120.0, 160.0)  # points by which a word moves away to either side
LEVELS = range(-14, 15)  # halves of a line, up and down
MISLEADING = 1_000_000  # what it costs a word to be near the dot of another, in points of curves that it covers
CURVE_POINTS = 12  # by which each piece of a curve is looked at
FAR = 1.5 * BESIDE  # from here on a thin line joins a dot and its word


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
        place: dict[str, Any] = {"textcoords": "offset points", "color": ink(), "parse_math": False}
        words.append(ax.annotate(mark.word, (mark.x, mark.y), (BESIDE, 0), **place))
    if not words:
        return
    part_words(words, ax, [(mark.x, mark.y) for mark in marks])
    for word, mark in zip(words, marks, strict=True):
        if word.get_visible():
            _join(word, ax, mark.colour)


def part_words(words: list[Annotation], ax: Axes, dots: Sequence[tuple[float, float]] = ()) -> None:
    """Move each word to the nearest place that is free of other words and of dots, and best of curves too."""
    figure = ax.figure.canvas.figure  # the whole of it, of which ax may be in a part
    for word in words:
        word.set_in_layout(False)  # it will be inside, wherever it is now
    figure.draw_without_rendering()  # so that the layout is known
    scale = figure.dpi / 72.0
    half = scale * MARK_SIZE / 2
    places = np.reshape([ax.transData.transform(dot) for dot in dots], (-1, 2))
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in places]
    paths = [line.get_transform().transform_path(line.get_path()) for line in ax.get_lines()]
    curves = np.concatenate([path.interpolated(CURVE_POINTS).vertices for path in paths])
    inside = ax.get_window_extent()
    for word in words:
        word.set(horizontalalignment="left", verticalalignment="top")
        extent = word.get_window_extent()
        x, y = ax.transData.transform(word.xy)
        others = places[np.hypot(*(places - [x, y]).T) > half]
        free: list[tuple[int, tuple[float, float], Bbox]] = []
        for left, top in _places(extent.width / scale, extent.height / scale):
            x0, y1 = x + scale * left, y + scale * top
            box = Bbox.from_extents(x0, y1 - extent.height, x0 + extent.width, y1).padded(scale)
            fits = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
            if fits and not any(box.overlaps(other) for other in taken):
                strange = _gaps(box, others).min(initial=math.inf) <= _gaps(box, np.array([[x, y]]))[0] + scale * BESIDE
                free.append((int(box.count_contains(curves)) + MISLEADING * int(strange), (left, top), box))
                if free[-1][0] == 0:
                    break
        if free:
            _, place, box = min(free, key=lambda found: found[0])
            word.set_position(place)
            taken.append(box)
        else:  # no place is free: a picture without the word says more than two on top of each other
            word.set_visible(False)


def _gaps(box: Bbox, dots: FloatArray) -> FloatArray:
    """How far dots are from a box."""
    nearest = np.clip(dots, box.min, box.max)
    return np.asarray(np.hypot(*(dots - nearest).T))


def _places(width: float, height: float) -> list[tuple[float, float]]:
    """Left and top of a word, in points from its dot, the nearest first and the right side before the left."""
    lefts = [left for more in FARTHER for left in (BESIDE + more, -BESIDE - more - width)] + [-width / 2]
    tops = [height / 2 + level * height / 2 for level in LEVELS]

    def gap(place: tuple[float, float]) -> float:
        left, top = place
        return math.hypot(max(left, -left - width, 0.0), max(top - height, -top, 0.0))

    return sorted(((left, top) for left in lefts for top in tops), key=gap)


def _join(word: Annotation, ax: Axes, colour: str) -> None:
    """A thin line from a dot to its word, if that is not beside it."""
    box, (x, y) = word.get_window_extent(), ax.transData.transform(word.xy)
    figure = ax.figure.canvas.figure  # the whole of it, of which ax may be in a part
    scale = figure.dpi / 72.0
    end = ((np.clip(x, box.x0, box.x1) - x) / scale, (np.clip(y, box.y0, box.y1) - y) / scale)
    if math.hypot(*end) > FAR:
        line = {"arrowstyle": "-", "linewidth": 0.7, "color": colour, "shrinkA": 1, "shrinkB": MARK_SIZE / 2}
        ax.annotate("", word.xy, end, textcoords="offset points", arrowprops=line)
