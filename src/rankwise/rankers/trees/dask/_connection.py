"""A client of a Dask cluster: of one that runs at an address, or of processes that are started here."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from distributed import Client, LocalCluster, TimeoutError
from distributed.utils import silence_logging_cmgr

from rankwise.errors import DataError

START_SECONDS = 10  # that a scheduler may take to answer


@contextmanager
def connect(address: str | None) -> Iterator[Client | None]:
    """A client of the cluster at an address, or of one made here by `local:N`, N processes; None is none."""
    if address is None:
        yield None
        return
    kind, _, number = address.partition(":")
    if kind != "local":
        try:
            client = Client(address, timeout=START_SECONDS)
        except (OSError, ValueError, TimeoutError) as problem:
            reason = str(problem).split("\n")[0]
            raise DataError(
                f"there is no Dask scheduler at {address} ({reason}); start one, or pass local:2 for two processes here"
            ) from problem
        with silence_logging_cmgr(logging.CRITICAL), client:  # what there is to say is said by an error
            yield client
        return
    if not number.isdecimal() or int(number) < 1:
        raise DataError(f"local:N needs a number of processes, got {address!r}; write for example local:2")
    with _deaf_to_ctrl_c():
        cluster = LocalCluster(
            n_workers=int(number),
            processes=True,
            dashboard_address="127.0.0.1:0",  # any port: at its own it would warn of another cluster
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        )
    with cluster, Client(cluster) as client:
        yield client


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Threads and processes that are started here, and all that they start, never hear of Ctrl-C.

    A terminal sends it to workers too; they are to end their round, as the driver tells them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let the signal through again if it were started later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
