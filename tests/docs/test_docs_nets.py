"""What docs/nets.md says was measured is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/nets.md"


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def test_steps_of_losses_are_those_measured() -> None:
    rows = results("nets")["rows"]
    lengths = sorted({row["length"] for row in rows})
    told: dict[str, list[str]] = {}
    for row in rows:
        cell = row["how"]
        if row["seconds"] is not None:
            cell = f"{1e6 * row['seconds'] / row['documents']:.2f} µs, {row['bytes'] / 2**20:,.0f} MB"
        told.setdefault(row["loss"], []).append(cell)
    header = ["a document's share of a step, and memory", *(f"lists of {length:,}" for length in lengths)]
    check_table(DOCUMENT, "steps", markdown(header, [[loss, *cells] for loss, cells in told.items()]))


def test_long_lists_are_as_measured() -> None:
    found = results("long_lists")
    hidden = [list(shape) for shape in dict.fromkeys(tuple(row["hidden"]) for row in found["epoch"])]
    rows = [
        [loss, *(f"{one['seconds']:.2f} s ({one['ratio']:.2f}x)" for one in found["epoch"] if one["loss"] == loss)]
        for loss in dict.fromkeys(row["loss"] for row in found["epoch"])
    ]
    check_table(DOCUMENT, "epoch", markdown(["an epoch", *(f"hidden {tuple(shape)}" for shape in hidden)], rows))
    judged = [[row["loss"], f"{row['auc']:.5f}", f"{row['ap']:.4f}"] for row in found["quality"]]
    check_table(DOCUMENT, "long list", markdown(["trained on", "AUC", "AP"], judged))
