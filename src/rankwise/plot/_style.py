"""Colours and settings that pictures share, on a page and on paper."""

from __future__ import annotations

from threading import Lock

# The colour-blind-safe palette of Okabe and Ito without its yellow. They stand for the colours of page.css,
# which differ in light and dark. Dashes tell systems apart where colours cannot, as in print.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ((), (5, 2), (1.5, 1.5), (5, 1.5, 1.5, 1.5), (8, 2))
INK, RULE = "#1a1b1c", "#cacbcc"

STYLE = {
    "svg.fonttype": "none",
    "font.size": 10.5,
    "text.color": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": RULE,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "path.simplify": False,
}

# matplotlib keeps its settings in one place for all threads.
SETTINGS_LOCK = Lock()


def series_colour(index: int) -> str:
    """The colour of the system of this number."""
    return SERIES[index % len(SERIES)]


def series_dashes(index: int) -> tuple[int, tuple[float, ...]] | str:
    """The line style of the system of this number."""
    pattern = DASHES[index % len(DASHES)]
    return (0, pattern) if pattern else "-"
