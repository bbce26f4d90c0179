"""A worker that dies: said in one sentence, instead of waiting for it forever."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

import lightgbm as lgb
from distributed import CancelledError, Client, Future, KilledWorker, TimeoutError, wait
from distributed.comm.core import CommClosedError

from rankwise.errors import DataError, WorkerLostError

CHECK_SECONDS = 1.0  # between looks at whether all workers are alive
START_SECONDS = 10  # that a first worker may take to come
NOTICE_SECONDS = 10.0  # until the scheduler knows of a death that other workers have felt
STUCK_SECONDS = 5.0  # after which a worker that waits for a dead one is restarted
ALONE_SECONDS = 30.0  # that a cluster may be without any worker: a dead one may be started again

R_co = TypeVar("R_co", covariant=True)


class Answer(Protocol[R_co]):
    """What a worker will have returned: a future of Dask, or of an actor's method."""

    def done(self) -> bool:
        """Whether it has returned, raised or been lost."""
        ...

    def result(self, timeout: float) -> R_co:
        """What it returned; what it raised, or TimeoutError, is raised."""
        ...


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
def explain_failure(when: str) -> Iterator[None]:
    """Say of a worker that is lost here when that was, and what to do."""
    try:
        yield
    except WorkerLostError as problem:
        raise WorkerLostError(f"{problem} {when}; start again with the workers that are left") from problem


def task_results(client: Client, futures: list[Future]) -> Iterator[object]:
    """What tasks return, one after the other, that any worker may do: if one dies, another does its tasks."""
    last_alive = time.monotonic()
    while futures:
        try:
            wait(futures[:1], timeout=CHECK_SECONDS)
        except TimeoutError:
            if alive(client):
                last_alive = time.monotonic()
            elif time.monotonic() > last_alive + ALONE_SECONDS:
                client.cancel(futures)
                raise WorkerLostError("all workers died") from None
            continue
        except CancelledError as problem:
            raise WorkerLostError("a worker died, with rows that no other has,") from problem
        try:
            yield futures.pop(0).result()
        except KilledWorker as problem:
            raise WorkerLostError("one worker after the other died of the same rows") from problem


def is_of_a_loss(problem: BaseException) -> bool:
    """Whether it is what a worker raises that misses another, or a call of one that is gone."""
    lost = isinstance(problem, lgb.basic.LightGBMError | CancelledError | KilledWorker | CommClosedError)
    return lost or type(problem) is OSError  # of an actor's call, "Unable to contact Actor's worker"


def restart_stuck(client: Client, answers: Mapping[str, Answer[object]]) -> None:
    """Restart workers that wait for a dead one: LightGBM may do that in a loop that nothing else ends."""
    wait_until_done(answers, STUCK_SECONDS)
    stuck = [address for address, answer in answers.items() if not answer.done()]
    with suppress(CommClosedError, ValueError):  # without a nanny a worker cannot be restarted from here
        client.restart_workers(stuck, raise_for_error=False)


def wait_until_done(answers: Mapping[str, Answer[object]], seconds: float) -> None:
    """Give workers some time to answer."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not all(answer.done() for answer in answers.values()):
        time.sleep(0.02)
