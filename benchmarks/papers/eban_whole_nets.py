"""Eban 2017 table 1 with whole nets: trained for each metric on CIFAR-10, beside softmax, in as many epochs.

    python benchmarks/papers/eban_whole_nets.py [--factors 8] [--seeds 3] [--report]

Each loss is tried as printed; then it begins with START and is improved one factor at a time, in the order of FACTORS:
of its values the one is kept that is best on the loss's metric on the validation images, by the net of seed 0. Then the
chosen settings are trained from other seeds and judged on the test images, with paired differences to the softmax of
the same seed, images and order.

Each finished run is a line of ~/.cache/rankwise/eban-whole-nets.jsonl, and is not made again: a run that was stopped
goes on where it was. `--report` trains nothing and writes the results of what is there.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = "1"

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from scipy.stats import ttest_1samp

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import machine, write
from papers.eban_cifar import METRICS
from papers.eban_data import CACHE, cifar10
from papers.eban_whole_nets_training import BCE, EPOCHS, IMAGES, PAIRS, SOFTMAX, VALID_IMAGES, Setting, run

PRINTED = {"surrogate": "hinge", "scores": "logits", "softmax_epochs": 0}
START = {"surrogate": "log2", "scores": "odds", "softmax_epochs": 6}
FACTORS: dict[str, tuple[Any, ...]] = {
    "softmax_epochs": (6, 0, 9),
    "surrogate": ("log2", "hinge", "sigmoid[1]"),
    "scores": ("odds", "logits"),
    "softmax_weight": (0.0, 1.0),
    "rate": (2e-3, 7e-4, 6e-3),
    "multiplier_rate": (10.0, 1.0, 100.0),
    "batch": (64, 32, 256),
    "anchors": (10, 5, 20),
}
AREA_FACTORS = ("batch", "anchors")  # tried for the area alone: points have no anchors, and small batches cost most
BASELINES = {SOFTMAX: Setting(SOFTMAX, scores="odds"), BCE: Setting(BCE), PAIRS: Setting(PAIRS)}
CACHED = CACHE / "eban-whole-nets.jsonl"


class Runs:
    """Runs by setting and seed, each made once."""

    def __init__(self, may_train: bool) -> None:
        self.may_train, self.data = may_train, ()
        self.found: dict[tuple[Setting, int], dict[str, Any]] = {}
        for line in CACHED.read_text().splitlines() if CACHED.exists() else []:
            one = json.loads(line)
            self.found[Setting(**one["setting"]), one["seed"]] = one

    def get(self, setting: Setting, seed: int) -> dict[str, Any] | None:
        """The run, or None if it is missing and nothing may be trained."""
        if (setting, seed) not in self.found and self.may_train:
            if not self.data:
                self.data = cifar10("train"), cifar10("test")
            one = {"setting": asdict(setting), "seed": seed, **run(setting, seed, *self.data, CACHE)}
            with CACHED.open("a") as file:
                file.write(json.dumps(one) + "\n")
            self.found[setting, seed] = one
            means = ", ".join(f"{m} {value(one, m):.4f}" for m in METRICS)
            print(f"{setting} seed {seed}: {means}, {one['seconds']:.0f} s", flush=True)
        return self.found.get((setting, seed))


def value(one: dict[str, Any], metric: str, scores: str | None = None) -> float:
    """Mean over classes, by the scores that were trained if none are named."""
    return float(np.mean(one[scores or one["setting"]["scores"]][metric]))


def summary(one: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a run: means over classes by either kind of scores, and the area of each class by its own."""
    kept = {key: one[key] for key in ("setting", "seed", "seconds", "accuracy")}
    kept |= {scores: {metric: 100 * value(one, metric, scores) for metric in METRICS} for scores in ("odds", "logits")}
    return kept | {"aucpr of classes": [100 * area for area in one[one["setting"]["scores"]]["aucpr"]]}


def applies(factor: str, loss: str) -> bool:
    if loss in METRICS:
        return loss == "aucpr" or factor not in AREA_FACTORS
    return loss == SOFTMAX and factor == "rate"  # which all are compared with


