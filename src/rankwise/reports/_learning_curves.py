"""A picture of learning curves, as Donmez 2009's figure 3: a panel per metric, a curve per sampler."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rankwise.metrics import DCG, parse
from rankwise.plot._style import INK, series_colour, series_dashes
from rankwise.reports._pictures import save_picture
from rankwise.sampling import Simulation

MAX_BANDS = 4  # more lie upon each other and hide the curves; the intervals are in the table and in JSON


def write_learning_curves(path: str | PathLike[str], simulation: Simulation) -> Path:
    """Draw the mean curve of each sampler by rounds, its interval over runs as a band, and what all labels give."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(simulation.metrics), squeeze=False)[0]
        for axes, metric in zip(panels, simulation.metrics, strict=True):
            _draw(axes, simulation, metric)
        _key(figure, panels[0].get_lines(), [*simulation.samplers, "all labels"])

    return save_picture(path, (4.2 * len(simulation.metrics), 4.0), draw)


def _draw(axes: Axes, simulation: Simulation, metric: str) -> None:
    rounds = np.arange(simulation.rounds + 1)
    for index, name in enumerate(simulation.samplers):
        low, high = simulation.interval(name, metric)
        colour = series_colour(index)
        axes.plot(rounds, simulation.mean(name, metric), color=colour, linestyle=series_dashes(index))
        if len(simulation.samplers) <= MAX_BANDS:
            axes.fill_between(
                rounds, *np.clip((low, high), *value_range(metric)), color=colour, alpha=0.15, linewidth=0
            )
    axes.axhline(simulation.full[metric], color=INK, linewidth=1, linestyle=(0, (2, 2)))
    axes.set(title=metric, xlabel="rounds", xlim=(0, simulation.rounds))
    ticks = [
        int(t) for t in MaxNLocator(5, integer=True).tick_values(0, simulation.rounds) if 0 <= t <= simulation.rounds
    ]
    axes.set_xticks(ticks)
    labels = np.mean([counts.mean(axis=0) for counts in simulation.labelled.values()], axis=0) / simulation.queries
    above = axes.secondary_xaxis("top")
    above.set_xticks(ticks, [f"{labels[t]:.3g}" for t in ticks])
    above.set_xlabel("labels per query")


def value_range(metric: str) -> tuple[float, float]:
    """What a metric can be: an interval by Student's t knows nothing of it, and no AUC is above 1.

    >>> value_range("auc"), value_range("dcg@5"), value_range("0.5*auc + 2*map")
    ((0.0, 1.0), (-inf, inf), (0.0, 2.5))
    """
    terms = parse(metric).terms()
    if any(type(part) is DCG or not type(part).__module__.startswith("rankwise.") for _, part in terms):
        return -math.inf, math.inf  # a metric of one's own may be anything
    return sum(min(weight, 0.0) for weight, _ in terms), sum(max(weight, 0.0) for weight, _ in terms)


def _key(figure: Figure, lines: Sequence[Line2D], names: Sequence[str]) -> None:
    """The key below the panels; names are shown as they are, with no $ or _ taken for matplotlib's own."""
    key = figure.legend(
        lines, [str(k) for k in range(len(names))], loc="outside lower center", ncols=min(6, len(names))
    )
    key.set_frame_on(False)
    for text, name in zip(key.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
