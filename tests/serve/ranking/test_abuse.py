"""What benchmarks/serve_abuse.py does at length, in short: bodies, slow clients, memory, model files, open files."""

from __future__ import annotations

import gc
import http.client
import json
import resource
import socket
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serve_mutations import arrow_body, json_body
from tests.serve.ranking.factories import ARROW, NAMES, Client, X, command, is_sentence, serving
from tests.serve.ranking.load import Load, put, two_models

BODY = json.dumps({"features": X.tolist()}).encode()
BODIES = 400


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["JSON", "Arrow"])
def test_no_body_is_a_mistake_of_ours(client: Client, kind: str) -> None:
    statuses: Counter[int] = Counter()
    connection = http.client.HTTPConnection(client.host, timeout=300)
    for number in range(BODIES):
        route, body = json_body(number, NAMES) if kind == "JSON" else ("/rank", arrow_body(number, NAMES))
        status, said = client.send_on(connection, "POST", route, body, None if kind == "JSON" else ARROW)
        assert status == 200 or (status in (413, 422) and is_sentence(said)), (number, status, said)
        statuses[status] += 1
    connection.close()
    assert {200, 422} <= set(statuses)


def test_requests_leave_nothing_behind(client: Client) -> None:
    """Of 150 requests more, the objects that Python keeps track of are as many as before.

    What other threads of this process do meanwhile may add to one round, a leak would add to each of them.
    """

    def objects_after_requests() -> int:
        for number in range(50):
            client.send("POST", *json_body(number, NAMES))
            client.rank(arrow_body(number, NAMES), ARROW)
            client.rank(BODY)
        gc.collect()
        return len(gc.get_objects())

    counts = [objects_after_requests() for _ in range(5)]
    assert min(after - before for before, after in pairwise(counts)) < 100


def test_slow_clients_do_not_stop_others(client: Client) -> None:
    host, port = client.host.split(":")
    head = f"POST /rank HTTP/1.1\r\nHost: {client.host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
    with ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(200)]
        for number, connection in enumerate(slow):
            connection.sendall(head.encode() + (b"\r\n" if number % 2 else b""))
        for turn in range(20):
            for connection in slow[turn::20]:
                connection.sendall(b" " if turn % 2 else b"X")
            assert client.rank(BODY)[0] == 200


def test_every_answer_is_that_of_a_sound_model(tmp_path: Path) -> None:
    scores = two_models(tmp_path)
    path, sound = tmp_path / "m.rw", (tmp_path / "one.rw").read_bytes()
    put(tmp_path / "one.rw", path)
    broken = [b"", b"garbage" * 1000, sound[: len(sound) // 2], sound[:500] + bytes([sound[500] ^ 1]) + sound[501:]]

    def is_right(status: int, said: Any) -> bool:
        return status == 200 and said["scores"] == scores[said["model"]["version"]]

    with serving(path) as client:
        load = Load(client, BODY, is_right)
        threads = load.start(threads=2, requests=50)
        for turn in range(24):
            if turn % 2:
                put(tmp_path / ("one.rw" if turn % 4 == 1 else "two.rw"), path)
            elif turn % 12 == 0:
                path.unlink()
            else:
                (tmp_path / "broken.rw").write_bytes(broken[turn % 4])
                put(tmp_path / "broken.rw", path)
            client.service.model.reload_if_changed()
            assert (client.service.model.problem is None) == bool(turn % 2)
        load.enough.set()
        for thread in threads:
            thread.join()
    assert (load.wrong, set(load.versions)) == ([], set(scores))


@pytest.mark.slow
def test_idle_connections_do_not_use_up_the_files(tree_file: Path) -> None:
    """The command with 256 files: 600 connections, and an answer; nothing of it in the log."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # which a new process inherits
        try:
            process, client = stack.enter_context(command(tree_file))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        host, port = client.host.split(":")
        for _ in range(600):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=300))
        assert client.send("GET", "/health")[0] == 200
        process.terminate()
        assert process.stderr is not None
        assert (process.wait(300), process.stderr.read()) == (0, "")
