"""Answers are those of uvicorn, byte for byte, but those that are there as a whole are written at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from rankwise.serve._http import BoundedHttp, ConnectionLimits

GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
CLOSING = b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
OLD = b"GET / HTTP/1.0\r\nHost: here\r\n\r\n"
HEAD = b"HEAD / HTTP/1.1\r\nHost: here\r\n\r\n"
REQUESTS = [GET, CLOSING, OLD, HEAD]


def start(*headers: tuple[bytes, bytes], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}


def piece(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


LENGTH = (b"content-length", b"2")
WHOLE: list[list[Any]] = [
    [start(LENGTH), piece(b"ab")],
    [start(LENGTH, (b"x", b"\xe9"), status=503), piece(b"ab")],
    [start((b"content-length", b"0")), piece(b"")],
]
OTHERS: list[list[Any]] = [
    [start(), piece(b"ab")],
    [start(LENGTH), piece(b"a", more=True), piece(b"b")],
    [start((b"transfer-encoding", b"chunked")), piece(b"a", more=True), piece(b"")],
    [start(LENGTH, (b"connection", b"close")), piece(b"ab")],
    [start((b"content-length", b"1")), piece(b"ab")],
    [start((b"content-length", b"3")), piece(b"ab")],
    [start(LENGTH, (b"x", b"1\r\ny: 2")), piece(b"ab")],
    [start(LENGTH, (b"x", b"1\ny: 2")), piece(b"ab")],
    [piece(b"ab")],
    [],
]


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def resume_reading(self) -> None:
        pass


def answer(messages: list[Any], sent: bytes, kind: Any, **options: Any) -> tuple[list[bytes], bool]:
    """What is written, and whether the connection is closed."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(dict(message))

    async def run() -> Wire:
        state, wire = ServerState(), Wire()
        connection = kind(Config(app, lifespan="off", log_config=None), state, {}, **options)
        connection.connection_made(wire)
        connection.data_received(sent)
        await asyncio.gather(*state.tasks)
        return wire

    wire = asyncio.run(run())
    return wire.writes, wire.closed


def both(messages: list[Any], sent: bytes) -> tuple[list[bytes], list[bytes]]:
    """The writes of ours and of uvicorn."""
    ours, is_closed = answer(
        messages, sent, BoundedHttp, limits=ConnectionLimits(), received=memoryview(bytearray(1000))
    )
    theirs, theirs_is_closed = answer(messages, sent, HttpToolsProtocol)
    assert b"".join(ours) == b"".join(theirs)
    assert is_closed == theirs_is_closed
    return ours, theirs


@pytest.mark.parametrize("sent", REQUESTS)
@pytest.mark.parametrize("messages", WHOLE)
def test_a_whole_answer_is_written_at_once(messages: list[Any], sent: bytes) -> None:
    ours, theirs = both(messages, sent)
    assert len(ours) == (1 if sent == GET else len(theirs))


@pytest.mark.parametrize("sent", REQUESTS)
@pytest.mark.parametrize("messages", OTHERS)
def test_other_answers_are_uvicorns(messages: list[Any], sent: bytes) -> None:
    both(messages, sent)


def test_a_head_without_a_body_is_no_answer() -> None:
    ours, _ = answer([start(LENGTH)], GET, BoundedHttp, limits=ConnectionLimits(), received=memoryview(bytearray(1000)))
    assert ours[0].startswith(b"HTTP/1.1 500 ")
