"""HTTP/1.1 with bounds: how long a client may take, how much it may send, and how many there may be.

HTTP is read by httptools, which is quicker than h11 but knows no limit of its own, and uvicorn has one for idle
connections alone. What a connection waits for has a deadline, at which the server looks once per second.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rankwise.serve._exchange import Exchange
from rankwise.serve._guard import HTTPRefusal

MAX_HEADER_BYTES = 16 << 10
MAX_WAITING_BYTES = 1 << 18  # of a body that are held back from an application, which may refuse it
MAX_PIPELINED = 16  # requests that wait for the answers to those before them
NOT_HTTP = "this is not HTTP/1.1 as RFC 9112 has it; send it with an HTTP client"
TOO_LONG = f"the headers have more than {MAX_HEADER_BYTES:,} bytes; send fewer or shorter ones"


@dataclass(frozen=True)
class ConnectionLimits:
    """Connections of a process, and the seconds they have: for headers, a body, to take an answer, and between two."""

    max_connections: int = 1000
    keep_alive_seconds: int = 75  # longer than proxies keep theirs, so that they do not send to a closed connection
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    answer_seconds: float = 30.0


class Stage(Enum):
    """What of a request is there."""

    NOTHING = auto()
    HEADERS = auto()  # some of them
    BODY = auto()  # all headers, not all of the body
    ALL = auto()


class BoundedHttp(HttpToolsProtocol, asyncio.BufferedProtocol):
    """A connection that is closed when it takes too long, sends too much, or is one too many.

    What comes is read into `received`, which all connections of a server share: it is used up before the next is read.
    """

    def __init__(self, *args: Any, limits: ConnectionLimits, received: memoryview, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._received = received
        self._stage = Stage.NOTHING
        self._since = self._deadline = 0.0  # the stage began; it must end
        self._unread_since: float | None = None  # of an answer
        self._head_bytes = self._unended = 0
        self._is_deaf = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come; if it is one too many, who has waited longest for a request's end must go."""
        super().connection_made(transport)
        self._enter(Stage.NOTHING, self._limits.header_seconds)
        if len(self.connections) > self._limits.max_connections:
            waiting = [other for other in self.connections if other is not self and other._stage is not Stage.ALL]  # type: ignore[union-attr]
            if waiting:
                oldest: Any = min(waiting, key=lambda other: other._since)  # type: ignore[union-attr]
                self.connections.discard(oldest)  # now, not when it is closed: the next one too many needs another
                oldest.transport.abort()
            else:
                self._refuse(HTTPRefusal(503, "too many requests are under way; send it to another one, or later"))

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where to put what comes."""
        return self._received

    def buffer_updated(self, nbytes: int) -> None:
        """Some bytes have come."""
        self.data_received(self._received[:nbytes])

    def data_received(self, data: bytes | memoryview) -> None:
        """Some bytes."""
        if self._is_deaf:
            return
        self._unset_keepalive_if_required()
        if self._stage is Stage.NOTHING:
            self._enter(Stage.HEADERS, self._limits.header_seconds)
        self._unended += len(data)
        try:
            self._feed(data)
            if self._unended > MAX_HEADER_BYTES and self._stage is not Stage.ALL:
                raise HTTPRefusal(431, TOO_LONG)
        except httptools.HttpParserError as problem:
            refusal = problem.__context__  # what a callback raised
            self._refuse(refusal if isinstance(refusal, HTTPRefusal) else HTTPRefusal(400, NOT_HTTP))
        except HTTPRefusal as refusal:
            self._refuse(refusal)

    def _feed(self, data: bytes | memoryview) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            # Java's client asks for HTTP/2 by the way, and httptools then takes the body for the other protocol.
            # To ignore that is our right (RFC 9110, 7.8), so the request is read again without it.
            headers = [(name, value) for name, value in self.headers if name not in (b"upgrade", b"connection")]
            head = b"%s %s HTTP/1.1\r\n" % (self.parser.get_method(), self.url)
            self.parser = httptools.HttpRequestParser(self)
            self._feed(
                head + b"".join(b"%s: %s\r\n" % header for header in headers) + b"\r\n" + data[upgrade.args[0] :]
            )

    def on_message_begin(self) -> None:
        """The next request."""
        self._unended = self._head_bytes = 0
        if self._stage is Stage.ALL:
            self._enter(Stage.HEADERS, self._limits.header_seconds)
        if len(self.pipeline) >= MAX_PIPELINED:
            raise HTTPRefusal(400, "too many requests wait for an answer on this connection; wait for answers")
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A piece of what is asked for."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; one that follows a body is left out, as it was not there when the request was let in."""
        if self._stage is Stage.HEADERS:
            self._count(len(name) + len(value) + 4)
            super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEADER_BYTES:
            raise HTTPRefusal(431, TOO_LONG)

    def on_headers_complete(self) -> None:
        """All headers are there; two readers must not understand them in two ways."""
        if self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT":
            return
        hosts = sum(name == b"host" for name, _ in self.headers)
        codings = [value.strip().lower() for name, value in self.headers if name == b"transfer-encoding"]
        is_old = self.parser.get_http_version() != "1.1"
        if hosts > 1 or codings not in ([], [b"chunked"]) or (codings and is_old):
            raise HTTPRefusal(400, NOT_HTTP)
        self._unended = 0
        self._enter(Stage.BODY, self._limits.body_seconds)
        super().on_headers_complete()
        self.cycle.__class__ = Exchange  # uvicorn has no place to name a class for it

    def on_body(self, body: bytes) -> None:
        """A piece of the body; ours are read whole, so that the application is not woken for each."""
        self._unended = 0
        if self.cycle.response_complete or len(self.cycle.body) > MAX_WAITING_BYTES:
            super().on_body(body)
        else:
            self.cycle.body += body

    def on_message_complete(self) -> None:
        """All of a request is there."""
        if self._stage is Stage.BODY:  # else it is read again, see _feed
            self._enter(Stage.ALL)
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer is written; the next request may be waiting, whose body could not come until now."""
        waits = bool(self.pipeline)
        super().on_response_complete()
        if self._stage is Stage.BODY:
            self._enter(Stage.BODY, self._limits.body_seconds)
        elif self._stage is Stage.ALL and not waits:
            self._enter(Stage.NOTHING)  # uvicorn closes it after keep_alive_seconds

    def _enter(self, stage: Stage, seconds: float = math.inf) -> None:
        self._stage, self._since = stage, self.loop.time()
        self._deadline = self._since + seconds

    def expire(self, now: float) -> None:
        """Close the connection if its time is up."""
        if self.transport.is_closing() or self.flow.write_paused:  # until the client has taken its answer
            self._unread_since = self._unread_since or now
            if now - self._unread_since > self._limits.answer_seconds:
                self.transport.abort()
            return
        self._unread_since = None
        if now > self._deadline and not self.flow.read_paused:
            if self._stage is Stage.NOTHING:
                self.transport.close()
            else:
                part = "headers" if self._stage is Stage.HEADERS else "body"
                seconds = self._limits.header_seconds if part == "headers" else self._limits.body_seconds
                self._refuse(HTTPRefusal(408, f"the {part} took more than {seconds:g} seconds; send it faster"))

    def _refuse(self, refusal: HTTPRefusal) -> None:
        """Answer what cannot be passed on, and close; but nothing in the place of an answer that is due before."""
        self._is_deaf = True
        if self.cycle is not None and not self.cycle.response_complete:
            if self._stage is Stage.HEADERS:  # of the next: all before it are answered
                self.cycle.keep_alive = False
                return
            if self.pipeline or self.cycle.response_started:
                self.transport.abort()
                return
        body = json.dumps({"error": str(refusal)}).encode()
        self.transport.write(
            b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s"
            % (refusal.status, HTTPStatus(refusal.status).phrase.encode(), len(body), body)
        )
        self.transport.close()
