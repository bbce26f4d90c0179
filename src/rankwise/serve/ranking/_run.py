"""The service in this process, until it is told to stop; then it finishes what is under way.

uvicorn by itself closes its socket at the first signal, so that clients and load balancers meet a refused connection;
ours goes on to answer `/health` and refusals with 503 until all requests under way are answered.
"""

from __future__ import annotations

import gc
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from rankwise.serve._server import config_for
from rankwise.serve.ranking._app import Limits, RankingService, make_app
from rankwise.serve.ranking._metrics import Metrics
from rankwise.serve.ranking._model import CurrentModel

CLOSE_SECONDS = 1  # for connections to close, after all requests are answered


@dataclass(frozen=True)
class ServeOptions:
    """How to serve."""

    limits: Limits
    token: str | None
    loopback_only: bool
    drain_seconds: float


class DrainingServer(uvicorn.Server):
    """uvicorn that, at a signal, answers what is under way and refuses what is new before it closes anything."""

    def __init__(self, app: ASGIApp, service: RankingService, drain_seconds: float) -> None:
        super().__init__(config_for(app, CLOSE_SECONDS))
        self._service, self._drain_seconds = service, drain_seconds
        self._deadline = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal starts to drain, a second Ctrl-C ends it at once."""
        if not self._service.draining:
            self._service.draining = True
            self._deadline = time.monotonic() + self._drain_seconds
        elif sig == signal.SIGINT:
            self.should_exit = self.force_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop: ten times per second."""
        service = self._service
        drained = service.draining and (service.metrics.in_progress == 0 or time.monotonic() > self._deadline)
        return await super().on_tick(counter) or drained


def run(
    options: ServeOptions,
    model: CurrentModel,
    metrics: Metrics,
    listener: socket.socket,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve at a socket, and watch the model's file."""
    model.on_reload = metrics.reloaded
    service = RankingService(model, metrics, options.limits, options.token)
    app = make_app(service, loopback_only=options.loopback_only)
    server = DrainingServer(app, service, options.drain_seconds)
    model.watch()
    gc.collect()
    gc.freeze()  # what is loaded stays: to look through it again would hold up requests for a tenth of a second
    try:
        with server.capture_signals():  # from before anybody is told that there is something to stop
            ready()
            server.run(sockets=[listener])
    finally:
        model.stop()
