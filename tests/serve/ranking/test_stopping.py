"""SIGTERM and Ctrl-C: what is under way is answered, what is new refused, and the exit code is 0."""

from __future__ import annotations

import json
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.serve.ranking.factories import Client, X, command

pytestmark = pytest.mark.slow

BODY = json.dumps({"features": X.tolist()}).encode()


def begin(client: Client) -> socket.socket:
    """A request of which the last byte is still to come."""
    host, port = client.host.split(":")
    sent = socket.create_connection((host, int(port)), timeout=300)
    head = f"POST /rank HTTP/1.1\r\nHost: {client.host}\r\nContent-Type: application/json\r\n"
    sent.sendall(f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY[:-1])
    while "rankwise_requests_under_way 2" not in client.send("GET", "/metrics")[1]:
        time.sleep(0.01)
    return sent


def until_stopping(client: Client) -> None:
    while (answer := client.send("GET", "/health"))[0] == 200:
        time.sleep(0.01)
    assert answer[0] == 503
    assert answer[1]["status"] == "stopping"


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_answered(tree_file: Path, sig: signal.Signals) -> None:
    with command(tree_file, "--drain-seconds", "60") as (process, client):
        sent = begin(client)
        process.send_signal(sig)
        until_stopping(client)
        status, said = client.rank(BODY)
        assert (status, "being stopped" in said["error"]) == (503, True)
        assert process.poll() is None
        sent.sendall(BODY[-1:])
        answer = b""
        while piece := sent.recv(65536):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert len(json.loads(answer.partition(b"\r\n\r\n")[2])["order"]) == len(X)
        assert process.wait(300) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_what_never_ends_is_not_waited_for(tree_file: Path) -> None:
    with command(tree_file, "--drain-seconds", "0.3") as (process, client):
        host, port = client.host.split(":")
        with begin(client), socket.create_connection((host, int(port)), timeout=300):
            process.terminate()
            assert process.wait(300) == 0
