"""The application on a port, until Ctrl-C."""

from __future__ import annotations

import errno
import ipaddress
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from rankwise.errors import DataError
from rankwise.serve._protocol import BoundedHttp

REMEDIES = {
    errno.EADDRINUSE: "stop what uses it, or pass another --port (0 takes a free one)",
    errno.EACCES: "pass a --port from 1024",
    errno.EADDRNOTAVAIL: "pass an address of this machine",
}
KEEP_ALIVE_SECONDS = 75  # longer than proxies keep theirs, so that they do not send to a closed connection


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
