"""Headers that do not end are refused, before and after a body; what follows a body is no header."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from rankwise.serve._server import MAX_HEADER_BYTES, config_for, listening

POST = b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n"
seen: list[tuple[bytes, list[Any]]] = []


async def app(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    seen.append((body, scope["headers"]))
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with listening("127.0.0.1", 0) as found:
        server = uvicorn.Server(config_for(app, close_seconds=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]})
        thread.start()
        yield found.getsockname()
        server.should_exit = True
        thread.join()


def is_refused(address: tuple[str, int], start: bytes, piece: bytes, most: int) -> bool:
    """Whether a start and pieces without an end, of which so many are sent at most, bring a 400 or a closed door."""
    with socket.create_connection(address, timeout=300) as sent:
        sent.sendall(start)
        sent.settimeout(0.001)
        for _ in range(most):
            try:
                sent.sendall(piece)
                return sent.recv(1000).startswith(b"HTTP/1.1 400 ")
            except TimeoutError:
                continue
            except ConnectionError:  # a sender that does not stop may lose the answer
                return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\nX: ", b"GET /", POST + b"\r\n1\r\nx\r\n0\r\nX: "])
@pytest.mark.parametrize("piece", [b"x" * 20_000, b"x\r\nY: " * 5_000])
def test_what_does_not_end(address: tuple[str, int], start: bytes, piece: bytes) -> None:
    if start != b"GET /" or b"\r" not in piece:  # which would end the line
        assert is_refused(address, start, piece, 5_000)


def exchange(address: tuple[str, int], *pieces: bytes) -> bytes:
    with socket.create_connection(address, timeout=300) as sent:
        for piece in pieces:
            sent.sendall(piece)
        return sent.recv(1000)


def test_long_headers_and_long_bodies_are_read(address: tuple[str, int]) -> None:
    seen.clear()
    pieces = [b"10000\r\n" + b"y" * 65536 + b"\r\n"] * 40
    long = b"X: " + b"x" * (MAX_HEADER_BYTES // 2) + b"\r\n\r\n"
    assert exchange(address, POST + long, *pieces, b"0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert seen[0][0] == b"y" * 65536 * 40


def test_what_follows_a_body_is_no_header(address: tuple[str, int]) -> None:
    seen.clear()
    assert exchange(address, POST + b"\r\n1\r\nx\r\n0\r\nAuthorization: Bearer x\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert [name for name, _ in seen[0][1]] == [b"host", b"transfer-encoding"]
