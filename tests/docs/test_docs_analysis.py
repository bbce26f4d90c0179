"""What docs/analysis.md says was measured is what benchmarks/local_optimum.py wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown

RESULTS = json.loads((ROOT / "benchmarks" / "results" / "local_optimum.json").read_text())


def told_share(count: int, interval: list[float]) -> str:
    low, high = interval
    return f"{count} (below {high:.1%})" if count == 0 else f"{count} ({low:.1%} to {high:.1%})"


def test_the_table_is_that_measured() -> None:
    rows = []
    for row in RESULTS["rows"]:
        best = row["best"]
        low, high = ("", "") if best is None else (f"{end:+.4f}" for end in best["interval"])
        mean = next(step["mean_change"] for step in row["steps"] if step["step"] == 0.1)
        rows.append(
            [
                row["model"],
                row["metric"],
                row["parameters"],
                f"{row['value']:.4f}",
                told_share(row["improving"], row["interval"]),
                "none" if best is None else f"{best['difference']:+.4f} ({low} to {high})",
                told_share(row["significant"], row["significant_interval"]),
                f"{mean:+.4f}",
                f"{row['seconds']:.1f}",
            ]
        )
    header = [
        "model", "metric", "moved", "value", "improving directions (share of all)", "largest improvement (interval)",
        "by more than noise", "mean change at step 0.1", "CPU s",
    ]  # fmt: skip
    check_table("docs/analysis.md", "local optimum", markdown(header, rows))


def test_the_controls_show_that_improvements_are_found() -> None:
    """What the page concludes from the table: moved models are found out, more than those that were trained."""
    found = {(row["model"], row["metric"]): row["significant"] for row in RESULTS["rows"]}
    for metric in ("ndcg@10", "auc"):
        for model in ("LambdaMART", "RankSVM"):
            assert found[f"{model}, moved", metric] > found[model, metric]
