"""Tokens, health, metrics, the description, and the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import rankwise as rw
from rankwise.cli import app
from rankwise.serve.ranking._app import Limits
from rankwise.serve.ranking._metrics import Metrics, shared_counts
from rankwise.serve.ranking._openapi import openapi
from tests.serve.ranking.factories import ARROW, Client, X, command, is_sentence, serving

GOOD = {"features": X.tolist()}
TOKEN = "a-good-secret"


def test_a_token_is_asked_for_everywhere_but_at_health(tree_file: Path) -> None:
    with serving(tree_file, token=TOKEN) as client:
        assert client.rank(GOOD)[0] == 200
        assert client.send("GET", "/health")[1]["model"]["kind"] == "lambdamart"
        for sent in ("", "Bearer", "Bearer wrong-secret", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer é"):
            headers = {"Authorization": sent.encode().decode("latin-1")}
            for method, path, body in (
                ("POST", "/rank", GOOD),
                ("POST", "/explain", GOOD),
                ("GET", "/metrics", None),
                ("GET", "/docs", None),
                ("GET", "/openapi.json", None),
            ):
                status, said = client.send(method, path, body, headers=headers)
                assert (status, is_sentence(said)) == (401, True), (sent, path, said)
            assert client.send("GET", "/health", headers=headers) == (200, {"status": "ok"})


def test_counts(tree_file: Path) -> None:
    with serving(tree_file, Limits(most_documents=20)) as client:
        for _ in range(3):
            client.rank(GOOD)
        client.rank({"features": [[1]]})
        client.send("POST", "/explain", GOOD)
        client.send("GET", "/nowhere")
        client.send("POST", "/rank", b"{}", kind="text/plain")
        text = client.send("GET", "/metrics")[1]
    for line in (
        'rankwise_requests_total{route="/rank",status="200"} 3',
        'rankwise_requests_total{route="/rank",status="422"} 1',
        'rankwise_requests_total{route="/rank",status="415"} 1',
        'rankwise_requests_total{route="/explain",status="200"} 1',
        'rankwise_requests_total{route="other",status="404"} 1',
        'rankwise_request_seconds_count{route="/rank"} 5',
        'rankwise_request_seconds_bucket{route="/rank",le="+Inf"} 5',
        f"rankwise_documents_scored_total {3 * len(X)}",
        "rankwise_requests_under_way 1",
        "rankwise_model_reloads_total 0",
    ):
        assert f"{line}\n" in text
    assert re.search(r'rankwise_model_info\{version="[0-9a-f]{12}",kind="lambdamart"\} 1\n', text)
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+|# (HELP|TYPE) [a-z_]+ .+')
    assert [line for line in text.splitlines() if not sample.fullmatch(line)] == []
    buckets = [int(n) for n in re.findall(r'seconds_bucket\{route="/rank".*\} (\d+)', text)]
    assert buckets == sorted(buckets)


def test_workers_are_added_up() -> None:
    memory = shared_counts(2)
    one, two = Metrics(memory, 0), Metrics(memory, 1)
    one.begin()
    one.end("/rank", 200, 0.3)
    two.begin()
    two.end("/rank", 200, 20.0)
    two.scored(7)
    text = two.text("v", "k", 0.0)
    assert 'rankwise_requests_total{route="/rank",status="200"} 2\n' in text
    assert 'seconds_bucket{route="/rank",le="0.25"} 0\n' in text
    assert 'seconds_bucket{route="/rank",le="0.5"} 1\n' in text
    assert 'seconds_bucket{route="/rank",le="10.0"} 1\n' in text
    assert 'seconds_bucket{route="/rank",le="+Inf"} 2\n' in text
    assert 'seconds_sum{route="/rank"} 20.3\n' in text
    assert one.under_way == two.under_way == 0


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is as a schema says, for the words that ours use."""
    kinds: dict[str, Any] = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
    kinds["null"] = type(None)
    if "oneOf" in schema:
        return sum(fits(value, one) for one in schema["oneOf"]) == 1
    named = schema.get("type", [])
    named = [named] if isinstance(named, str) else named
    if not any(isinstance(value, kinds[kind]) for kind in named):
        return False
    if isinstance(value, list):
        return all(fits(one, schema.get("items", {"type": list(kinds)})) for one in value)
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", {"type": list(kinds)})
        return set(schema.get("required", ())) <= set(value) and all(
            fits(one, known[name]) if name in known else other and fits(one, other) for name, one in value.items()
        )
    return True


