"""Tokens, health, metrics, the description, and the command line."""

from __future__ import annotations

import json
import math
import re
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import rankwise as rw
from rankwise.cli import app
from rankwise.serve.ranking._app import Limits
from rankwise.serve.ranking._metrics import Metrics, shared_counts
from rankwise.serve.ranking._openapi import openapi
from rankwise.serve.ranking._requests import JsonReader
from rankwise.serve.ranking._schemas import ModelFeatures
from tests.serve.ranking.factories import ARROW, NAMES, Client, X, command, is_sentence, linear, serving

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
                ("GET", "/model", None),
                ("GET", "/metrics", None),
                ("GET", "/docs", None),
                ("GET", "/openapi.json", None),
            ):
                status, said = client.send(method, path, body, headers=headers)
                assert (status, is_sentence(said)) == (401, True), (sent, path, said)
            assert client.send("GET", "/health", headers=headers) == (200, {"status": "ok"})


@pytest.mark.parametrize("named", [True, False])
def test_the_features_of_the_model_are_listed(tmp_path: Path, named: bool) -> None:
    path = tmp_path / "m.rw"
    rw.save(linear(named=named), path)
    with serving(path) as client:
        status, told = client.send("GET", "/model")
        health = client.send("GET", "/health")[1]["model"]
        described = client.send("GET", "/openapi.json")[1]["paths"]["/model"]["get"]
    expected = {"names": NAMES if named else None, "takes_missing": False}
    assert (status, told) == (200, health | expected)
    assert set(described["responses"]["200"]["content"]["application/json"]["example"]) == set(told)


def test_counts(tree_file: Path) -> None:
    with serving(tree_file, Limits(max_documents=20)) as client:
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
    assert one.in_progress == two.in_progress == 0


KINDS: dict[str, Any] = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
KINDS["null"] = type(None)


def fits(value: Any, schema: Any, schemas: dict[str, Any]) -> bool:
    """Whether a value is as a schema says, for the words that ours use."""
    if isinstance(schema, bool):
        return schema
    if "$ref" in schema:
        return fits(value, schemas[schema["$ref"].removeprefix("#/components/schemas/")], schemas)
    if "anyOf" in schema and not any(fits(value, other, schemas) for other in schema["anyOf"]):
        return False
    if "oneOf" in schema and sum(fits(value, other, schemas) for other in schema["oneOf"]) != 1:
        return False
    if "type" in schema and (not isinstance(value, KINDS[schema["type"]]) or isinstance(value, bool)):
        return False
    if not schema.get("minimum", -math.inf) <= (value if isinstance(value, int) else 0) <= schema.get("maximum", 1e99):
        return False
    if isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        return schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)) and all(
            fits(item, prefix[k] if k < len(prefix) else schema.get("items", True), schemas)
            for k, item in enumerate(value)
        )
    if isinstance(value, dict):
        properties, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        return set(schema.get("required", ())) <= set(value) and all(
            fits(item, properties.get(name, other), schemas) for name, item in value.items()
        )
    return True


def test_the_description_is_that_of_the_service(client: Client) -> None:
    described = client.send("GET", "/openapi.json")[1]
    schemas = described["components"]["schemas"]
    reader = client.service.model.now.json
    assert described == json.loads(msgspec.json.encode(openapi(reader.types, 100_000, 50)))
    two = JsonReader(ModelFeatures(["bm25", "age"], 2, True, "lambdamart"))  # the features of the examples
    for path, request in (("/rank", "RankRequest"), ("/explain", "ExplainRequest")):
        route = described["paths"][path]["post"]
        body = route["requestBody"]["content"]["application/json"]
        answer = route["responses"]["200"]["content"]["application/json"]
        for example in body["examples"].values():
            assert fits(example["value"], body["schema"], openapi(two.types, 1, 1)["components"]["schemas"]), example
            assert two.read(json.dumps(example["value"]).encode(), 50).X.shape == (2, 2)
        assert body["schema"] == {"$ref": f"#/components/schemas/{request}"}
        assert fits(GOOD, body["schema"], schemas)
        assert fits(answer["example"], answer["schema"], schemas)
        status, said = client.send("POST", path, GOOD)
        assert (status, fits(said, answer["schema"], schemas)) == (200, True)
        assert sorted(said) == sorted(answer["example"])
    reason = client.send("POST", "/explain", GOOD)[1]["reasons"][0]
    shown = described["paths"]["/explain"]["post"]["responses"]["200"]["content"]["application/json"]["example"]
    assert (list(reason), list(reason["parts"][0])) == (
        list(shown["reasons"][0]),
        list(shown["reasons"][0]["parts"][0]),
    )
    assert ARROW in described["paths"]["/rank"]["post"]["requestBody"]["content"]
    health = described["paths"]["/health"]["get"]["responses"]["200"]["content"]["application/json"]
    for told in (health["example"], client.send("GET", "/health")[1]):
        assert fits(told, health["schema"], schemas)
        assert sorted(told) == sorted(health["example"])


