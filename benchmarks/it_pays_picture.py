"""The picture of it_pays.py: a matrix of differences per data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle

PAPER, INK, FAINT = ("#ffffff", "#0d1117"), ("#1a1b1c", "#f0f0f0"), ("#85898d", "#8d949b")
BELOW, ABOVE = ("#5b9bd5", "#1d5a96"), ("#f2a65a", "#a85a10")
"""Light and dark."""
MOST = 4.0
"""Percent at which colours are full."""
COLUMNS = 3


def write_picture(path: Path, found: list[dict[str, Any]], *, dark: bool = False) -> None:
    """Cells are differences to ours trained on the judged metric, in percent of its value."""
    ink, paper = INK[dark], PAPER[dark]
    colours = LinearSegmentedColormap.from_list("difference", [BELOW[dark], paper, ABOVE[dark]])
    settings = {"text.color": ink, "xtick.color": ink, "ytick.color": ink, "font.size": 8, "figure.facecolor": paper}
    with plt.rc_context(settings):
        height = max(max(len(result["models"]) for result in found) * 0.24 + 1.4, 4.0)
        lines = -(-(len(found) + 1) // COLUMNS)
        figure, panels = plt.subplots(lines, COLUMNS, figsize=(16.5, lines * height), layout="constrained")
        for panel in panels.flat[len(found) :]:
            panel.axis("off")
        for panel, result in zip(panels.flat, found, strict=False):
            draw(panel, result, colours, dark)
        key(panels.flat[len(found)], colours, ink)
        figure.savefig(path, dpi=100)
        plt.close(figure)
    print(f"written to {path}")


def draw(axes: Axes, result: dict[str, Any], colours: Colormap, dark: bool) -> None:
    metrics, models = result["metrics"], result["models"]
    percent = np.zeros((len(models), len(metrics)))
    for j, metric in enumerate(metrics):
        own = next(row for row in models if row["kind"] == "ours" and row["trained_on"] == metric)
        for i, row in enumerate(models):
            judged = row["judged"][metric]
            percent[i, j] = 100 * judged.get("difference", 0.0) / own["judged"][metric]["mean"]
            if row is own:
                axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor=INK[dark], linewidth=1.2))
                mean = f"{judged['mean']:.3f}".removeprefix("0")
                axes.text(j, i, mean, ha="center", va="center", fontsize=6.5, fontweight="bold")
                continue
            significant = judged["p_holm"] < 0.05
            text = f"{percent[i, j]:+.1f}" if abs(percent[i, j]) >= 0.05 else "0"
            colour = INK[dark] if significant else FAINT[dark]
            axes.text(j, i, text, ha="center", va="center", fontsize=6.5, color=colour)
    axes.imshow(percent, cmap=colours, norm=Normalize(-MOST, MOST), aspect="auto")
    axes.set_xticks(range(len(metrics)), metrics, rotation=45, ha="left")
    axes.set_yticks(range(len(models)), [row["model"] for row in models])
    axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, length=0)
    for number in range(1, len(models)):
        if models[number]["kind"] != models[number - 1]["kind"]:
            axes.axhline(number - 0.5, color=INK[dark], linewidth=0.8)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"{result['data']}: {result['test_queries']:,} test queries", fontsize=10, fontweight="bold")


def key(axes: Axes, colours: Colormap, ink: str) -> None:
    told = (
        "Rows: trained on. Columns: judged by.\n\n"
        "Framed: the value of ours, trained on the\n"
        "judged metric. The other cells: by how many\n"
        "percent of it a model is above or below;\n"
        "grey figures: p > .05 (Fisher's randomization,\n"
        "Holm's correction).\n\n"
        "Blue: training on the metric paid.\n"
        "Orange: another model is better."
    )
    axes.text(0.1, 0.95, told, ha="left", va="top", fontsize=10, linespacing=1.5, transform=axes.transAxes)
    bar = plt.colorbar(
        ScalarMappable(Normalize(-MOST, MOST), colours), ax=axes, orientation="horizontal", fraction=0.05, shrink=0.7
    )
    bar.set_label("difference in percent", color=ink)
    bar.outline.set_visible(False)  # type: ignore[operator]