def test_the_description_is_that_of_the_service(client: Client) -> None:
    told = client.send("GET", "/openapi.json")[1]
    assert told == json.loads(json.dumps(openapi(100_000, 50)))
    for path in ("/rank", "/explain"):
        route = told["paths"][path]["post"]
        body = route["requestBody"]["content"]["application/json"]
        answer = route["responses"]["200"]["content"]["application/json"]
        for example in body["examples"].values():
            assert fits(example["value"], body["schema"]), example
        assert fits(GOOD, body["schema"])
        assert not fits({**GOOD, "more": 1}, body["schema"])
        assert fits(answer["example"], answer["schema"])
        status, said = client.send("POST", path, GOOD)
        assert (status, fits(said, answer["schema"])) == (200, True)
        assert sorted(said) == sorted(answer["example"])
    reason = client.send("POST", "/explain", GOOD)[1]["reasons"][0]
    shown = told["paths"]["/explain"]["post"]["responses"]["200"]["content"]["application/json"]["example"]["reasons"][
        0
    ]
    assert (list(reason), list(reason["parts"][0])) == (list(shown), list(shown["parts"][0]))
    assert ARROW in told["paths"]["/rank"]["post"]["requestBody"]["content"]


def test_the_page_loads_nothing_from_elsewhere(client: Client) -> None:
    page = client.send("GET", "/docs")[1]
    assert all(
        f"<code>{name}</code>" in page for name in ("POST /rank", "POST /explain", "GET /health", "GET /metrics")
    )
    assert re.findall(r"(?:href|src)=([^ >]+)", page) == ["docs.css", "openapi.json"]
    assert "<script" not in page
    assert "http" not in client.send("GET", "/docs.css")[1]
    assert client.send("HEAD", "/docs") == (200, "")


def test_the_command_says_where_it_is(tree_file: Path) -> None:
    with command(tree_file, "--token", TOKEN, "--max-documents", "3", "--max-bytes", "2000") as (process, client):
        client.token = TOKEN
        assert client.rank({"features": X[:3].tolist()})[0] == 200
        assert client.rank({"features": np.ones((4, 4)).tolist()})[0] == 422
        assert client.rank(b" " * 2001)[0] == 413
        process.terminate()
        assert process.wait(120) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "--token"),
        (["--host", "192.0.2.1"], "--token"),
        (["--token", "short"], "at least 8"),
        (["--token", "with a blank"], "blanks"),
        (["--host", "192.0.2.1", "--token", TOKEN], "cannot listen"),
        (["--workers", "0"], "workers"),
        (["--max-bytes", "0"], "max-bytes"),
        (["--port", "70000"], "port"),
    ],
)
def test_what_the_command_refuses(tree_file: Path, arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(app, ["serve", str(tree_file), *arguments])
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr


def test_models_that_cannot_be_served(tmp_path: Path) -> None:
    (tmp_path / "bad.rw").write_bytes(b"no model")
    rng = np.random.default_rng(0)
    several = rw.RateClassifier("r@p=0.5", model="linear", random_state=0)
    rw.save(several.fit(rng.normal(size=(90, 2)), np.arange(90) % 3), tmp_path / "several.rw")
    for name, words in (("bad.rw", "model file"), ("none.rw", "none.rw"), ("several.rw", "3 classes")):
        result = CliRunner().invoke(app, ["serve", str(tmp_path / name), "--port", "0"])
        assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
