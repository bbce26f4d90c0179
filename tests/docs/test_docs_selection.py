"""What docs/selection.md says was measured is what benchmarks/auto.py wrote."""

from __future__ import annotations

import json

from rankwise.metrics.comparison._statistics import format_p_value
from tests.doc_tables import ROOT, check_table, markdown

PEERS = {"CatBoost, stopped by itself": "by itself", "CatBoost, cut by the judged metric": "by the judged metric"}


def test_the_table_is_that_measured() -> None:
    found = json.loads((ROOT / "benchmarks" / "results" / "auto.json").read_text())
    rows = []
    for row in found["rows"]:
        peers = [
            f"{row[peer]['mean']:.4f} ({row[peer]['difference']:+.4f}, p {format_p_value(row[peer]['fisher_p'])})"
            for peer in PEERS
        ]
        seconds = [f"{row[name]:.0f}" for name in ("cpu_seconds", "CatBoost cpu_seconds")]
        rows.append([row["metric"], f"{row['AutoRanker']:.4f}", *peers, *seconds])
    header = ["judged by", "AutoRanker", *(f"CatBoost, cut {rule} (our lead)" for rule in PEERS.values())]
    check_table("docs/selection.md", "auto", markdown([*header, "CPU s", "CatBoost's CPU s"], rows))
