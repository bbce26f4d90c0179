"""Requests that are not right, whatever their body: each is refused with a sentence, and the server lives on."""

from __future__ import annotations

import http.client
import json
import select
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rankwise.serve._guard import MAX_HELD_BODIES
from rankwise.serve.ranking._app import Limits
from tests.serve.ranking.factories import ARROW, NAMES, ROW, Client, is_sentence, serving, stream

WHOLE = stream(pa.table({name: pa.array([1.0, 2.0]) for name in NAMES}))
REQUESTS = [
    ("GET", "/nowhere", None, {}, 404),
    ("GET", "/other", None, {}, 404),
    ("GET", "/../m.rw", None, {}, 404),
    ("POST", "/rank/", b"{}", {}, 404),
    ("GET", "/rank", None, {}, 405),
    ("PUT", "/rank", b"{}", {}, 405),
    ("DELETE", "/explain", None, {}, 405),
    ("POST", "/health", b"{}", {}, 405),
    ("POST", "/metrics", b"{}", {}, 405),
    ("POST", "/rank", b"{}", {"Content-Type": "text/plain"}, 415),
    ("POST", "/rank", b"{}", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ("POST", "/rank", b"{}", {"Content-Type": ""}, 415),
    ("POST", "/explain", WHOLE, {"Content-Type": ARROW}, 415),
    ("POST", "/rank", b"{}", {"Content-Encoding": "gzip"}, 415),
    ("POST", "/rank", b"{}", {"Host": "evil.example"}, 403),
    ("GET", "/health", None, {"Host": "evil@localhost"}, 403),
    ("GET", "/health", None, {"Host": "localhost/evil.example"}, 403),
    ("OPTIONS", "/rank", None, {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}, 405),
    ("POST", "/rank", b"{}", {"Origin": "https://evil.example"}, 403),
    ("POST", "/rank", b"{}", {"Sec-Fetch-Site": "cross-site"}, 403),
    ("GET", "/health", None, {"Host": "evil.example"}, 403),
    ("POST", "/rank", b" " * 100_001, {}, 413),
    ("POST", "/rank", b" " * 5_000_000, {}, 413),
]


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), REQUESTS)
def test_requests(
    client: Client, method: str, path: str, body: bytes | None, headers: dict[str, str], status: int
) -> None:
    found, said = client.send(method, path, body, headers=headers)
    assert (found, is_sentence(said)) == (status, True), said
    assert client.rank({"features": [ROW]})[0] == 200


def test_a_long_body_in_pieces_is_refused_with_a_sentence(client: Client) -> None:
    """Its sender goes on after the limit, and reads the answer when all is sent."""

    def pieces() -> Any:
        for _ in range(200):
            yield b" " * 10_000

    connection = http.client.HTTPConnection(client.host, timeout=300)
    connection.request("POST", "/rank", pieces(), {"Content-Type": "application/json"}, encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, is_sentence(json.loads(answer.read()))) == (413, True)
    connection.close()


def test_what_is_no_http(client: Client) -> None:
    host, port = client.host.split(":")
    head = f"POST /rank HTTP/1.1\r\nHost: {client.host}\r\nContent-Type: application/json\r\n"
    for raw in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", f"{head}Content-Length: -1\r\n\r\n".encode(), b"x" * 70_000):
        with socket.create_connection((host, int(port)), timeout=300) as sent:
            sent.sendall(raw)
            assert b" 400 " in sent.recv(1000).split(b"\r\n")[0]
    assert client.rank({"features": [ROW]})[0] == 200


def test_clients_that_leave_in_the_middle(client: Client) -> None:
    host, port = client.host.split(":")
    head = (
        f"POST /rank HTTP/1.1\r\nHost: {client.host}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    )
    before = client.send("GET", "/metrics")[1]
    for raw in (b"", head.encode()[:30], head.encode(), head.encode() + b'{"features": '):
        with socket.create_connection((host, int(port)), timeout=300) as sent:
            sent.sendall(raw)
    while 'route="/rank",status="499"} 2' not in client.send("GET", "/metrics")[1]:
        pass
    assert 'status="500"' not in before
    assert client.rank({"features": [ROW]})[0] == 200


@pytest.mark.slow
def test_a_mistake_of_ours_shows_no_traceback(
    tree_file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tree_file, Limits()) as client:
        monkeypatch.setattr("rankwise.serve.ranking._app.rank", lambda *given: 1 / 0)
        status, said = client.rank({"features": [ROW]})
        assert (status, is_sentence(said), "ZeroDivision" in said["error"]) == (500, True, False)
        assert "a request failed" in caplog.text
        monkeypatch.undo()
        assert client.rank({"features": [ROW]})[0] == 200


def test_long_bodies_that_do_not_end_cannot_fill_the_memory(tree_file: Path) -> None:
    size = 900_000  # an application is told of pieces of a quarter of a megabyte
    with serving(tree_file, Limits(max_bytes=size)) as client:
        host, port = client.host.split(":")
        head = f"POST /rank HTTP/1.1\r\nHost: {client.host}\r\nContent-Type: application/json\r\n"
        raw = f"{head}Content-Length: {size}\r\n\r\n".encode() + b" " * (size - 1)
        with ExitStack() as stack:
            address = (host, int(port))
            clients = [stack.enter_context(socket.create_connection(address)) for _ in range(4 * MAX_HELD_BODIES)]
            for sent in clients:
                with suppress(ConnectionError):  # once it is refused
                    sent.sendall(raw)
            refused = select.select(clients, [], [], 300)[0]
            assert refused[0].recv(100).startswith(b"HTTP/1.1 503 ")
        while client.rank(b" " * (size - 30) + b'{"features": [[1, 2, 3, 4]]}')[0] != 200:
            pass  # until the service has seen that they left
