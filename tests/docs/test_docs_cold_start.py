"""What docs/concepts.md says of the first call is what benchmarks/cold_start.py wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown

ROWS = json.loads((ROOT / "benchmarks" / "results" / "cold_start.json").read_text())["rows"]


def test_the_first_call_is_as_measured() -> None:
    rows = [[row["case"], f"{row['cold']:.1f}", f"{row['warm']:.1f}"] for row in ROWS]
    check_table("docs/concepts.md", "cold start", markdown(["CPU seconds", "without a cache", "with one"], rows))
