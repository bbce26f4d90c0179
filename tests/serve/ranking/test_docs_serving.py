"""docs/serving.md: its examples run against a service, and its words are those of the service."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.serve.ranking.made import Client

DOCS = (Path(__file__).parents[3] / "docs" / "serving.md").read_text(encoding="utf-8")
CURLS = [
    line for block in re.findall(r"```sh\n(.*?)```", DOCS, re.S) for line in re.split(r"\n(?=curl)", block.strip())
]
PLACE = "localhost:8766"


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
