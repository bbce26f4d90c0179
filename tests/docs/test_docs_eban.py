"""What docs/papers/eban.md says was measured is what benchmarks/papers/eban_whole_nets.py wrote."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/papers/eban.md"
# Eban 2017 table 1: over softmax, and over pairwise AUC
PUBLISHED = {
    "aucpr": (9.6, 0.0),
    "p@r=0.7": (13.5, 0.2),
    "p@r=0.95": (24.1, 0.8),
    "r@p=0.7": (12.7, -0.2),
    "r@p=0.95": (36.6, 1.9),
}
METRICS = list(PUBLISHED)
CLASSES = "airplane automobile bird cat deer dog frog horse ship truck".split()


@pytest.fixture(scope="module")
def results() -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / "eban-whole-nets.json").read_text())


def rows_of(results: Any, **wanted: Any) -> list[Any]:
    return [row for row in results["rows"] if all(row[key] == value for key, value in wanted.items())]


def cell(gap: dict[str, Any]) -> str:
    return f"{gap['points']:+.1f}" + ("" if gap["half"] is None else f" ± {gap['half']:.1f}")


def test_gains_beside_the_published_ones(results: Any) -> None:
    """Each metric by the loss that is trained for it, at the settings chosen on validation images."""
    rows = []
    for metric, (published, _) in PUBLISHED.items():
        for net in results["settings"]:
            (row,) = rows_of(results, net=net, loss=f"{metric}, chosen", metric=metric, trained=True) or [None]
            if row is not None:
                gaps = [cell(row[f"over softmax by {scores}"]) for scores in ("logits", "odds")]
                rows.append([metric, net, str(row["seeds"]), f"{row['mean']:.1f}", *gaps, f"{published:+.1f}"])
    header = [
        "metric",
        "net",
        "seeds",
        "ours",
        "over softmax by logits",
        "over softmax by odds",
        "published, over softmax",
    ]
    check_table(DOCUMENT, "gains", markdown(header, rows))


@pytest.mark.parametrize("net", ["small", "wide", "residual"])
def test_means_on_the_test_images(results: Any, net: str) -> None:
    rows = []
    for name in results["settings"][net]:
        for scores in ("odds", "logits"):
            some = {row["metric"]: row for row in rows_of(results, net=net, loss=name, scores=scores)}
            if some and (some["aucpr"]["trained"] or name == "softmax"):
                cells = [f"{some[m]['mean']:.1f} ({cell(some[m]['over softmax by odds'])})" for m in METRICS]
                rows.append([name, scores, str(some["aucpr"]["seeds"]), *cells, f"{some['aucpr']['accuracy']:.1f}"])
    check_table(DOCUMENT, f"means {net}", markdown(["trained by", "scores", "seeds", *METRICS, "accuracy"], rows))


def test_the_sweep(results: Any) -> None:
    rows = []
    for row in results["sweep"]:
        tried = ", ".join(f"{one['value']}: {one['points']:.1f}" for one in row["tried"])
        rows.append([row["loss"], row["metric"], row["factor"], tried, str(row["chosen"])])
    check_table(DOCUMENT, "sweep", markdown(["trained by", "judged by", "factor", "points", "chosen"], rows))


def runs_of(results: Any, name: str) -> list[Any]:
    setting = results["settings"]["small"][name]
    return [one for one in results["runs"] if one["setting"] == setting and one["seed"] > 0]


def test_areas_of_classes(results: Any) -> None:
    rows = []
    for name, scores in (
        ("softmax", "odds"),
        ("softmax", "logits"),
        ("aucpr, default", "logits"),
        ("aucpr, hinge", "logits"),
    ):
        areas = np.mean([one["aucpr of classes"][scores] for one in runs_of(results, name)], axis=0)
        rows.append([f"{name}, by {scores}", *(f"{area:.0f}" for area in areas)])
    check_table(DOCUMENT, "classes", markdown(["AUCPR of each class", *CLASSES], rows))


def test_convergence(results: Any) -> None:
    rows = []
    for name in ("softmax", "sigmoid", "aucpr, default", "aucpr, hinge"):
        areas = 100 * np.mean([one["aucpr by epoch"] for one in runs_of(results, name)], axis=0)
        rows.append([name, *(f"{area:.1f}" for area in areas)])
    epochs = range(1, results["data"]["epochs"] + 1)
    check_table(DOCUMENT, "convergence", markdown(["AUCPR after epoch", *map(str, epochs)], rows))


def test_size_of_the_run(results: Any) -> None:
    data = results["data"]
    row = [f"{data['runs']}", f"{data['CPU seconds'] / 60:.0f}", f"{data['images']:,}", str(data["epochs"])]
    check_table(DOCUMENT, "size", markdown(["nets trained", "CPU minutes", "training images", "epochs"], [row]))
