"""What README and docs/it-pays.md say was measured is what benchmarks/it_pays.py wrote."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from rankwise.metrics.comparison._statistics import format_p_value
from tests.doc_tables import ROOT, check_table, markdown

RESULTS = ROOT / "benchmarks" / "results"
DOCUMENT = "docs/it-pays.md"
measured = pytest.mark.skipif(
    not (RESULTS / "it_pays.json").exists(), reason="benchmarks/results/it_pays.json is not there: run it_pays.py"
)


def results() -> list[dict[str, Any]]:
    return list(json.loads((RESULTS / "it_pays.json").read_text())["rows"])


def cell(row: dict[str, Any], metric: str, best: float) -> str:
    """The mean, bold if it is the best; ↓ or ↑ if it differs significantly from ours trained on the metric."""
    judged = row["judged"][metric]
    arrow = ("↓" if judged["difference"] < 0 else "↑") if judged.get("p_holm", 1.0) < 0.05 else ""
    mean = f"{judged['mean']:.4f}"
    return (f"**{mean}**" if judged["mean"] == best else mean) + f" {arrow}".rstrip()


SHOWN = [("MQ2008", "ndcg@10"), ("MQ2008", "map"), ("MQ2008", "auc"), ("web", "ndcg@10"), ("web", "auc")]
DIGITS = [("digits", "ndcg@10"), ("digits", "auc")]


def first_table(found: list[dict[str, Any]], shown: list[tuple[str, str]]) -> str:
    """README has it: trained on one metric or another, or a peer's own loss, judged by all."""
    by_data = {result["data"]: result["models"] for result in found}
    kept = [
        row["model"]
        for row in by_data["web"]
        if row["kind"] == "peer" or (row["kind"] == "ours" and row["trained_on"] in ("ndcg@10", "map", "auc"))
    ]
    columns, seconds = [], []
    for data, metric in shown:
        rows = {row["model"]: row for row in by_data[data]}
        best = max(rows[model]["judged"][metric]["mean"] for model in kept)
        columns.append([cell(rows[model], metric, best) for model in kept])
    for row in by_data["web"]:
        if row["model"] in kept:
            seconds.append(f"{row['cpu_seconds']:.0f}")
    named = [re.sub(r"LambdaMART, (.*)", lambda m: f"{m[1].upper()}, `rw.LambdaMART`", model) for model in kept]
    named = [name.replace("RankSVM", "pairs, `rw.RankSVM`") for name in named]
    header = ["trained on", *(f"{data}: {metric.upper()}" for data, metric in shown), "web: CPU s"]
    return markdown(header, list(zip(named, *columns, seconds, strict=True)))


def diagonal_table(found: list[dict[str, Any]]) -> str:
    """For each data set and metric ours trained on it, beside the best of ours trained on others, and of the peers."""
    rows = []
    for result in found:
        for metric in result["metrics"]:
            own = next(row for row in result["models"] if row["kind"] == "ours" and row["trained_on"] == metric)
            told = [f"{own['judged'][metric]['mean']:.4f}"]
            for kind in ("ours", "peer"):
                others = [row for row in result["models"] if row["kind"] == kind and row is not own]
                best = max(others, key=lambda row: row["judged"][metric]["mean"])
                judged, name = best["judged"][metric], best["model"].removeprefix("LambdaMART, ")
                told.append(f"{name} {judged['difference']:+.4f} ({format_p_value(judged['p_holm'])})")
            rows.append([result["data"], metric, *told])
    header = ["data", "judged by", "trained on it", "best of ours trained on another (p)", "best peer (p)"]
    return markdown(header, rows)


def bars_table(found: list[dict[str, Any]]) -> str:
    """What falls short: every comparison whose bar was not reached; how many were is said below."""
    bars = [bar for result in found for bar in result["bars"]]
    rows = [
        [bar["data"], bar["metric"], bar["against"], f"{bar['difference']:+.4f}", format_p_value(bar["p"])]
        for bar in bars
        if not bar["kept"]
    ]
    total = f"{len(bars) - len(rows)} of {len(bars)} comparisons reach their bar"
    return markdown([total, "judged by", "against", "its difference to ours", "p"], rows)


@measured
def test_the_first_table_is_that_measured() -> None:
    check_table("README.md", "two metrics", first_table(results(), SHOWN))
    check_table(DOCUMENT, "two metrics", first_table(results(), [*SHOWN, *DIGITS]))


@measured
def test_every_metric_and_data_set_is_as_measured() -> None:
    check_table(DOCUMENT, "it pays", diagonal_table(results()))


@measured
def test_what_falls_short_is_told() -> None:
    check_table(DOCUMENT, "falls short", bars_table(results()))


@measured
def test_pictures_are_there() -> None:
    named = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / DOCUMENT).read_text())
    assert len(named) == 2
    assert [name for name in named if not (ROOT / "docs" / name).resolve().exists()] == []


def row(model: str, kind: str, trained_on: str | None, **judged: tuple[float, float | None]) -> dict[str, Any]:
    told = {}
    for metric, (mean, p) in judged.items():
        told[metric] = {"mean": mean} | ({} if p is None else {"difference": mean - 0.7, "p": p, "p_holm": p})
    return {"model": model, "kind": kind, "trained_on": trained_on, "judged": told, "cpu_seconds": 1.4}


def test_tables_mark_the_best_and_what_differs() -> None:
    models = [
        row("LambdaMART, map", "ours", "map", map=(0.7, None), auc=(0.71, 0.5)),
        row("LambdaMART, auc", "ours", "auc", map=(0.69, 0.01), auc=(0.7, None)),
        row("A peer", "peer", None, map=(0.65, 0.2), auc=(0.75, 0.00001)),
    ]
    found = [{"data": "web", "metrics": ["map", "auc"], "models": models, "bars": []}]
    assert cell(models[1], "map", 0.7) == "0.6900 ↓"
    assert cell(models[2], "auc", 0.75) == "**0.7500** ↑"
    assert cell(models[0], "map", 0.7) == "**0.7000**"
    assert diagonal_table(found).splitlines()[2:] == [
        "| web | map | 0.7000 | auc -0.0100 (0.0100) | A peer -0.0500 (0.2000) |",
        "| web | auc | 0.7000 | map +0.0100 (0.5000) | A peer +0.0500 (<0.0001) |",
    ]
