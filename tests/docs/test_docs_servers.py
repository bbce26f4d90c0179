"""What docs/reliability.md says of servers is what benchmarks/serve_abuse.py wrote, and reaches the bars."""

from __future__ import annotations

import json
from typing import Any

from tests.doc_tables import ROOT, check_table, markdown

NAMES = {"schemathesis": "requests by schemathesis", "json": "JSON bodies, mutated", "arrow": "Arrow streams, mutated"}
HEADER = ["what was tried", "how many", "what came of it", "bar"]


def results() -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / "serve_abuse.json").read_text())


def table(found: Any) -> str:
    rows = []
    for part, name in NAMES.items():
        one = found[part]
        answered = ", ".join(f"{count:,} × {status}" for status, count in one["statuses"].items())
        memory = f"; memory × {one['rss_ratio']:.3f}" if "rss_ratio" in one else ""
        rows.append([name, f"{one['requests']:,}", f"{one['server_errors']} server errors ({answered}){memory}", "0"])
    slow, long, models = found["slow"], found["endurance"], found["models"]
    p99 = slow["p99"]
    rows.append(
        [
            f"{slow['slow_connections']} slow connections",
            f"{slow['requests']:,} requests of others",
            f"p99 × {p99['ratio']:.2f} ({p99['milliseconds']['without']:.1f} ms without them)",
            "× 2",
        ]
    )
    rows.append(["many requests", f"{long['requests']:,}", f"memory × {long['rss_ratio']:.3f}", "× 1.05"])
    rows.append(
        [
            "model file replaced, broken, deleted under load",
            f"{sum(models['replacements'].values()):,} times",
            f"{models['wrong_or_failed']} of {models['answers']:,} answers wrong or missing; "
            f"{models['picked_up']} models picked up, {models['refused']} refused",
            "0",
        ]
    )
    return markdown(HEADER, rows)


def test_servers_are_as_tried() -> None:
    check_table("docs/reliability.md", "servers", table(results()))


def test_servers_reach_the_bars() -> None:
    found = results()
    for part in NAMES:
        assert (found[part]["server_errors"], found[part]["tracebacks"]) == (0, 0)
        assert not found[part].get("failures")
    assert (found["json"]["requests"], found["arrow"]["requests"]) == (20_000, 20_000)
    assert found["endurance"]["rss_ratio"] < 1.05
    assert (found["models"]["wrong_or_failed"], found["models"]["not_noticed_in_time"]) == (0, 0)
    assert found["slow"]["p99"]["ratio"] < 2.0
