"""The service in this process, or in several at one socket, until it is told to stop; then it finishes its requests.

uvicorn by itself closes its socket at the first signal, so that clients and load balancers meet a refused connection;
ours goes on to answer `/health` and refusals with 503 until all requests under way are answered.

uvicorn's own supervisor starts every worker alike and waits for them without a limit: it cannot tell a worker which row
of the shared counts is its own, nor end one that does not drain in time, and its workers outlive it where it is killed.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from starlette.types import ASGIApp

from rankwise.serve._http import ConnectionLimits
from rankwise.serve._server import BoundedServer, config_for
from rankwise.serve.ranking._app import Limits, RankingService, make_app
from rankwise.serve.ranking._metrics import Metrics, SharedCounts, shared_counts
from rankwise.serve.ranking._model import CurrentModel

log = logging.getLogger(__name__)

RESTART_SECONDS = 1.0  # before a dead worker is replaced, so that one that cannot live does not take all the time
CLOSE_SECONDS = 1  # for connections to close, after all requests are answered


@dataclass(frozen=True)
class ServeOptions:
    """How to serve."""

    limits: Limits
    token: str | None
    loopback_only: bool
    drain_seconds: float
    connections: ConnectionLimits


class DrainingServer(BoundedServer):
    """uvicorn that, at a signal, answers what is under way and refuses what is new before it closes anything."""

    def __init__(
        self,
        app: ASGIApp,
        service: RankingService,
        drain_seconds: float,
        connections: ConnectionLimits | None = None,
    ) -> None:
        super().__init__(config_for(app, CLOSE_SECONDS, connections))
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
    server = DrainingServer(app, service, options.drain_seconds, options.connections)
    model.watch()
    gc.collect()
    gc.freeze()  # what is loaded stays: to look through it again would hold up requests for a tenth of a second
    try:
        with server.capture_signals():  # from before anybody is told that there is something to stop
            ready()
            server.run(sockets=[listener])
    finally:
        model.stop()


def log_to_stderr() -> None:
    """What an operator should know, with the time."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")


def _work(path: Path, options: ServeOptions, listener: socket.socket, memory: SharedCounts, worker: int) -> None:
    log_to_stderr()
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()
    run(options, CurrentModel(path), Metrics(memory, worker), listener)


def _end_with_parent() -> None:
    """Where the first process is killed and can tell nobody, its workers stop by themselves."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def run_workers(
    path: Path, options: ServeOptions, listener: socket.socket, count: int, ready: Callable[[], None]
) -> None:
    """Serve in so many processes until SIGTERM or Ctrl-C, which each of them answers by finishing its requests."""
    stopping = False

    def stop(sig: int, frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    # Not forked: the threads of LightGBM and torch do not survive a fork.
    context, memory = get_context("spawn"), shared_counts(count)

    def start(worker: int) -> BaseProcess:
        process = context.Process(target=_work, args=(path, options, listener, memory, worker), name=f"worker {worker}")
        process.start()
        return process

    before = {sig: signal.signal(sig, stop) for sig in (signal.SIGTERM, signal.SIGINT)}
    workers = [start(worker) for worker in range(count)]
    try:
        ready()
        while not stopping:
            wait([process.sentinel for process in workers], timeout=0.2)
            for worker, process in enumerate(workers):
                if not stopping and process.exitcode is not None:
                    log.error("worker %d ended with code %s and is replaced", worker, process.exitcode)
                    time.sleep(RESTART_SECONDS)
                    workers[worker] = start(worker)
    finally:
        listener.close()  # what waits to be accepted is refused when the last worker has closed its copy
        _end(workers, options.drain_seconds)
        for sig, handler in before.items():
            signal.signal(sig, handler)


def _end(workers: list[BaseProcess], drain_seconds: float) -> None:
    for process in workers:
        process.terminate()
    deadline = time.monotonic() + drain_seconds + CLOSE_SECONDS + 2
    for process in workers:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.exitcode is None:
            log.error("%s did not end in time and is killed", process.name)
            process.kill()
            process.join()
