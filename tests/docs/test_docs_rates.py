"""What docs/benchmarks.md says of operating points is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/benchmarks.md"


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


@pytest.mark.parametrize("family", ["linear", "trees-10x4", "net"])
def test_gains_are_those_measured(family: str) -> None:
    found = results(f"eban-{family}")["summary"]
    metrics = list(dict.fromkeys(row["metric"] for row in found))
    rows = []
    for method in dict.fromkeys(row["method"] for row in found):
        mine = {row["metric"]: row for row in found if row["method"] == method}
        cells = [f"{mine[m]['difference']:+.4f} ({mine[m]['better']}/{mine[m]['worse']})" for m in metrics]
        if method == "cross entropy":
            cells = [f"{mine[m]['mean']:.4f}" for m in metrics]
        rows.append([method, *cells, f"{mine[metrics[0]]['seconds']:.1f}"])
    header = [f"{family}, {found[0]['tables']} tables", *metrics, "CPU s"]
    check_table(DOCUMENT, f"eban {family}", markdown(header, rows))


def test_anchors_are_as_measured() -> None:
    found = results("eban-anchors")["summary"]
    anchors = list(dict.fromkeys(row["anchors"] for row in found))
    rows = []
    for name, surrogate in dict.fromkeys((row["table"], row["surrogate"]) for row in found):
        mine = [row for row in found if (row["table"], row["surrogate"]) == (name, surrogate)]
        cells = [f"{row['mean']:.4f} ± {row['error']:.4f}" for row in mine]
        rows.append([name, surrogate, *cells, f"{mine[0]['plain']:.4f}", f"{mine[1]['met']:.0%}"])
    header = ["AP of linear models", "surrogate", *(f"K = {k}" for k in anchors), "cross entropy", "met at K = 10"]
    check_table(DOCUMENT, "eban anchors", markdown(header, rows))


def test_what_a_step_costs_is_that_measured() -> None:
    found = results("rates")["rows"]
    rows = [
        [row["case"], row["loss"], f"{row['ms']:.2f} ms", f"{row['ratio']:.2f}x"]
        for row in found
        if row["loss"] != "cross entropy"
    ]
    check_table(DOCUMENT, "rates", markdown(["case", "loss", "time", "times cross entropy"], rows))


@pytest.mark.skipif(
    not (ROOT / "benchmarks/results/rates_cost.json").exists(),
    reason="run benchmarks/rates_cost.py, which takes minutes",
)
def test_what_a_fit_costs_is_that_measured() -> None:
    ways = {"eval_set": "with an `eval_set`", "folds": "without"}
    rows = [
        [
            row["case"],
            ways[row["way"]],
            f"{1e3 * row['plain_seconds']:.0f} ms",
            f"{row['ratio']:.2f}x" + (f" ({row['own_ratio']:.2f}x)" if "own_ratio" in row else ""),
            f"{min(row['ratios'].values()):.2f} – {row['worst_ratio']:.2f}",
            f"{row['difference']:+.4f} (p {row['p']:.2f})",
            f"{row['trained_for']:.0%}",
        ]
        for row in results("rates_cost")["summary"]
    ]
    header = [
        "family",
        "rows to choose by",
        "plain fit",
        "ours",
        "tables from – to",
        "metric less plain",
        "trained for it",
    ]
    check_table("docs/operating-points.md", "rates cost", markdown(header, rows))
