"""What every request must pass before it comes near an application: host, origin, kind and size of the body."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

MISTAKE = "this is a mistake in rankwise; what it was stands in the terminal where it is served"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
SECURITY = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
SECURITY_HEADERS = [(name.encode(), value.encode()) for name, value in SECURITY.items()]
LINGER = 3.0  # seconds in which a refused body may come to its end, so that its sender reads why


class Refused(Exception):  # noqa: N818 (it is an answer, not a mistake)
    """A status and a sentence, and a header that such a status has."""

    def __init__(self, status: int, sentence: str, header: tuple[bytes, bytes] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.header = header


class Gone(Exception):  # noqa: N818
    """The sender left before the end of the body."""


def _admit_all(scope: Scope, headers: Headers) -> None:
    """Nothing more to check."""


@dataclass(frozen=True)
class Door:
    """What may come in: bodies of these content types (in words: `kinds_named`) and of so many bytes.

    `admit` may refuse by what the headers say, before the body is read; `shorten` says what to do about a long one.
    """

    loopback_only: bool
    most_bytes: int
    shorten: str
    kinds: tuple[str, ...] = ("application/json",)
    kinds_named: str = "JSON, with content type application/json"
    admit: Callable[[Scope, Headers], None] = _admit_all


class Guard:
    """An application around another: refuses what ours would not send, and never shows a traceback.

    The application inside gets the body in one piece.
    """

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

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
            headers = Headers(scope=scope)
            self._check(scope, headers)
            body = await self._body(headers, incoming)
            await self._app(scope, _replay(body, incoming), send_safely)
        except Refused as refused:
            await _refuse(refused, incoming, send_safely)
        except Gone:
            return
        except Exception:
            if not started:  # else the application has answered, and logged it
                log.exception("a request failed")
                await answer(send_safely, 500, MISTAKE)

    def _check(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        if self._door.loopback_only and _name(f"//{host}") not in LOOPBACK:
            # A name of somebody else that leads here (DNS rebinding) would make their page ours.
            raise Refused(403, f"this is served at 127.0.0.1 or localhost, got host {host[:60]!r}; ask for it there")
        self._door.admit(scope, headers)
        site, origin = headers.get("sec-fetch-site", "same-origin"), headers.get("origin")
        if scope["method"] in ("GET", "HEAD"):
            if site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
                raise Refused(403, "another site asked for this; open the page itself")
            return
        if site not in ("same-origin", "none") or (origin is not None and origin not in _origins(host)):
            raise Refused(403, "this was sent from a page of another site, and nothing was done; send it from here")
        if headers.get("content-type", "").partition(";")[0].strip().lower() not in self._door.kinds:
            raise Refused(415, f"the body must be {self._door.kinds_named}; set the header")

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body, which may come without a length; a long one is not read to its end."""
        most = self._door.most_bytes
        too_long = Refused(413, f"a body may have {most:,} bytes at most; {self._door.shorten}")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > most:
            raise too_long
        pieces, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Gone
            piece = message.get("body", b"")
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise too_long
            if not message.get("more_body", False):
                return b"".join(pieces)


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _origins(host: str) -> set[str]:
    return {f"http://{host}", f"https://{host}"}  # https: behind a proxy of the user's own


class _Incoming:
    """The messages of a request, and whether its body has come to its end."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.ended = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self.ended = not message.get("more_body", False)
        return message


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def answer(send: Send, status: int, sentence: str, *more: tuple[bytes, bytes], ends: bool = True) -> None:
    """A refusal, after which the connection is closed: at once, or where it does not end, when an end is sent."""
    body = json.dumps({"error": sentence}).encode()
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close"), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": not ends})


async def _refuse(refused: Refused, incoming: _Incoming, send: Send) -> None:
    """The answer at once; the connection stays open until the sender has sent all, else it would not read it."""
    await answer(send, refused.status, str(refused), *filter(None, [refused.header]), ends=False)
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while not incoming.ended:
                await incoming()
    await send({"type": "http.response.body", "body": b""})
