"""Figures as SVG that lies inside the page: its text stays text and its colours are those of the page.

matplotlib is imported here only, and this file only when a page is written. Nothing a user named (systems,
queries) enters a figure: the page's own key and captions say it, escaped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rankwise.plot._points import MAX_POINTS, Curve
from rankwise.plot._style import DASHES, INK, RULE, SERIES, SETTINGS_LOCK, STYLE, series_colour, series_dashes
from rankwise.plot._words import Mark, draw_marks
from rankwise.reports._markup import Markup, element
from rankwise.types import FloatArray

VARIABLES = {INK: "currentColor", RULE: "var(--rule)"} | {
    colour: f"var(--series-{index})" for index, colour in enumerate(SERIES)
}


def cutoff_figure(
    name: str, label: str, means: Sequence[FloatArray], intervals: Sequence[tuple[FloatArray, FloatArray]]
) -> Markup:
    """Mean NDCG at cut-offs 1, 2, … with intervals, one line per system, as Burges 2006 draws it."""

    def draw(axes: Axes) -> None:
        for index, (mean, (low, high)) in enumerate(zip(means, intervals, strict=True)):
            # Beside each other, so that intervals do not hide one another.
            cutoffs = np.arange(1, mean.size + 1) + 0.12 * (index - (len(means) - 1) / 2)
            axes.errorbar(
                cutoffs, mean, yerr=(mean - low, high - mean), capsize=2, elinewidth=1, marker="o",
                markersize=3, color=series_colour(index), linestyle=series_dashes(index),
            )  # fmt: skip
        axes.set(xlabel="cut-off k", ylabel="NDCG@k", xticks=np.arange(1, means[0].size + 1))

    return drawn(name, label, draw)


def curve_figure(
    name: str,
    label: str,
    curves: Sequence[Curve | None],
    x_label: str,
    y_label: str,
    marks: Sequence[Mark] = (),
    *,
    chance: Sequence[float] | None = None,
) -> Markup:
    """Curves in the unit square, one per system; `chance` are the heights of a random order at both ends."""

    def draw(axes: Axes) -> None:
        if chance is not None:
            axes.plot([0, 1], chance, color=RULE, linewidth=1)
        for index, curve in enumerate(curves):
            if curve is not None:
                axes.plot(curve.x, curve.y, color=series_colour(index), linestyle=series_dashes(index))
        axes.set(xlabel=x_label, ylabel=y_label, xlim=(-0.01, 1.01), ylim=(0, 1.02))
        draw_marks(axes, marks)

    return drawn(name, label, draw)


def difference_figure(name: str, label: str, differences: FloatArray) -> Markup:
    """Difference of two systems on each query, sorted: the area above the line is what the first one wins."""
    descending = np.sort(differences)[::-1]
    if descending.size > MAX_POINTS:
        descending = descending[np.linspace(0, descending.size - 1, MAX_POINTS).round().astype(int)]

    def draw(axes: Axes) -> None:
        edges = np.linspace(0, differences.size, descending.size + 1)
        axes.stairs(np.maximum(descending, 0), edges, fill=True, color=series_colour(0))
        axes.stairs(np.minimum(descending, 0), edges, fill=True, color=series_colour(1))
        axes.axhline(0, color=INK, linewidth=0.6)
        axes.set(xlabel="queries, from best to worst", ylabel="difference", xlim=(0, differences.size))

    return drawn(name, label, draw)


def system_key(systems: Sequence[str]) -> Markup:
    """Which line stands for which system, if there are several."""
    if len(systems) < 2:
        return Markup("")
    return element("ul", *(element("li", swatch(i), name) for i, name in enumerate(systems)), class_="key")


def swatch(index: int) -> Markup:
    """A piece of the line that stands for a system."""
    pattern = " ".join(f"{1.6 * length:g}" for length in DASHES[index % len(DASHES)])
    line = element(
        "line", x1=1, y1=5, x2=33, y2=5, stroke=f"var(--series-{index % len(SERIES)})", stroke_width=2.5,
        stroke_dasharray=pattern or "none",
    )  # fmt: skip
    return element("svg", line, viewBox="0 0 34 10", class_="swatch", aria_hidden="true")


def drawn(name: str, label: str, draw: Callable[[Axes], object], size: tuple[float, float] = (5, 3.4)) -> Markup:
    """What `draw` puts on axes, as part of a page; `name` tells its ids from those of other figures."""
    with SETTINGS_LOCK, matplotlib.style.context(["default", STYLE | {"svg.hashsalt": name}]):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return _inline(text.getvalue(), name, label)


def _inline(svg: str, name: str, label: str) -> Markup:
    """An SVG file as part of a page: no header, no style (it is in page.css), ids and colours that fit in."""
    svg = re.sub(
        r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->",
        "",
        svg[svg.index("<svg") :],
        flags=re.DOTALL,
    )
    svg = re.sub(r'(\bid="|"#|url\(#)', rf"\g<1>{name}-", svg).replace("xlink:href", "href")
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    view_box = re.search(r'viewBox="[^"]*"', svg)
    assert view_box is not None
    body = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    opening = element("svg", role="img", aria_label=label).removesuffix("></svg>")
    return Markup(f"{opening} {view_box.group()}>{body}</svg>")