def choose(runs: Runs, settings: dict[str, Setting], factor: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Try the values for each loss, and put the best one on the validation images into its setting."""
    rows = []
    for loss in (name for name in settings if applies(factor, name)):
        metric = loss if loss in METRICS else "aucpr"
        tried = {v: runs.get(replace(settings[loss], **{factor: v}), 0) for v in values}
        valid = {v: value(one, metric) for v, one in tried.items() if one is not None}
        if valid:
            best = max(valid, key=lambda v: valid[v])
            settings[loss] = replace(settings[loss], **{factor: best})
            points = [{"value": v, "points": 100 * found} for v, found in valid.items()]
            rows.append({"loss": loss, "metric": metric, "factor": factor, "tried": points, "chosen": best})
    return rows


def compare(runs: Runs, settings: dict[str, Setting], seeds: range) -> list[dict[str, Any]]:
    """Values on the test images, and paired differences to softmax: over seeds, each a mean over classes."""
    rows = []
    for name, setting in settings.items():
        pairs = [(runs.get(setting, seed), runs.get(settings[SOFTMAX], seed)) for seed in seeds]
        known = [(mine, base) for mine, base in pairs if mine is not None and base is not None]
        for scores in ("odds", "logits"):
            for metric in METRICS if known else ():
                mine = np.array([one[scores][metric] for one, _ in known])  # seeds, classes
                gaps = 100 * (mine - [base["odds"][metric] for _, base in known])
                row = {
                    "loss": name,
                    "scores": scores,
                    "metric": metric,
                    "trained": scores == setting.scores,
                    "seeds": len(known),
                }
                row |= {"mean": 100 * mine.mean(), "points": gaps.mean(), "gaps": gaps.mean(axis=1).tolist()}
                row |= {"classes better": int((gaps.mean(axis=0) > 0).sum()), "error": None, "p": None}
                if len(known) > 1 and gaps.any():
                    row["error"] = gaps.mean(axis=1).std(ddof=1) / np.sqrt(len(known))
                    row["p"] = ttest_1samp(gaps.mean(axis=1), 0).pvalue
                rows.append(row | {"accuracy": 100 * np.mean([one["accuracy"] for one, _ in known])})
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    table = Table(title="CIFAR-10, means over classes of test images, and what they have over softmax, in points")
    for column in ("trained by", "scores", *METRICS, "accuracy"):
        table.add_column(column)
    for name, scores in dict.fromkeys((row["loss"], row["scores"]) for row in rows):
        mine = [row for row in rows if (row["loss"], row["scores"]) == (name, scores)]
        told = (f"{row['mean']:.2f} ({row['points']:+.2f}±{row['error'] or 0.0:.2f})" for row in mine)
        table.add_row(name, scores, *told, f"{mine[0]['accuracy']:.2f}")
    Console(width=160).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--factors", type=int, default=len(FACTORS), help="how many of the factors to try")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--report", action="store_true", help="train nothing, write what is there")
    options = parser.parse_args()
    torch.set_num_threads(1)
    runs = Runs(not options.report)
    settings = BASELINES | {metric: Setting(metric, **START) for metric in METRICS}
    for setting in (*BASELINES.values(), *(Setting(metric, **PRINTED) for metric in METRICS)):
        runs.get(setting, 0)
    sweep = [
        row
        for factor, values in list(FACTORS.items())[: options.factors]
        for row in choose(runs, settings, factor, values)
    ]
    seeds = range(1, 1 + options.seeds)
    for seed in seeds:
        for setting in settings.values():
            runs.get(setting, seed)
    rows = compare(runs, settings, seeds)
    show(rows)
    data = {"images": IMAGES, "valid images": VALID_IMAGES, "epochs": EPOCHS, "seeds": options.seeds}
    data |= {"runs": len(runs.found), "CPU seconds": sum(one["seconds"] for one in runs.found.values())}
    found = {
        "runs": [summary(one) for one in runs.found.values()],
        "sweep": sweep,
        "settings": {name: asdict(one) for name, one in settings.items()},
        "rows": rows,
    }
    write("eban-whole-nets", {**found, "data": data, "machine": machine("torch")})


if __name__ == "__main__":
    main()
