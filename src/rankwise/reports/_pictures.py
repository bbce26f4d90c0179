"""Pictures of results as files: PNG or SVG, on white paper, the same bytes for the same result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rankwise.analysis import LocalOptimum, TradeOff
from rankwise.data._atomic import atomic_path
from rankwise.errors import DataError
from rankwise.plot._style import INK, SETTINGS_LOCK, STYLE, series_colour
from rankwise.plot._trade_off import trade_off

PICTURE_SUFFIXES = (".png", ".svg")
ON_PAPER = STYLE | {"figure.facecolor": "white", "savefig.dpi": 150, "svg.hashsalt": "rankwise"}
MAX_RAYS = 200  # lines of a picture; more hide one another


def check_picture_name(path: str | PathLike[str]) -> None:
    """Pictures are PNG or SVG, by the ending of the name."""
    if Path(path).suffix.lower() not in PICTURE_SUFFIXES:
        raise DataError(f"a picture must end in {' or '.join(PICTURE_SUFFIXES)}, got {path}; name it so")


def save_picture(path: str | PathLike[str], size: tuple[float, float], draw: Callable[[Figure], None]) -> Path:
    """What `draw` puts on a figure, as a file."""
    check_picture_name(path)
    with SETTINGS_LOCK, matplotlib.style.context(["default", ON_PAPER]):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        with atomic_path(path) as temporary:
            figure.savefig(temporary, metadata={"Date": None} if temporary.suffix.lower() == ".svg" else None)
    return Path(path)


def write_picture(path: str | PathLike[str], result: LocalOptimum | TradeOff) -> Path:
    """Draw the result of `local_optimum` or `trade_off` as PNG or SVG.

    A trade-off is a point for each weight, by both metrics, and the line through the Pareto front; a local optimum is
    how a metric changes along each random direction, those that improve it in another colour, and their mean.

    Parameters
    ----------
    path : str or Path
        Where to write; a file that is there is replaced as a whole.
    result : LocalOptimum or TradeOff
        What to draw.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the name ends in neither .png nor .svg.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> steps, values = np.array([0.1, 0.2]), np.array([[0.8, 0.7], [0.9, 0.6]])
    >>> result = LocalOptimum("auc", 0.85, "2 weights", 20, steps, values, None)
    >>> with TemporaryDirectory() as folder:
    ...     write_picture(Path(folder, "rays.png"), result).name
    'rays.png'
    """
    draw = partial(_draw_front, result) if isinstance(result, TradeOff) else partial(_draw_rays, result)
    return save_picture(path, (5.4, 4.2), lambda figure: draw(figure.add_subplot()))


def _draw_front(result: TradeOff, axes: Axes) -> None:
    first, second = result.metrics
    trade_off(result, ax=axes)
    axes.set_title(f"trained on w·{first} + (1 − w)·{second}, by w", fontsize=10).set_parse_math(False)


def _draw_rays(result: LocalOptimum, axes: Axes) -> None:
    """The change of the metric along each direction, from no step on."""
    steps = np.concatenate(([result.steps[0] / 3.0], result.steps))  # logarithms have no 0
    for change, improves in list(zip(result.changes, result.improving, strict=True))[:MAX_RAYS]:
        colour = series_colour(1 if improves else 0)
        axes.plot(steps, np.concatenate(([0.0], change)), color=colour, linewidth=0.7, alpha=0.6)
    axes.plot(steps, np.append(0.0, result.changes.mean(axis=0)), color=INK, linewidth=2)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set(xscale="log", xlabel="step, as a share of the spread of scores", ylabel="change")
    title = f"{result.metric}: {result.improving.sum()} of {len(result.values)} directions improve it"
    axes.set_title(title, fontsize=10).set_parse_math(False)
