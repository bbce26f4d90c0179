"""What all pictures share: axes of their own unless given some, colours for light and dark, texts as they are written.

The colours of texts, axes and paper are those of matplotlib's settings, so that `style.context("dark_background")` is
followed; the colours of series (Okabe and Ito) stand out on white and on black.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray

MAX_NAME = 28  # letters of a name beside an axis; a longer one is cut, lest it leave no room for the picture


class NotebookFigure(Figure):
    """A figure that notebooks show: matplotlib's own is a line of text until pyplot or %matplotlib is there."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()


def own_axes(ax: Axes | None, size: tuple[float, float] = (5.0, 3.4)) -> Axes:
    """The given axes, or new ones on a figure that no window knows of."""
    if ax is not None:
        return ax
    axes: Axes = NotebookFigure(figsize=size, layout="constrained").add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3, linewidth=0.5)
    axes.set_axisbelow(True)
    return axes


def ink() -> str:
    """The colour of texts."""
    return str(mpl.rcParams["text.color"])


def rule() -> str:
    """The colour of lines that only help to read."""
    return str(mpl.rcParams["grid.color"])


def short(name: object, longest: int | None = MAX_NAME) -> str:
    """A name with room for it."""
    text = str(name)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def name_axes(ax: Axes, x: str, y: str) -> None:
    """Labels of both axes, with no $ or _ taken for matplotlib's own."""
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)


def name_ticks(ax: Axes, names: Sequence[object], longest: int | None = MAX_NAME) -> None:
    """Names from the top down along the vertical axis, cut where they are longer."""
    ax.set_yticks(range(len(names)), [short(name, longest) for name in names], parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(False, axis="y")


def key(ax: Axes, loc: str = "best", *, above: int = 0) -> None:
    """The key of the series, if there is more than one; above the axes in so many columns, or inside them at `loc`."""
    handles, names = ax.get_legend_handles_labels()
    if len(handles) < 2:
        return
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": above} if above else {"loc": loc}
    numbers = [str(number) for number in range(len(names))]
    legend = ax.legend(handles, numbers, frameon=False, fontsize="small", **place)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(short(name, 34 if above == 2 else MAX_NAME))


def two_classes(y: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Labels and scores of rows of both classes; positive is a label above 0."""
    labels, values = as_vector("labels", y), as_vector("scores", scores)
    if labels.size != values.size:
        raise ShapeError(f"y and scores must have one entry per row, got {labels.size} and {values.size}")
    if not (labels > 0).any() or (labels > 0).all():
        raise DataError("there must be labels above 0 and others, got one class only; pass rows of both")
    return labels, values