ROW = [1.0, 2.0, 3.0, 4.0]
BODIES: list[Any] = [
    GOOD,
    {"features": [ROW, [None, 2, 3, 4]]},
    {"features": [{"bm25": 1}, {}]},
    {"documents": [{"features": {"bm25": 1, "länge": None}, "id": 5}]},
    {"documents": [{"features": ROW}], "pair": [0, 0]},
    {"features": [ROW], "top": 3},
    {"features": [ROW], "top": 0},
    {"features": [ROW], "pair": [0]},
    {"features": [ROW], "pair": [0, 0, 0]},
    {"features": [ROW], "more": 1},
    {"features": [ROW], "documents": [{"features": ROW}]},
    {},
    [],
    {"features": []},
    {"features": [ROW[:3]]},
    {"features": [[*ROW, 5]]},
    {"features": [["1", 2, 3, 4]]},
    {"features": [{"bm25": "1"}]},
    {"features": [{"unknown": 1}]},
    {"features": [ROW], "ids": [1.5]},
    {"documents": [{"features": ROW, "label": 1}]},
    {"documents": [{"id": 1}]},
    {"documents": [ROW]},
]


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_the_description_says_which_bodies_are_taken(client: Client, body: Any) -> None:
    """The schema of requests to `/explain` fits what is answered by 200, and nothing else."""
    schemas = client.send("GET", "/openapi.json")[1]["components"]["schemas"]
    assert (client.send("POST", "/explain", body)[0] == 200) == fits(body, schemas["ExplainRequest"], schemas)


def test_the_features_of_the_model_are_described(client: Client, linear_client: Client) -> None:
    for served, required in ((client, []), (linear_client, NAMES)):
        row = served.send("GET", "/openapi.json")[1]["components"]["schemas"]["FeaturesByName"]
        assert (list(row["properties"]), row["required"]) == (NAMES, required)


def test_the_page_loads_nothing_from_elsewhere(client: Client) -> None:
    page = client.send("GET", "/docs")[1]
    assert all(
        f"<code>{name}</code>" in page for name in ("POST /rank", "POST /explain", "GET /health", "GET /metrics")
    )
    assert re.findall(r"(?:href|src)=([^ >]+)", page) == ["docs.css", "openapi.json"]
    assert "<script" not in page
    assert "http" not in client.send("GET", "/docs.css")[1]
    assert client.send("HEAD", "/docs") == (200, "")


@pytest.mark.slow
def test_the_command_says_where_it_is(tree_file: Path) -> None:
    limits = ("--max-documents", "3", "--max-bytes", "2000", "--max-connections", "2", "--keep-alive-seconds", "9")
    with command(tree_file, "--host", "0.0.0.0", "--token", TOKEN, *limits) as (process, client):
        client.token = TOKEN
        assert client.rank({"features": X[:3].tolist()})[0] == 200
        assert client.rank({"features": np.ones((4, 4)).tolist()})[0] == 422
        assert client.rank(b" " * 2001)[0] == 413
        host, port = client.host.split(":")
        with ExitStack() as stack:
            idle = [stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(3)]
            assert idle[0].recv(10) == b""  # it made room
        process.terminate()
        assert process.wait(300) == 0
        assert process.stderr is not None
        assert "plain text" in process.stderr.read()


@pytest.mark.slow
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


@pytest.mark.slow
def test_models_that_cannot_be_served(tmp_path: Path) -> None:
    (tmp_path / "bad.rw").write_bytes(b"no model")
    rng = np.random.default_rng(0)
    several = rw.RateClassifier("r@p=0.5", model="linear", random_state=0)
    rw.save(several.fit(rng.normal(size=(90, 2)), np.arange(90) % 3), tmp_path / "several.rw")
    for name, words in (("bad.rw", "model file"), ("none.rw", "none.rw"), ("several.rw", "3 classes")):
        result = CliRunner().invoke(app, ["serve", str(tmp_path / name), "--port", "0"])
        assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
