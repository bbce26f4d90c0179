"""The picture of growth.py: what a row costs by the number of rows, a panel per family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from growth_models import FAMILIES
from it_pays_picture import INK, PAPER
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

COLUMNS = 4
LIMITS = (7e3, 1.4e7)
TICKS = [digit * 10.0**power for power in range(-3, 5) for digit in (1, 2, 5)]


def write_picture(path: Path, cells: list[dict[str, Any]], *, dark: bool = False) -> None:
    """Ours are full lines, peers dashed ones."""
    ink, paper = INK[dark], PAPER[dark]
    settings = {f"{part}.color": ink for part in ("text", "xtick", "ytick")} | {"axes.labelcolor": ink}
    settings |= {"axes.edgecolor": ink, "axes.facecolor": paper, "figure.facecolor": paper, "font.size": 9}
    with plt.rc_context(settings):
        lines = -(-len(FAMILIES) // COLUMNS)
        figure, panels = plt.subplots(lines, COLUMNS, figsize=(17, 5.2 * lines), layout="constrained")
        for panel in panels.flat[len(FAMILIES) :]:
            panel.axis("off")
        for panel, (family, tasks) in zip(panels.flat, FAMILIES.items(), strict=False):
            for name, task in tasks.items():
                mine = sorted(
                    (cell["rows"], 1e6 * cell["fit_seconds"] / cell["rows"])
                    for cell in cells
                    if cell["name"] == name and "fit_seconds" in cell
                )
                if mine:
                    panel.loglog(*zip(*mine, strict=True), "--s" if task.peer is None else "-o", label=name)
            panel.set(title=family.capitalize(), xlabel="rows", ylabel="CPU µs per row", xlim=LIMITS, xscale="log")
            panel.yaxis.set_major_locator(FixedLocator(TICKS))
            panel.yaxis.set_minor_locator(NullLocator())
            panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: np.format_float_positional(value, trim="-")))
            panel.grid(alpha=0.3)
            if panel.lines:
                place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
                panel.legend(fontsize=8, frameon=False, labelcolor=ink, **place)
        figure.savefig(path, dpi=90)
        plt.close(figure)
    print(f"written to {path}")
