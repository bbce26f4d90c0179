"""What every request must pass before it comes near the session: host, origin, kind and size of the body."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["MISTAKE", "MOST_BYTES", "Guard"]

log = logging.getLogger("rankwise")

MISTAKE = "this is a mistake in rankwise; what it was stands in the terminal where the page is served"
MOST_BYTES = 64 << 10  # the longest note fits, in any script
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
SECURITY: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Refused(Exception):  # noqa: N818 (it is an answer, not a mistake)
    """A status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """An application around another: refuses what a page of ours would not send, and never shows a traceback."""

    def __init__(self, app: ASGIApp, *, loopback_only: bool) -> None:
        self._app = app
        self._loopback_only = loopback_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers[name] = value
            await send(message)

        try:
            self._check(scope["method"], Headers(scope=scope))
            body = await _body(Headers(scope=scope), receive)
            await self._app(scope, _replay(body, receive), send_safely)
        except Refused as refused:
            await _answer(send_safely, refused.status, str(refused))
        except Exception:
            if not started:  # else the application has answered, and logged it
                log.exception("a request failed")
                await _answer(send_safely, 500, MISTAKE)

    def _check(self, method: str, headers: Headers) -> None:
        host = headers.get("host", "")
        if self._loopback_only and _name(f"//{host}") not in LOOPBACK:
            # A name of somebody else that leads here (DNS rebinding) would make their page ours.
            raise Refused(403, f"this page is at 127.0.0.1 or localhost, got host {host[:60]!r}; open it there")
        site, origin = headers.get("sec-fetch-site", "same-origin"), headers.get("origin")
        if method in ("GET", "HEAD"):
            if site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
                raise Refused(403, "another site asked for this; open the page itself")
            return
        if site not in ("same-origin", "none") or (origin is not None and origin not in _origins(host)):
            raise Refused(403, "this was sent from another site, and nothing was changed; use the page itself")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "the body must be JSON, with content type application/json")


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _origins(host: str) -> set[str]:
    return {f"http://{host}", f"https://{host}"}  # https: behind a proxy of the user's own


async def _body(headers: Headers, receive: Receive) -> bytes:
    """The whole body, which may come without a length; a long one is not read to its end."""
    too_long = Refused(413, f"a body may have {MOST_BYTES:,} bytes at most; shorten the note")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise too_long
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise too_long
        if not message.get("more_body", False):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _answer(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": sentence}).encode()})
