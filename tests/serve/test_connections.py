"""Clients that are slow, silent or too many: they are closed, and others are answered."""

from __future__ import annotations

import asyncio
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from rankwise.serve._http import ConnectionLimits
from rankwise.serve._server import RESERVED_FILES, BoundedServer, config_for, listening

GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n"
LARGE = b"x" * (64 << 20)  # more than sockets hold
NEVER = 10_000


@dataclass
class Served:
    server: BoundedServer
    address: Any

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=300)


@contextmanager
def served(large: bool = False, gate: threading.Event | None = None, **limits: Any) -> Iterator[Served]:
    """A small application, whose answers may be large or have to wait."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            more = message["more_body"]
        while gate is not None and not gate.is_set():
            await asyncio.sleep(0.01)
        body = LARGE if large else b"ok"
        length = str(len(body)).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
        await send({"type": "http.response.body", "body": body})

    given = ConnectionLimits(**{"header_seconds": NEVER, "body_seconds": NEVER, "answer_seconds": NEVER, **limits})
    with listening("127.0.0.1", 0) as found:
        server = BoundedServer(config_for(app, 1, given))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]})
        thread.start()
        try:
            yield Served(server, found.getsockname())
        finally:
            server.should_exit = True
            thread.join()


def read_all(connection: socket.socket) -> bytes:
    try:
        return b"".join(iter(lambda: connection.recv(65536), b""))
    except ConnectionError:
        return b""


def is_answered(connection: socket.socket) -> bool:
    answer = b""
    while not answer.endswith(b"\r\n\r\nok") and (piece := connection.recv(1000)):
        answer += piece
    return answer.startswith(b"HTTP/1.1 200 ")


def test_what_takes_too_long_is_closed() -> None:
    with served(header_seconds=0.1, body_seconds=0.1) as site, ExitStack() as stack:
        silent, blank, headers, body, second = (stack.enter_context(site.connect()) for _ in range(5))
        blank.sendall(b"\r\n")
        headers.sendall(GET[:-2])
        body.sendall(POST + b"1234")
        second.sendall(GET + GET[:20])
        assert read_all(silent) == b""
        assert read_all(blank).startswith(b"HTTP/1.1 408 ")
        assert read_all(headers).startswith(b"HTTP/1.1 408 ")
        assert b"the body took more than 0.1 seconds" in read_all(body)
        answers = read_all(second)
        assert (answers.count(b"HTTP/1.1 200 "), answers.count(b"HTTP/1.1 408 ")) == (1, 1)


def test_an_idle_connection_is_closed() -> None:
    with served(keep_alive_seconds=1) as site, site.connect() as idle:
        idle.sendall(GET)
        assert read_all(idle).startswith(b"HTTP/1.1 200 ")


def test_an_answer_that_is_not_taken() -> None:
    with served(large=True, answer_seconds=0.1) as site, site.connect() as connection:
        connection.sendall(GET)
        assert connection.recv(9) == b"HTTP/1.1 "
        while site.server.server_state.connections:
            time.sleep(0.01)
        assert len(read_all(connection)) < len(LARGE)


def test_one_too_many_takes_the_place_of_the_one_that_waits_longest() -> None:
    with served(max_connections=4) as site, ExitStack() as stack:
        idle = [stack.enter_context(site.connect()) for _ in range(3)]
        idle[1].sendall(POST)
        idle[2].sendall(GET)
        assert is_answered(idle[2])  # so it waits since now
        for _ in range(20):
            with site.connect() as more:
                more.sendall(GET)
                assert is_answered(more)
        many = [stack.enter_context(site.connect()) for _ in range(30)]
        assert [read_all(connection) for connection in [*idle, *many[:26]]] == [b""] * 29
        many[-1].sendall(GET)
        assert is_answered(many[-1])


def test_requests_under_way_are_not_given_up_for_new_ones() -> None:
    gate = threading.Event()
    with served(max_connections=2, gate=gate) as site, site.connect() as one, site.connect() as two:
        for connection in (one, two):
            connection.sendall(GET)
        while len(site.server.server_state.tasks) < 2:
            time.sleep(0.01)
        for _ in range(5):
            with site.connect() as more:
                assert read_all(more).startswith(b"HTTP/1.1 503 ")
        gate.set()
        for connection in (one, two):
            assert is_answered(connection)


def test_there_are_files_for_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(files: int) -> int:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
        http: Any = config_for(lambda *_: None, 1).http  # type: ignore[arg-type]
        limits: ConnectionLimits = http.keywords["limits"]
        return limits.max_connections

    assert [kept(resource.RLIM_INFINITY), kept(100_000), kept(1024), kept(50)] == [1000, 1000, 1024 - RESERVED_FILES, 1]
