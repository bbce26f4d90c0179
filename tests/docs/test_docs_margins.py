"""What docs/benchmarks.md says of margins is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/benchmarks.md"


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def test_margin_programs_take_the_time_measured() -> None:
    found = results("margins")
    rows = [
        [row["case"], row["name"], f"{row['seconds']:.3f} s", "" if row["bar"] is None else f"{row['ratio']:.1f}x"]
        for row in found["rows"]
    ]
    check_table(DOCUMENT, "margins", markdown(["case", "solver", "time", "times ours"], rows))
    cells = [[m["method"], f"{m['rows']:,}", f"{m['bytes_a_row']:.0f}"] for m in found["memory"]]
    check_table(DOCUMENT, "margins memory", markdown(["method", "rows × 100", "bytes per row beyond the data"], cells))


def test_svms_are_as_measured() -> None:
    found = results("ranksvm")
    rows = [
        [row["model"], f"{row['map letor4']:.4f}", f"{row['mauc']:.4f}", f"{row['ndcg@10']:.4f}", f"{row['auc']:.4f}"]
        for row in found["quality"]["rows"]
    ]
    check_table(DOCUMENT, "ranksvm", markdown(["MQ2008, 5 folds", "MAP (letor4)", "MAUC", "NDCG@10", "AUC"], rows))
    cells = [
        [row["case"], row["name"], f"{row['seconds']:.3f} s", f"{row['ratio']:.1f}x"]
        for part in ("pairs", "scaled-rows", "rows")
        for row in found[part]["rows"]
    ]
    check_table(DOCUMENT, "ranksvm speed", markdown(["case", "solver", "time", "times ours"], cells))
