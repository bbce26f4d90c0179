"""The application on a port, until Ctrl-C.

HTTP is read by httptools, which is quicker than h11 but knows no limit of its own.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rankwise.errors import DataError

REMEDIES = {
    errno.EADDRINUSE: "stop what uses it, or pass another --port (0 takes a free one)",
    errno.EACCES: "pass a --port from 1024",
    errno.EADDRNOTAVAIL: "pass an address of this machine",
}
MAX_HEADER_BYTES = 32 << 10  # that may come, after those that come at once, without the end of the headers
MAX_WAITING_BYTES = 1 << 20  # of a body that are held back from an application, which may refuse it
KEEP_ALIVE_SECONDS = 75  # longer than proxies keep theirs, so that they do not send to a closed connection


class BoundedHttp(HttpToolsProtocol):
    """Refuses headers (and what may follow a body) that do not end; what they could say has no use here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unended = 0
        self._in_headers = False

    def data_received(self, data: bytes) -> None:
        """Some bytes of a connection."""
        if self._unended > MAX_HEADER_BYTES:
            self.send_400_response("The headers are too long.")
            return
        self._unended += len(data)
        super().data_received(data)

    def on_message_begin(self) -> None:
        """The next request."""
        self._unended, self._in_headers = 0, True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; one that follows a body is left out, as it was not there when the request was let in."""
        if self._in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """All headers are there."""
        self._unended, self._in_headers = 0, False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body; ours are read whole, so that the application is not woken for each."""
        self._unended = 0
        if self.cycle.response_complete or len(self.cycle.body) > MAX_WAITING_BYTES:
            super().on_body(body)
        else:
            self.cycle.body += body


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that takes connections from here on, so that its address is known before the server runs."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with closing(socket.socket(family, kind, protocol)) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(address)
                listener.listen(1024)
            except OSError as problem:
                remedy = REMEDIES.get(problem.errno or 0, "pass another --host or --port")
                raise DataError(f"cannot listen at {host} port {port} ({problem.strerror}); {remedy}") from problem
            yield listener
    except socket.gaierror as problem:
        raise DataError(f"{host} is no address ({problem.strerror}); pass one such as 127.0.0.1") from problem


def url_of(host: str, listener: socket.socket) -> str:
    """Where a browser finds it."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "localhost") else "[::1]" if host == "::" else host
    return f"http://{f'[{shown}]' if ':' in shown and '[' not in shown else shown}:{listener.getsockname()[1]}/"


def config_for(app: ASGIApp, close_seconds: int) -> uvicorn.Config:
    """How an application is run; its connections may take so many seconds to end when it stops."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # what a stranger sends is not for our terminal
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=close_seconds,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        http=BoundedHttp,
        ws="none",
    )


def serve(app: ASGIApp, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C, which ends it without a word."""
    config = config_for(app, close_seconds=2)
    ready()
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
