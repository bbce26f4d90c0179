"""Several processes at one socket, each with its own model; one that dies is replaced.

uvicorn's own supervisor starts every worker alike and waits for them without a limit: it cannot tell a worker which row
of the shared counts is its own, nor end one that does not drain in time, and its workers outlive it where it is killed.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from rankwise.serve.ranking._metrics import Metrics, SharedCounts, shared_counts
from rankwise.serve.ranking._model import CurrentModel
from rankwise.serve.ranking._run import CLOSE_SECONDS, ServeOptions, run

log = logging.getLogger(__name__)

RESTART_SECONDS = 1.0  # before a dead worker is replaced, so that one that cannot live does not take all the time


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
