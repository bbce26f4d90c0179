"""The workers of one training, and calls to all of them at once.

Each is a Dask actor, an object that stays on its worker: a call goes to it directly and takes 2 to 6 ms on two local
workers, where a task takes 13 to 18 ms by way of the scheduler's graph, and a dead one is noticed in 20 ms. Of what
tasks give and actors do not, two things are made up for: futures among the arguments of a method would arrive as
futures, so rows are passed to the actor's constructor; and all actors of a worker share one thread, in which two
trainings would wait for each other, so a `TrainingWorker` has a thread of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar, TypeVarTuple
from urllib.parse import urlsplit

from distributed import CancelledError, Client, Future, TimeoutError

from rankwise.errors import WorkerLostError
from rankwise.rankers.trees.dask._failure import (
    CHECK_SECONDS,
    Answer,
    alive,
    gather_answers,
    raise_if_lost,
    wait_until_done,
)
from rankwise.rankers.trees.dask._layout import RowAssignment
from rankwise.rankers.trees.dask._sources import Piece
from rankwise.rankers.trees.dask._worker import TrainingWorker

ROUND_SECONDS = 60  # that Ctrl-C waits for the end of a round

R = TypeVar("R")
Arguments = TypeVarTuple("Arguments")


class WorkerProxy(Protocol):
    """A `TrainingWorker` as the driver sees it."""

    def run(self, method: Callable[[TrainingWorker, *Arguments], R], *arguments: *Arguments) -> Answer[R]:
        """Call a method of the worker."""
        ...


class Cluster:
    """One `TrainingWorker` on each of some workers, which are given by address and number of threads.

    Each of them reads the pieces that it is given, of the training rows and of each eval_set, and takes from them what
    is assigned to it.
    """

    def __init__(
        self,
        client: Client,
        n_threads: Mapping[str, int],
        features: tuple[str, ...],
        sample_rows: int,
        pieces: Sequence[Sequence[Sequence[Piece]]],
        assignments: Sequence[Sequence[Sequence[RowAssignment]]],
    ) -> None:
        self.client, self.addresses = client, list(n_threads)
        self.actors: dict[str, Future] = {}
        actors: dict[str, Answer[WorkerProxy]] = {}
        for number, (address, threads) in enumerate(n_threads.items()):
            arguments = (threads, features, sample_rows, pieces[number], self._put(assignments[number], address))
            actors[address] = client.submit(TrainingWorker, *arguments, actor=True, workers=[address], pure=False)
        try:
            self._proxies = dict(zip(actors, gather_answers(client, {}, actors), strict=True))
        except BaseException:
            client.cancel(list(actors.values()))
            raise
        self.actors = actors

    def each(
        self,
        method: Callable[[TrainingWorker, *Arguments], R],
        arguments: Iterable[tuple[*Arguments]],
        *,
        in_step: bool = False,
    ) -> list[R]:
        """Let every worker do something, with arguments of its own, at the same time; what each returns.

        What some have begun `in_step` must be ended by all, so Ctrl-C waits for it.
        """
        answers: dict[str, Answer[R]] = {}
        try:
            for address, values in zip(self.addresses, arguments, strict=True):
                answers[address] = self._proxies[address].run(method, *values)
        except RuntimeError as problem:  # of an actor that is lost
            raise_if_lost(self.client, self.actors, answers)
            raise WorkerLostError("a worker was restarted and has lost its rows") from problem
        try:
            return gather_answers(self.client, self.actors, answers)
        except KeyboardInterrupt:
            wait_until_done(answers, ROUND_SECONDS if in_step else 0)
            raise

    def all(self, method: Callable[[TrainingWorker, *Arguments], R], *arguments: *Arguments) -> list[R]:
        """The same with the same arguments."""
        return self.each(method, [arguments] * len(self.addresses))

    def hosts(self) -> list[str]:
        """Where other workers find each one."""
        return [urlsplit(address).hostname or "127.0.0.1" for address in self.addresses]

    def close(self) -> None:
        """Free what the workers hold; those that are gone hold nothing."""
        with suppress(TimeoutError, CancelledError, WorkerLostError, RuntimeError):
            workers = alive(self.client)
            live = [address for address in self.addresses if address in workers]
            wait_until_done({one: self._proxies[one].run(TrainingWorker.close) for one in live}, CHECK_SECONDS)
        with suppress(TimeoutError, CancelledError, OSError):
            self.client.cancel(list(self.actors.values()))

    def _put(self, value: object, address: str) -> Future:
        """Bring to a worker what is too large for a message."""
        try:
            return self.client.scatter([value], workers=[address], hash=False)[0]
        except (TimeoutError, OSError, ValueError):
            raise_if_lost(self.client, {}, dict.fromkeys(self.addresses, _NOTHING))
            raise


class _Nothing:
    """An answer that nobody waits for."""

    def done(self) -> bool:
        return True

    def result(self, timeout: float) -> None:
        return None


_NOTHING = _Nothing()
