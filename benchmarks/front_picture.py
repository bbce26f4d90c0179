"""README's picture: NDCG@10 against the CPU seconds of a fit, from results/it_pays.json.

python benchmarks/front_picture.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

sys.path.insert(0, str(Path(__file__).parent))
from harness import RESULTS
from it_pays_picture import FAINT, INK, PAPER

METRIC = "ndcg@10"
PANELS = {"MQ2008": "MQ2008, real search", "digits": "digits, search for images", "web": "web, 160,000 made rows"}
STYLES = {
    "rankwise, trees": ("*", 190, ("#c8283c", "#ff6b7a")),
    "rankwise, linear": ("*", 110, ("#e08a1e", "#ffb454")),
    "LightGBM": ("o", 42, ("#3a7d44", "#7bc47f")),
    "XGBoost": ("s", 38, ("#2e6fab", "#74b3ec")),
    "CatBoost": ("D", 42, ("#7a4fa3", "#c09be6")),
}
"""Marker, size, and colour in light and dark of each library."""
OURS = {"LambdaMART": "rankwise, trees", "RankSVM": "rankwise, linear"}


def points(result: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Library, CPU seconds and NDCG@10 of ours trained on NDCG@10, RankSVM, and every loss of the peers."""
    shown = [row for row in result["models"] if row["kind"] == "peer" or row["model"] == f"LambdaMART, {METRIC}"]
    names = [row["model"].replace(",", "").split()[0] for row in shown]
    return [
        (OURS.get(name, name), row["cpu_seconds"], row["judged"][METRIC]["mean"])
        for name, row in zip(names, shown, strict=True)
    ]


def draw(axes: Axes, result: dict[str, Any], dark: bool) -> None:
    for library, seconds, ndcg in points(result):
        marker, size, colours = STYLES[library]
        axes.scatter(seconds, ndcg, s=size, marker=marker, color=colours[dark], zorder=3, label=library)
    axes.set_xscale("log")
    axes.margins(0.12)
    axes.xaxis.set_major_locator(LogLocator(numticks=6))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
    axes.set_title(PANELS[result["data"]], fontsize=11, color=INK[dark])
    axes.set_xlabel("CPU seconds of a fit")
    axes.grid(color=FAINT[dark], alpha=0.25, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_facecolor(PAPER[dark])


def write_picture(path: Path, results: list[dict[str, Any]], *, dark: bool) -> None:
    """A panel per data set; the best models stand at the top, the cheapest on the left."""
    ink = INK[dark]
    settings = {"text.color": ink, "axes.labelcolor": ink, "axes.edgecolor": FAINT[dark], "font.size": 9}
    settings |= {"xtick.color": ink, "ytick.color": ink, "figure.facecolor": PAPER[dark]}
    with plt.rc_context(settings):
        figure, panels = plt.subplots(1, len(results), figsize=(10.5, 3.4), layout="constrained")
        for axes, result in zip(panels, results, strict=True):
            draw(axes, result, dark)
        panels[0].set_ylabel("NDCG@10 of test queries")
        legend = dict(zip(*reversed(panels[0].get_legend_handles_labels()), strict=True))  # the last of each library
        figure.legend(
            [legend[library] for library in STYLES],
            STYLES,
            loc="outside lower center",
            ncols=len(STYLES),
            frameon=False,
        )
        figure.savefig(path, dpi=150)
        plt.close(figure)
    print(f"written to {path}")


def main() -> None:
    rows = json.loads((RESULTS / "it_pays.json").read_text())["rows"]
    results = [next(row for row in rows if row["data"] == name) for name in PANELS]
    for dark in (False, True):
        write_picture(RESULTS / f"front{'-dark' * dark}.png", results, dark=dark)


if __name__ == "__main__":
    main()
