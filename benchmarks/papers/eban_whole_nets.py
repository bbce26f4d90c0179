"""Eban 2017 table 1 and figure 2 with whole nets: trained for each metric on CIFAR-10, beside softmax.

    python benchmarks/papers/eban_whole_nets.py [--seeds 5] [--report]

Each loss is tried at its default (and by the hinge as printed), then improved one factor at a time, in the order of
FACTORS: of its values the one is kept that is best on the loss's metric on the validation images, by the small net of
seed 0. Then the defaults, the hinge, warm starts and the chosen settings are trained from other seeds and judged on the
test images, with paired differences to the softmax of the same seed, images, order and batches; the other nets take the
settings of the small one.

Each finished run is a line of ~/.cache/rankwise/eban-whole-nets-16.jsonl, and is not made again: a run that was stopped
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

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import machine, write
from papers.eban_data import CACHE, cifar10
from papers.eban_whole_nets_models import NETS
from papers.eban_whole_nets_report import compare, draw, show, summary, value
from papers.eban_whole_nets_training import BCE, EPOCHS, IMAGES, METRICS, PAIRS, SOFTMAX, VALID_IMAGES, Setting, run

EARLY = 3  # seeds by which defaults are trained before anything is swept, so that a run that is stopped has them
FACTORS: dict[str, tuple[Any, ...]] = {
    "scores": ("logits", "odds"),
    "softmax_epochs": (0, 5),
    "surrogate": ("log2", "hinge", "sigmoid[1]"),
    "multiplier_rate": (10.0, 1.0, 100.0),
    "rate": (5e-3, 2e-3, 1.2e-2),
    "batch": (128, 64, 256),
    "anchors": (10, 5, 20),
}
AREA_FACTORS = ("batch", "anchors")  # tried for the area alone: points have no anchors
BASELINES = {SOFTMAX: Setting(SOFTMAX, scores="odds"), BCE: Setting(BCE), PAIRS: Setting(PAIRS)}
CACHED = CACHE / "eban-whole-nets-16.jsonl"


class Runs:
    """Runs by setting and seed, each made once."""

    def __init__(self, may_train: bool) -> None:
        self.may_train, self.data = may_train, ()
        self.made: dict[tuple[Setting, int], dict[str, Any]] = {}
        for line in CACHED.read_text().splitlines() if CACHED.exists() else []:
            one = json.loads(line)
            self.made[Setting(**one["setting"]), one["seed"]] = one

    def get(self, setting: Setting, seed: int) -> dict[str, Any] | None:
        """The run, or None if it is missing and nothing may be trained."""
        if (setting, seed) not in self.made and self.may_train:
            if not self.data:
                self.data = cifar10("train"), cifar10("test")
            one = {"setting": asdict(setting), "seed": seed, **run(setting, seed, *self.data, CACHE)}
            with CACHED.open("a") as file:
                file.write(json.dumps(one) + "\n")
            self.made[setting, seed] = one
            means = ", ".join(f"{m} {value(one, m):.4f}" for m in METRICS)
            print(f"{setting} seed {seed}: {means}, {one['seconds']:.0f} s", flush=True)
        return self.made.get((setting, seed))


def applies(factor: str, loss: str) -> bool:
    if loss in METRICS:
        return loss == "aucpr" or factor not in AREA_FACTORS
    return loss == SOFTMAX and factor in ("rate", "batch")  # which all are compared with


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
            points = [{"value": v, "points": 100 * area} for v, area in valid.items()]
            rows.append({"loss": loss, "metric": metric, "factor": factor, "tried": points, "chosen": best})
    return rows


def defaults() -> dict[str, Setting]:
    """The losses as they come, with the small net, and the area by the hinge."""
    rates = {f"{metric}, default": Setting(metric) for metric in METRICS}
    return BASELINES | rates | {"aucpr, hinge": Setting("aucpr", surrogate="hinge")}


def plan(chosen: dict[str, Setting]) -> dict[str, dict[str, Setting]]:
    """What is trained for the test images: all of it with the small net, the chosen settings with the others."""
    small = defaults() | {f"{m}, chosen": chosen[m] for m in METRICS}
    warm = {f"{m}, warm start": Setting(m, softmax_epochs=FACTORS["softmax_epochs"][1]) for m in METRICS}
    small |= {"softmax, chosen": chosen[SOFTMAX]} | warm
    few = [*BASELINES, "softmax, chosen", "aucpr, default", *(f"{m}, chosen" for m in METRICS)]
    others = {net: {name: replace(small[name], net=net) for name in few} for net in list(NETS)[1:]}
    return {next(iter(NETS)): small} | others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--report", action="store_true", help="train nothing, write what is there")
    options = parser.parse_args()
    torch.set_num_threads(1)
    runs = Runs(not options.report)
    chosen = BASELINES | {metric: Setting(metric) for metric in METRICS}
    for seed in range(EARLY):
        for setting in defaults().values():
            runs.get(setting, seed)
    sweep = [row for factor, values in FACTORS.items() for row in choose(runs, chosen, factor, values)]
    settings, seeds = plan(chosen), range(1, 1 + options.seeds)
    for seed in seeds:
        for setting in (one for by_name in settings.values() for one in by_name.values()):
            runs.get(setting, seed)
    rows = [row for net, by_name in settings.items() for row in compare(runs.get, net, by_name, seeds)]
    show(rows)
    data = {"images": IMAGES, "pixels": [16, 16], "valid images": VALID_IMAGES, "epochs": EPOCHS}
    data |= {"runs": len(runs.made), "CPU seconds": sum(one["seconds"] for one in runs.made.values())}
    report = {
        "runs": [summary(one) for one in runs.made.values()],
        "sweep": sweep,
        "settings": {net: {name: asdict(one) for name, one in by_name.items()} for net, by_name in settings.items()},
        "rows": rows,
    }
    write("eban-whole-nets", {**report, "data": data, "machine": machine("torch")})
    draw(runs.get, next(iter(settings.values())), seeds)


if __name__ == "__main__":
    main()
