"""What docs/benchmarks.md says of fits beside other programs is what benchmarks/busy_machine.py wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown


def test_fits_take_the_time_measured() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "busy_machine.json").read_text())["rows"]
    lines = [
        [
            "a busy loop" if row["busy"] else "nothing",
            row["threads wait"],
            f"{row['wall']:.1f} s",
            f"{row['cpu']:.1f} s",
        ]
        for row in rows
    ]
    header = ["beside it runs", "how threads wait", "time", "CPU"]
    check_table("docs/benchmarks.md", "busy machine", markdown(header, lines))
