"""What every request must pass before it reaches an application: a chain of ASGI applications, each around the next.

`Guard` stands first: it checks the host and turns what the others raise into an answer. `WholeBody` stands last before
the application: it checks origin, content type and size, and passes the body on in one piece. Between the two an
application may put its own, which raise `HTTPRefusal` by what the headers say, before the body is read.

Starlette's TrustedHostMiddleware does not read addresses in brackets (`[::1]:8765`), and answers in plain text.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

INTERNAL_ERROR = "this is a mistake in rankwise; what it was stands in the terminal where it is served"
LOOPBACK_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d*)?", re.IGNORECASE | re.ASCII)
SECURITY_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
HEADERS_KEY = "rankwise.headers"
MAX_HELD_BODIES = 16
LINGER_SECONDS = 3.0  # in which a refused body may come to its end, so that its sender reads why


class HTTPRefusal(Exception):  # noqa: N818 (it is an answer, not a mistake)
    """A status and a sentence, and a header that such a status has."""

    def __init__(self, status: int, sentence: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = headers


class ClientDisconnected(Exception):  # noqa: N818
    """The sender left before the end of the body."""


@dataclass(frozen=True)
class RequestPolicy:
    """Which requests are let in: bodies of these content types and of so many bytes.

    `shorten` says what to do about a body that is too long.
    """

    loopback_only: bool
    max_bytes: int
    shorten: str
    content_types: tuple[str, ...] = ("application/json",)


class Guard:
    """The first of the chain: checks the host, answers refusals, and never shows a traceback."""

    def __init__(self, app: ASGIApp, policy: RequestPolicy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        started, incoming = False, _Incoming(receive)

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
            await send(message)

        try:
            self._check_host(scope)
            await self._app(scope, incoming, send_safely)
        except HTTPRefusal as refusal:
            await _refuse(refusal, incoming, send_safely)
        except ClientDisconnected:
            return
        except Exception:
            if not started:  # else the application has answered, and logged it
                log.exception("a request failed")
                await _answer(send_safely, HTTPRefusal(500, INTERNAL_ERROR))

    def _check_host(self, scope: Scope) -> None:
        """Whether the host is this machine: a name of somebody else that leads here would make their page ours."""
        if self._policy.loopback_only:
            host = headers_of(scope).get("host", "")
            if LOOPBACK_HOST.fullmatch(host) is None:
                raise HTTPRefusal(
                    403, f"this is served at 127.0.0.1 or localhost, got host {host[:60]!r}; ask for it there"
                )


class WholeBody:
    """The last of the chain: refuses what pages of other sites send, other content types and long bodies.

    All bodies that have begun to come and are not answered share `MAX_HELD_BODIES` of the longest, so that many clients
    that send slowly cannot fill the memory.
    """

    def __init__(self, app: ASGIApp, policy: RequestPolicy) -> None:
        self._app = app
        self._policy = policy
        self._held = 0  # bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, its body in one piece."""
        headers = headers_of(scope)
        self._check_origin(scope, headers)
        held = 0

        def hold(size: int) -> None:
            nonlocal held
            held += size
            self._held += size
            if self._held > MAX_HELD_BODIES * self._policy.max_bytes:
                raise HTTPRefusal(503, "too many long bodies are under way; send it to another one, or later")

        try:
            body: bytes | None = await self._read(headers, receive, hold)

            async def receive_whole() -> Message:
                nonlocal body
                if body is None:
                    return await receive()
                message = {"type": "http.request", "body": body, "more_body": False}
                body = None
                return message

            await self._app(scope, receive_whole, send)
        finally:
            self._held -= held

    def _check_origin(self, scope: Scope, headers: Mapping[str, str]) -> None:
        site = headers.get("sec-fetch-site", "same-origin")
        if scope["method"] in ("GET", "HEAD"):
            if site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
                raise HTTPRefusal(403, "another site asked for this; open the page itself")
            return
        host, origin = headers.get("host", ""), headers.get("origin")
        origins = (None, f"http://{host}", f"https://{host}")  # https: behind a proxy of the user's own
        if site not in ("same-origin", "none") or origin not in origins:
            raise HTTPRefusal(403, "this was sent from a page of another site, and nothing was done; send it from here")
        if media_type(headers) not in self._policy.content_types:
            allowed = " or ".join(self._policy.content_types)
            raise HTTPRefusal(415, f"the content type of a body must be {allowed}; set the header")
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise HTTPRefusal(415, "the body is compressed, and is not unpacked; send it without a content encoding")

    async def _read(self, headers: Mapping[str, str], receive: Receive, hold: Callable[[int], None]) -> bytes:
        """The whole body, which may come without a length; a long one is not read to its end."""
        max_bytes = self._policy.max_bytes
        too_long = HTTPRefusal(413, f"a body may have {max_bytes:,} bytes at most; {self._policy.shorten}")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > max_bytes:
            raise too_long
        pieces, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnected
            piece = message.get("body", b"")
            pieces.append(piece)
            size += len(piece)
            if size > max_bytes:
                raise too_long
            hold(len(piece))
            if not message.get("more_body", False):
                return b"".join(pieces)


def headers_of(scope: Scope) -> Mapping[str, str]:
    """The headers of a request by their names in lower case, the first where there are several; read once for all."""
    headers: dict[str, str] | None = scope.get(HEADERS_KEY)
    if headers is None:
        pairs = reversed(scope["headers"])
        headers = scope[HEADERS_KEY] = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
    return headers


def media_type(headers: Mapping[str, str]) -> str:
    """The content type without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


class _Incoming:
    """The messages of a request, and whether its body has come to its end."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.ended = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self.ended = not message.get("more_body", False)
        return message


async def _answer(send: Send, refusal: HTTPRefusal, ends: bool = True) -> None:
    """A refusal, after which the connection is closed: at once, or where it does not end, when an end is sent."""
    body = json.dumps({"error": str(refusal)}).encode()
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refusal.status, "headers": [*headers, *refusal.headers]})
    await send({"type": "http.response.body", "body": body, "more_body": not ends})


async def _refuse(refusal: HTTPRefusal, incoming: _Incoming, send: Send) -> None:
    """The answer at once; the connection stays open until the sender has sent all, else it would not read it."""
    await _answer(send, refusal, ends=False)
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while not incoming.ended:
                await incoming()
    await send({"type": "http.response.body", "body": b""})
