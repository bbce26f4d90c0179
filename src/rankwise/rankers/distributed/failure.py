"""A worker that dies: said in one sentence, instead of waiting for it forever."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import lightgbm as lgb
from distributed import Client, Future, TimeoutError, wait
from distributed.comm.core import CommClosedError

from rankwise.errors import RankwiseError, WorkerLostError

__all__ = ["checked_results", "raise_if_lost"]

NOTICE_SECONDS = 10.0  # until the scheduler knows of a death that other workers have felt
STUCK_SECONDS = 5.0  # after which a worker that waits for a dead one is restarted


def checked_results(client: Client, addresses: Sequence[str], futures: Sequence[Future]) -> list[Any]:
    """What all parts returned; what a part raised, if that was not for want of another."""
    failed = [future for future in futures if future.status != "finished"]
    if not failed:
        return list(client.gather(futures))
    problems = [future.exception() for future in failed if future.status == "error"]
    for problem in problems:
        if isinstance(problem, RankwiseError) and not isinstance(problem, WorkerLostError):
            raise problem
    felt = all(isinstance(problem, lgb.basic.LightGBMError | WorkerLostError) for problem in problems)
    deadline = time.monotonic() + NOTICE_SECONDS
    while felt and time.monotonic() < deadline:
        raise_if_lost(client, addresses, futures)
        time.sleep(0.1)
    if felt:
        said = " ".join(str(problems[0]).split()) if problems else "tasks were cancelled"
        raise WorkerLostError(f"the workers lost their connections to each other ({said})")
    raise problems[0]


def raise_if_lost(client: Client, addresses: Sequence[str], futures: Sequence[Future]) -> None:
    """Raise WorkerLostError if a worker is gone; those that would wait for it forever are restarted."""
    alive = client.nthreads()
    gone = [address for address in addresses if address not in alive]
    if not gone:
        return
    left = {address: future for address, future in zip(addresses, futures, strict=True) if address in alive}
    try:
        wait(list(left.values()), timeout=STUCK_SECONDS)
    except TimeoutError:
        # LightGBM may wait for a dead peer in a loop that nothing else ends.
        stuck = [address for address, future in left.items() if not future.done()]
        client.cancel(list(futures))
        with suppress(CommClosedError, ValueError):  # without a nanny a worker cannot be restarted from here
            client.restart_workers(stuck, raise_for_error=False)
    client.cancel(list(futures))
    raise WorkerLostError(f"the worker at {', '.join(gone)} died")
