"""docs/serving.md: its examples run against a service, and its words are those of the service."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.perfect_worker import perfect_latencies, perfect_quantile
from tests.doc_tables import ROOT, check_table, markdown
from tests.serve.ranking.factories import Client

DOCS = (Path(__file__).parents[3] / "docs" / "serving.md").read_text(encoding="utf-8")
CURLS = [
    line for block in re.findall(r"```sh\n(.*?)```", DOCS, re.S) for line in re.split(r"\n(?=curl)", block.strip())
]
PLACE = "localhost:8766"
DOCUMENT = "docs/serving.md"
RESULTS = json.loads((ROOT / "benchmarks" / "results" / "serve.json").read_text())


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@pytest.mark.parametrize("line", CURLS)
def test_the_examples_run(client: Client, line: str) -> None:
    said = subprocess.run(
        line.replace(PLACE, client.host) + " --fail-with-body", shell=True, capture_output=True, text=True, check=True
    ).stdout
    if "-d" in line:
        answer = json.loads(said)
        assert sorted(answer["order"]) == (["d1", "d2"] if "d1" in line else [0, 1])
        assert ("reasons" in answer) == ("/explain" in line)
    else:
        assert said


def test_the_example_of_arrow_runs(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOCS, re.S)
    exec(code.replace(PLACE, client.host), {})
    assert b'"order":["d' in eval(capsys.readouterr().out)


def test_the_sentence_is_one_of_ours(client: Client) -> None:
    (shown,) = re.findall(r'`(\{"error": .*?\})`', DOCS)
    features: list[Any] = [[1, 2, 3, 4], [1, "old", 3, 4]]
    assert client.rank({"features": features, "ids": ["d1", "d2"]}) == (422, json.loads(shown))


def test_every_route_and_status_is_told(client: Client) -> None:
    told = client.send("GET", "/openapi.json")[1]["paths"]
    assert all(f"`{path}`" in DOCS or f"{PLACE}{path}" in DOCS for path in told)
    statuses = {status for route in told["/rank"]["post"]["responses"] for status in [route]} - {"200"}
    assert all(re.search(rf"^\| [^|]*{status}", DOCS, re.M) for status in statuses)


def test_throughput_is_as_measured() -> None:
    rows = []
    found = {(row["body"], row["trees"]): row for row in RESULTS["throughput"]}
    bodies = list(dict.fromkeys(body for body, _ in found))
    for body in bodies:
        small, large = found[body, 100], found[body, 500]
        rows.append(
            [
                body,
                f"{small['bytes'] / 1000:.0f}",
                f"{small['read_us']}",
                *(f"{row[name]}" for row in (small, large) for name in ("requests_per_second", "ratio")),
            ]
        )
    assert max(found.values(), key=lambda row: row["read_us"])["body"] == "JSON, by name"  # as the page says
    bare = [found[bodies[0], trees] for trees in (100, 500)]
    rows.append(["the bare loop", "", "", *(f"{one}" for row in bare for one in (row["bare_per_second"], 1))])
    header = ["body", "kB", "read, µs", "requests/s, 100 trees", "ratio", "requests/s, 500 trees", "ratio"]
    check_table(DOCUMENT, "throughput", markdown(header, rows))


def test_latencies_are_as_measured() -> None:
    rows = [
        [
            row["body"],
            row["arrivals"],
            f"{row['rate']:.0f}",
            *(f"{row[name]:.2f}" for name in ("p50_ms", "p99_ms", "p99_over_p50", "perfect_p99_over_p50")),
            f"{row['p99_over_p50'] / row['perfect_p99_over_p50']:.2f}",
        ]
        for row in RESULTS["half_load"]
    ]
    header = ["body", "times", "requests/s", "p50, ms", "p99, ms", "p99/p50", "perfect", "over it"]
    check_table(DOCUMENT, "half load", markdown(header, rows))


def test_the_limit_of_a_single_worker_is_as_reckoned() -> None:
    load = 0.32
    assert f"has {perfect_quantile(0.5, 0.99):.2f} at half load, and 3 at {load:.0%}" in DOCS
    assert perfect_quantile(load - 0.005, 0.99) < 3 < perfect_quantile(load + 0.005, 0.99)
    assert perfect_quantile(0.5, 0.5) == pytest.approx(1)
    gaps = np.random.default_rng(0).exponential(1, 200_000)
    for share in (0.7, 0.99):
        found = np.quantile(perfect_latencies(gaps, 0.5) / 0.5, share)
        assert perfect_quantile(0.5, share) == pytest.approx(found, rel=0.03)


def test_endurance_is_as_measured() -> None:
    found = RESULTS["endurance"]
    told = (
        f"Of {found['requests']:,} requests over {found['connections']} connections, while {found['models_picked_up']} "
        f"new model files were picked up, {found['errors']} had an error or scores of another model than they named."
    )
    assert (found["requests"], found["errors"]) == (50_000, 0)
    check_table(DOCUMENT, "endurance", told)
