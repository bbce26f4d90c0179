"""The application on a port, until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from rankwise.errors import DataError
from rankwise.serve._http import BoundedHttp, ConnectionLimits

REMEDIES = {
    errno.EADDRINUSE: "stop what uses it, or pass another --port (0 takes a free one)",
    errno.EACCES: "pass a --port from 1024",
    errno.EADDRNOTAVAIL: "pass an address of this machine",
}
MAX_QUEUED = 1024  # connections that wait to be accepted
ACCEPTED_AT_ONCE = 16  # before those that are too many are closed
RECEIVED_BYTES = 1 << 18  # that a connection is read by at once, into memory that all of a server share
RESERVED_FILES = 128  # for the model, the label store, and what is accepted and not closed yet


class BoundedServer(uvicorn.Server):
    """uvicorn that closes connections whose time is up."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, with a queue that is longer than the pieces in which connections are taken from it."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(MAX_QUEUED)

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop: ten times per second; once per second connections are looked at."""
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, BoundedHttp):
                    connection.expire(now)
        return await super().on_tick(counter)


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


def config_for(app: ASGIApp, close_seconds: int, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """How an application is run; its connections may take so many seconds to end when it stops."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # what a stranger sends is not for our terminal
    limits = _within_files(limits or ConnectionLimits())
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nothing here depends on what a proxy says of the client
        lifespan="off",
        timeout_graceful_shutdown=close_seconds,
        timeout_keep_alive=limits.keep_alive_seconds,
        backlog=ACCEPTED_AT_ONCE,
        http=partial(BoundedHttp, limits=limits, received=memoryview(bytearray(RECEIVED_BYTES))),  # type: ignore[arg-type]
        ws="none",
    )


def _within_files(limits: ConnectionLimits) -> ConnectionLimits:
    """No more connections than the process may open files; without a file none could be accepted, or even refused."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return limits
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return limits
    return replace(limits, max_connections=max(1, min(limits.max_connections, files - RESERVED_FILES)))


def serve(app: ASGIApp, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C, which ends it without a word."""
    config = config_for(app, close_seconds=2)
    ready()
    with suppress(KeyboardInterrupt):
        BoundedServer(config).run(sockets=[listener])
