"""The service in this process, until it is told to stop; then it finishes what is under way."""

from __future__ import annotations

import gc
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn

from rankwise.serve._server import config_for
from rankwise.serve.ranking._app import Limits, RankingService
from rankwise.serve.ranking._metrics import Metrics
from rankwise.serve.ranking._model import CurrentModel

LAST = 1  # seconds for connections to close, after all requests are answered


@dataclass(frozen=True)
class ServeOptions:
    """How to serve."""

    limits: Limits
    token: str | None
    loopback_only: bool
    drain_seconds: float


class DrainingServer(uvicorn.Server):
    """uvicorn that, at a signal, answers what is under way and refuses what is new before it closes anything."""

    def __init__(self, service: RankingService, drain_seconds: float) -> None:
        super().__init__(config_for(service, LAST))
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
        ends = self._service.draining and (self._service.metrics.under_way == 0 or time.monotonic() > self._deadline)
        return await super().on_tick(counter) or ends


def run(
    plan: ServeOptions,
    model: CurrentModel,
    metrics: Metrics,
    found: socket.socket,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve at a socket, and watch the model's file."""
    model.on_reload = metrics.reloaded
    service = RankingService(model, metrics, plan.limits, plan.token, loopback_only=plan.loopback_only)
    server = DrainingServer(service, plan.drain_seconds)
    model.watch()
    gc.collect()
    gc.freeze()  # what is loaded stays: to look through it again would hold up requests for a tenth of a second
    try:
        with server.capture_signals():  # from before anybody is told that there is something to stop
            ready()
            server.run(sockets=[found])
    finally:
        model.stop()
