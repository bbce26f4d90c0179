"""A worker that dies: said in one sentence, instead of waiting for it forever."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import lightgbm as lgb
from distributed import CancelledError, Client, Future, KilledWorker, TimeoutError, wait
from distributed.comm.core import CommClosedError

from rankwise.errors import DataError, RankwiseError, WorkerLostError

CHECK_SECONDS = 1.0  # between looks at whether all workers are alive
START_SECONDS = 10  # that a first worker may take to come
NOTICE_SECONDS = 10.0  # until the scheduler knows of a death that other workers have felt
STUCK_SECONDS = 5.0  # after which a worker that waits for a dead one is restarted
ALONE_SECONDS = 30.0  # that a cluster may be without any worker: a dead one may be started again


def workers_of(client: Client) -> dict[str, int]:
    """The threads of each worker, of which there must be one."""
    if not alive(client):
        try:
            client.wait_for_workers(1, timeout=START_SECONDS)
        except TimeoutError as problem:
            raise DataError(f"the cluster has no workers, after {START_SECONDS} seconds; start some") from problem
    return alive(client)


def alive(client: Client) -> dict[str, int]:
    """The threads of each worker that the scheduler knows."""
    try:
        return dict(client.nthreads())
    except (OSError, TimeoutError, ValueError) as problem:
        raise WorkerLostError("the scheduler of the cluster no longer answers") from problem


@contextmanager
def saying_when(when: str) -> Iterator[None]:
    """Say of a worker that is lost here when that was, and what to do."""
    try:
        yield
    except WorkerLostError as problem:
        raise WorkerLostError(f"{problem} {when}; start again with the workers that are left") from problem


def results(client: Client, futures: list[Future]) -> Iterator[Any]:
    """What tasks return, one after the other, that any worker may do: if one dies, another does its tasks."""
    seen = time.monotonic()
    while futures:
        try:
            wait(futures[:1], timeout=CHECK_SECONDS)
        except TimeoutError:
            if alive(client):
                seen = time.monotonic()
            elif time.monotonic() > seen + ALONE_SECONDS:
                client.cancel(futures)
                raise WorkerLostError("all workers died") from None
            continue
        except CancelledError as problem:
            raise WorkerLostError("a worker died, with rows that no other has,") from problem
        try:
            yield futures.pop(0).result()
        except KilledWorker as problem:
            raise WorkerLostError("one worker after the other died of the same rows") from problem


def checked_results(client: Client, futures: Mapping[str, Future]) -> list[Any]:
    """What all parts returned, by the address of each; what a part raised, if that was not for want of another."""
    failed = [future for future in futures.values() if future.status != "finished"]
    if not failed:
        return list(client.gather(list(futures.values())))
    problems = [future.exception() for future in failed if future.status == "error"]
    for problem in problems:
        if isinstance(problem, RankwiseError) and not isinstance(problem, WorkerLostError):
            raise problem
    felt = all(isinstance(problem, lgb.basic.LightGBMError | WorkerLostError) for problem in problems)
    deadline = time.monotonic() + NOTICE_SECONDS
    while felt and time.monotonic() < deadline:
        raise_if_lost(client, futures)
        time.sleep(0.1)
    if felt:
        said = " ".join(str(problems[0]).split()) if problems else "tasks were cancelled"
        raise WorkerLostError(f"the workers lost their connections to each other ({said})")
    raise problems[0]


def raise_if_lost(client: Client, futures: Mapping[str, Future | None]) -> None:
    """Raise WorkerLostError if a worker is gone; those that would wait for it forever are restarted."""
    workers = alive(client)
    gone = [address for address in futures if address not in workers]
    if not gone:
        return
    left = {address: future for address, future in futures.items() if future is not None and address in workers}
    with suppress(CancelledError):
        try:
            wait(list(left.values()), timeout=STUCK_SECONDS)
        except TimeoutError:
            # LightGBM may wait for a dead peer in a loop that nothing else ends.
            stuck = [address for address, future in left.items() if not future.done()]
            with suppress(CommClosedError, ValueError):  # without a nanny a worker cannot be restarted from here
                client.restart_workers(stuck, raise_for_error=False)
    client.cancel([future for future in futures.values() if future is not None])
    raise WorkerLostError(f"the worker at {', '.join(gone)} died")
