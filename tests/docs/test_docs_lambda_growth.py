"""What docs/benchmarks.md says of the cost of a document's λ is what the benchmark wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown


def test_the_cost_of_a_document_is_that_measured() -> None:
    found = json.loads((ROOT / "benchmarks" / "results" / "lambda_growth.json").read_text())
    columns = found["columns"]
    rows = [
        [f"{n:,}", *(f"{costs['nanoseconds'][at]}" for costs in columns.values())]
        for at, n in enumerate(found["sizes"])
    ]
    rows.append(["slope", *(f"{costs['slope']}" for costs in columns.values())])
    rows.append(["dearest over cheapest", *(f"{costs['dearest_over_cheapest']}x" for costs in columns.values())])
    check_table("docs/benchmarks.md", "lambda growth", markdown(["documents", *columns], rows))
