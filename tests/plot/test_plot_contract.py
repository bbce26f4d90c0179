"""Every picture: axes back, pyplot untouched, texts inside the figure and never upon each other, light and dark."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import rankwise as rw
from tests.plot.pictures import PICTURES

FUNCTIONS = rw.plot.__all__


def test_every_function_has_a_picture() -> None:
    assert {name.split()[0] for name in PICTURES} == set(FUNCTIONS)


def shown_texts(figure: Any) -> list[Any]:
    figure.draw_without_rendering()
    inside = figure.findobj(lambda thing: isinstance(thing, Text) and thing.get_visible() and bool(thing.get_text()))
    hidden = [
        tick.label1
        for axes in figure.findobj(Axes)
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    ]
    return [text for text in inside if text not in hidden]


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("paper", ["default", "dark_background"])
def test_texts_are_inside_and_apart(name, paper) -> None:
    with style.context(paper):
        ax = PICTURES[name](None)
        assert isinstance(ax, Axes)
        figure: Any = ax.get_figure(root=True)
        paper_box = figure.bbox.padded(1)
        boxes = [(text.get_text(), text.get_window_extent()) for text in shown_texts(figure)]
    assert len(boxes) > 5
    for text, box in boxes:
        assert paper_box.containsx(box.x0), text
        assert paper_box.containsx(box.x1), text
        assert paper_box.containsy(box.y0), text
        assert paper_box.containsy(box.y1), text
    for (one, first), (other, second) in combinations(boxes, 2):
        assert not first.padded(-0.5).overlaps(second.padded(-0.5)), (one, other)


@pytest.mark.parametrize("name", ["importances", "trade_off", "gain"])
def test_given_axes_are_drawn_on_and_returned(name) -> None:
    ax = Figure(layout="constrained").add_subplot()
    assert PICTURES[name](ax) is ax
    assert ax.has_data()


def test_pyplot_is_left_alone_and_settings_as_they_were() -> None:
    plt.get_backend()  # which pyplot settles when first asked
    settings, figures = mpl.rcParams.copy(), plt.get_fignums()
    PICTURES["roc_curves"](None)
    PICTURES["trade_off"](None)
    assert plt.get_fignums() == figures
    assert mpl.rcParams == settings


def test_a_notebook_shows_the_figure_without_a_magic() -> None:
    formatters = pytest.importorskip("IPython.core.formatters")
    figure = PICTURES["gain"](None).get_figure(root=True)
    shown = formatters.PNGFormatter()
    assert shown(figure).startswith(b"\x89PNG")
    shown.for_type(Figure, lambda _: b"inline")  # as %matplotlib inline has it, which then goes first
    assert shown(figure) == b"inline"
