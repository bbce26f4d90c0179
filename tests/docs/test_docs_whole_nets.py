"""What docs/whole-nets.md says was measured is what benchmarks/papers/eban_whole_nets.py wrote."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/whole-nets.md"
PUBLISHED = {"aucpr": 9.6, "p@r=0.7": 13.5, "p@r=0.95": 24.1, "r@p=0.7": 12.7, "r@p=0.95": 36.6}  # Eban 2017 table 1
METRICS = list(PUBLISHED)
CLASSES = "airplane automobile bird cat deer dog frog horse ship truck".split()


@pytest.fixture(scope="module")
def found() -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / "eban-whole-nets.json").read_text())


def described(setting: dict[str, Any]) -> str:
    """A rate loss with its setting; `RateLoss`'s own names for what differs from its defaults."""
    if setting["loss"] not in METRICS:
        return str(setting["loss"])
    epochs = setting["softmax_epochs"]
    words = [f"`{setting['loss']}`", setting["surrogate"], f"softmax for {epochs} epochs" if epochs else "from scratch"]
    usual = {"softmax_weight": 0.0, "rate": 2e-3, "multiplier_rate": 10.0, "batch": 64, "anchors": 10}
    return ", ".join(words + [f"{key} {setting[key]:g}" for key, value in usual.items() if setting[key] != value])


def test_runs_on_the_validation_images(found: Any) -> None:
    rows = []
    for one in (one for one in found["runs"] if one["seed"] == 0):
        trained = one["setting"]["scores"]
        both = one["setting"]["loss"] in ("softmax", "sigmoid")
        for scores in ("odds", "logits") if both else (trained,):
            values = [f"{one[scores][metric]:.1f}" for metric in METRICS]
            rows.append([described(one["setting"]), scores, *values, f"{100 * one['accuracy']:.1f}"])
    check_table(DOCUMENT, "runs", markdown(["trained by", "scores", *METRICS, "accuracy"], rows))


def test_areas_of_classes(found: Any) -> None:
    rows = [
        [described(one["setting"]), *(f"{area:.0f}" for area in one["aucpr of classes"])]
        for one in found["runs"]
        if one["seed"] == 0 and one["setting"]["loss"] in ("softmax", "aucpr")
    ]
    check_table(DOCUMENT, "classes", markdown(["AUCPR of each class", *CLASSES], rows))


def told(gaps: list[float]) -> str:
    error = f" ± {np.std(gaps, ddof=1) / np.sqrt(len(gaps)):.1f}" if len(gaps) > 1 else ""
    return f"{np.mean(gaps):+.1f}{error}"


def test_gains_beside_the_published_ones(found: Any) -> None:
    """Of the setting that was chosen for the area: seed 0 on validation images, and as many others as were run."""

    def of(loss: str) -> dict[int, Any]:
        return {one["seed"]: one for one in found["runs"] if one["setting"] == found["settings"][loss]}

    ours, softmax, scores = of("aucpr"), of("softmax"), found["settings"]["aucpr"]["scores"]
    seeds = sorted(ours.keys() & softmax.keys())
    parts = {"validation images, seed 0": seeds[:1], f"test images, {len(seeds) - 1} seeds": seeds[1:]}
    rows = []
    for part, those in ((part, those) for part, those in parts.items() if those):
        for name, mine, base in (
            ("`AUCPRLoss` over softmax", (ours, scores), "odds"),
            ("`AUCPRLoss` over softmax by logits", (ours, scores), "logits"),
            ("softmax by logits over softmax", (softmax, "logits"), "odds"),
        ):
            gaps = [[mine[0][k][mine[1]][m] - softmax[k][base][m] for k in those] for m in METRICS]
            rows.append([f"{name}: {part}", *map(told, gaps)])
    rows.append(["published, over softmax", *(f"{points:+.1f}" for points in PUBLISHED.values())])
    check_table(DOCUMENT, "gains", markdown(["points", *METRICS], rows))
