"""What `eban_whole_nets.py` writes of its runs: summaries, paired differences to softmax, a table and a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from harness import RESULTS
from papers.eban_whole_nets_training import BCE, METRICS, RECALLS, SOFTMAX, Setting
from rich.console import Console
from rich.table import Table
from scipy.stats import t as student

KINDS = ("odds", "logits")
Get = Callable[[Setting, int], dict[str, Any] | None]


def value(one: dict[str, Any], metric: str, scores: str | None = None) -> float:
    """Mean over classes, by the scores that were trained if none are named."""
    return float(np.mean(one[scores or one["setting"]["scores"]][metric]))


def summary(one: dict[str, Any]) -> dict[str, Any]:
    """A run in short: means over classes by either kind of scores, pooled classes, and the area of each class."""
    short = {key: one[key] for key in ("setting", "seed", "seconds", "accuracy", "aucpr by epoch")}
    short |= {scores: {metric: 100 * value(one, metric, scores) for metric in METRICS} for scores in KINDS}
    short |= {f"pooled {scores}": {m: 100 * one[f"pooled {scores}"][m] for m in METRICS} for scores in KINDS}
    return short | {"aucpr of classes": {scores: [100 * area for area in one[scores]["aucpr"]] for scores in KINDS}}


def compare(get: Get, net: str, settings: dict[str, Setting], seeds: Iterable[int]) -> list[dict[str, Any]]:
    """Values on the test images, and paired differences to softmax by odds and by logits: over seeds, with intervals.

    The softmax of each has its batches, so as many steps.
    """
    rows = []
    for name, setting in settings.items():
        softmax = replace(settings[SOFTMAX], batch=setting.batch)
        pairs = [(get(setting, seed), get(softmax, seed)) for seed in seeds]
        known = [(one, base) for one, base in pairs if one is not None and base is not None]
        for scores in KINDS if known else ():
            for metric in METRICS:
                values = 100 * np.array([value(one, metric, scores) for one, _ in known])
                row = {"net": net, "loss": name, "scores": scores, "metric": metric, "seeds": len(known)}
                row |= {"trained": scores == setting.scores, "mean": values.mean()}
                row |= {"accuracy": 100 * np.mean([one["accuracy"] for one, _ in known])}
                for base in KINDS:
                    gaps = values - 100 * np.array([value(other, metric, base) for _, other in known])
                    row[f"over softmax by {base}"] = {"points": gaps.mean(), "half": half_width(gaps)}
                rows.append(row)
    return rows


def half_width(gaps: Any) -> float | None:
    """Of the 95% interval of their mean, by Student's distribution."""
    if len(gaps) < 2:
        return None
    return float(student.ppf(0.975, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps)))


def show(rows: list[dict[str, Any]]) -> None:
    table = Table(title="CIFAR-10, means over classes of test images, and what they have over softmax, in points")
    for column in ("net", "trained by", "scores", *METRICS, "accuracy"):
        table.add_column(column)
    for key in dict.fromkeys((row["net"], row["loss"], row["scores"]) for row in rows):
        some = [row for row in rows if (row["net"], row["loss"], row["scores"]) == key]
        cells = []
        for row in some:
            gap = row["over softmax by odds"]
            cells.append(f"{row['mean']:.1f} ({gap['points']:+.2f}±{gap['half'] or 0.0:.2f})")
        table.add_row(*key, *cells, f"{some[0]['accuracy']:.1f}")
    Console(width=160).print(table)


def draw(get: Get, settings: dict[str, Setting], seeds: Iterable[int]) -> None:
    """Eban 2017 figure 2 (precision-recall over all classes, areas of classes) and how training converges."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    shown = {SOFTMAX: SOFTMAX, BCE: BCE, "aucpr, default": "AUCPRLoss", "aucpr, hinge": "AUCPRLoss, hinge"}
    runs = {name: [one for one in (get(settings[name], seed) for seed in seeds) if one is not None] for name in shown}
    figure, (curves, classes, epochs) = plt.subplots(1, 3, figsize=(13, 4))
    for number, (name, label) in enumerate((name, label) for name, label in shown.items() if runs[name]):
        scores = settings[name].scores
        curve = np.mean([one[f"pooled {scores}"]["curve"] for one in runs[name]], axis=0)
        curves.plot(RECALLS, curve, label=label)
        areas = np.mean([one[scores]["aucpr"] for one in runs[name]], axis=0)
        classes.bar(np.arange(areas.size) + 0.2 * number - 0.3, areas, width=0.2, label=label)
        by_epoch = np.array([one["aucpr by epoch"] for one in runs[name]])
        epochs.plot(np.arange(1, by_epoch.shape[1] + 1), by_epoch.mean(axis=0), label=label)
    if runs[SOFTMAX]:
        curve = np.mean([one["pooled logits"]["curve"] for one in runs[SOFTMAX]], axis=0)
        curves.plot(RECALLS, curve, "--", color="gray", label="softmax by logits")
    titles = ("All classes, test images", "AUCPR of each class, test images", "AUCPR by epoch, validation images")
    for axes, title, x in zip((curves, classes, epochs), titles, ("recall", "class", "epoch"), strict=True):
        axes.set_title(title)
        axes.set_xlabel(x)
        axes.legend()
    curves.set_ylabel("precision")
    figure.tight_layout()
    figure.savefig(RESULTS / "eban-whole-nets.png", dpi=80)
    print(f"drawn in {RESULTS / 'eban-whole-nets.png'}")
