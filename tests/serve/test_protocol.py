"""HTTP itself: headers that do not end, what two readers could understand in two ways, answers in their order."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rankwise.serve._http import MAX_HEADER_BYTES
from rankwise.serve._server import BoundedServer, config_for, listening

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
        server = BoundedServer(config_for(app, close_seconds=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]})
        thread.start()
        yield found.getsockname()
        server.should_exit = True
        thread.join()


def is_refused(address: tuple[str, int], start: bytes, piece: bytes, most: int) -> bool:
    """Whether a start and pieces without an end, of which so many are sent at most, bring a 431 or a closed door."""
    with socket.create_connection(address, timeout=300) as sent:
        sent.sendall(start)
        sent.settimeout(0.001)
        for _ in range(most):
            try:
                sent.sendall(piece)
                return sent.recv(1000).startswith(b"HTTP/1.1 431 ")
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


BODY = b"y" * 24
GET, SIZED = b"GET / HTTP/1.1\r\nHost: here\r\n", b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 24\r\n"
CHUNKED = b"18\r\n" + BODY + b"\r\n0\r\n\r\n"
AMBIGUOUS = {  # a proxy before us could take the body to end elsewhere
    "a length and chunks": SIZED + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "chunks and a length": POST + b"Content-Length: 24\r\n\r\n" + CHUNKED,
    "two lengths": SIZED + b"Content-Length: 5\r\n\r\n" + BODY,
    "a length twice": SIZED + b"Content-Length: 24\r\n\r\n" + BODY,
    "a list of lengths": GET + b"Content-Length: 24, 24\r\n\r\n" + BODY,
    "a length with a sign": GET + b"Content-Length: +24\r\n\r\n" + BODY,
    "a length beyond 64 bits": GET + b"Content-Length: 18446744073709551640\r\n\r\n" + BODY,
    "a length of many digits": GET + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    "chunks twice": POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "another coding, then chunks": GET + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKED,
    "chunks, then another coding": GET + b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKED,
    "a coding of a similar name": GET + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKED,
    "chunks in HTTP/1.0": POST.replace(b"/1.1", b"/1.0") + b"\r\n" + CHUNKED,
    "a blank before the colon": GET + b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKED,
    "a folded line": GET + b"X: a\r\n Content-Length: 5\r\n\r\n",
    "line feeds alone": GET.replace(b"\r", b"") + b"\n",
    "a zero byte": GET + b"X: a\x00b\r\n\r\n",
    "a chunk's size with 0x": POST + b"\r\n0x" + CHUNKED,
    "a chunk's size with a sign": POST + b"\r\n-" + CHUNKED,
    "a chunk beyond 64 bits": POST + b"\r\nffffffffffffffff" + CHUNKED,
    "a chunk longer than it says": POST + b"\r\n17" + CHUNKED[2:],
    "two hosts": GET + b"Host: there\r\n\r\n",
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a tunnel": b"CONNECT there:80 HTTP/1.1\r\nHost: here\r\n\r\n",
    "a path that is not ASCII": "GET /ä HTTP/1.1\r\nHost: here\r\n\r\n".encode(),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_could_be_understood_in_two_ways(address: tuple[str, int], name: str) -> None:
    seen.clear()
    answer = exchange(address, AMBIGUOUS[name])
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b"connection: close" in answer
    assert answer.endswith(b'{"error": "this is not HTTP/1.1 as RFC 9112 has it; send it with an HTTP client"}')
    assert seen == []


def all_of(address: tuple[str, int], sent: bytes) -> bytes:
    with socket.create_connection(address, timeout=300) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("long", [b"X: " + b"x" * 200_000 + b"\r\n", b"X: y\r\n" * 20_000])
def test_long_headers_that_come_at_once(address: tuple[str, int], long: bytes) -> None:
    assert is_refused(address, GET + long, b"", 1) or is_refused(address, GET + long, b"x", 5_000)


def test_answers_have_the_order_of_their_requests(address: tuple[str, int]) -> None:
    """What is not HTTP after sound requests ends the connection when these are answered."""
    seen.clear()
    answers = all_of(address, (SIZED + b"\r\n" + BODY) * 3 + b"\x00\r\n\r\n")
    assert (answers.count(b"HTTP/1.1 200 "), answers.count(b"HTTP/1.1 ")) == (3, 3)
    assert [body for body, _ in seen] == [BODY] * 3


def test_few_requests_wait_for_answers(address: tuple[str, int]) -> None:
    seen.clear()
    assert 1 <= all_of(address, (GET + b"\r\n") * 5_000).count(b"HTTP/1.1 200 ") == len(seen) < 50


@pytest.mark.parametrize("protocol", [b"h2c", b"websocket"])
def test_a_wish_for_another_protocol_is_ignored(address: tuple[str, int], protocol: bytes) -> None:
    """Java's client sends it with its first request; the body was lost."""
    seen.clear()
    wish = b"Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA\r\nUpgrade: " + protocol + b"\r\n\r\n"
    last = GET + b"Connection: close\r\n\r\n"
    answers = all_of(address, SIZED + wish + BODY + SIZED + b"\r\n" + BODY + last)
    assert answers.count(b"HTTP/1.1 200 ") == 3
    assert [body for body, _ in seen] == [BODY, BODY, b""]
