"""What docs/benchmarks.md says of the scores of trees is what the benchmark wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown


def test_scores_of_trees_are_as_measured() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "tree_scoring.json").read_text())["rows"]
    assert all(row["bit_equal"] for row in rows)
    header = ["trees", "rows", "LightGBM, µs", "rankwise, µs", "LightGBM, times ours"]
    told = [
        [row["model"], f"{row['rows']:,}", f"{row['lightgbm_us']:,}", f"{row['rankwise_us']:,}", f"{row['ratio']}x"]
        for row in rows
        if row["used"]
    ]
    check_table("docs/benchmarks.md", "tree scoring", markdown(header, told))
