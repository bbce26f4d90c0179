"""What docs/analysis.md says was measured is what benchmarks/local_optimum.py wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown

RESULTS = json.loads((ROOT / "benchmarks" / "results" / "local_optimum.json").read_text())


def test_the_table_is_that_measured() -> None:
    rows = []
    for row in RESULTS["rows"]:
        held_out, low, high = row["held_out"], *(f"{end:.1%}" for end in row["interval"])
        ends = " to ".join(f"{end:+.4f}" for end in held_out["interval"])
        largest = max(step["largest_change"] for step in row["steps"])
        rows.append(
            [
                row["model"],
                row["metric"],
                row["parameters"],
                f"{row['value']:.4f}",
                f"{row['improving']} ({low} to {high})",
                f"{largest:+.4f}",
                f"{held_out['difference']:+.4f} ({ends})",
                f"{held_out['fisher_p']:.4f}",
                f"{row['seconds']:.1f}",
            ]
        )
    header = [
        "model", "metric", "parameters", "value", "improving directions (share of all)", "largest improvement",
        "all together, on the other half of the queries (interval)", "p", "CPU s",
    ]  # fmt: skip
    check_table("docs/analysis.md", "local optimum", markdown(header, rows))


def test_what_the_page_concludes_is_in_the_table() -> None:
    for row in RESULTS["rows"]:
        held_out = row["held_out"]
        assert row["improving"] > 459 / 2
        if row["model"].endswith("moved"):
            assert held_out["fisher_p"] < 0.02
            assert 0.0125 <= held_out["difference"] < 0.0225
        else:
            assert held_out["fisher_p"] > 0.3
