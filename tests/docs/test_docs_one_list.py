"""What docs/metrics.md says of one list is what was simulated."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown


def test_coverage_is_that_of_the_results() -> None:
    written = json.loads((ROOT / "benchmarks" / "results" / "one_list.json").read_text())
    rows = [
        [
            f"{row['positives']} + {row['negatives']}",
            row["metric"],
            row["method"],
            f"{row['coverage']:.3f}",
            "–" if row["population"] is None else f"{row['population']:.3f}",
            f"{row['false_alarms']:.3f}",
        ]
        for row in written["rows"]
    ]
    header = ["positives + negatives", "metric", "by", "covers the mean", "covers the population", "false alarms"]
    check_table("docs/metrics.md", "one list", markdown(header, rows))
    assert written["data_sets"] == 300
    # What is claimed: 95% and 5%, give or take 4 standard errors of 300 lists.
    assert all(row["coverage"] > 0.9 for row in written["rows"])
    assert all(row["false_alarms"] < 0.1 for row in written["rows"])
