"""The workers of one training, and calls to all of them at once.

Each is a Dask actor, an object that stays on its worker: a call goes to it directly. On two local workers a round of
little data takes 5 to 10 ms, where one by tasks took 11 to 18 ms, and a call of a dead worker fails in 20 ms. Of what
tasks give and actors do not, two things are made up for: futures among the arguments of a method would arrive as
futures, so rows are passed to the actor's constructor; and all actors of a worker share one thread, in which two
trainings would wait for each other, so a `TrainingWorker` has a thread of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar, TypeVarTuple
from urllib.parse import urlsplit

from distributed import CancelledError, Client, Future, TimeoutError

from rankwise.errors import RankwiseError, WorkerLostError
from rankwise.kernels._interrupts import interrupts_held
from rankwise.rankers.trees.dask._failure import (
    CHECK_SECONDS,
    NOTICE_SECONDS,
    Answer,
    alive,
    is_of_a_loss,
    restart_stuck,
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
        starting: dict[str, Future] = {}
        try:
            for number, (address, threads) in enumerate(n_threads.items()):
                (assigned,) = client.scatter([assignments[number]], workers=[address], hash=False)
                arguments = (threads, features, sample_rows, pieces[number], assigned)
                actor = client.submit(TrainingWorker, *arguments, actor=True, workers=[address], pure=False)
                starting[address] = actor
            self.workers: list[WorkerProxy] = self._gather(starting)
        except BaseException as problem:
            try:
                if not isinstance(problem, RankwiseError | KeyboardInterrupt):
                    self._raise_if_lost({})
            finally:
                client.cancel(list(starting.values()))
            raise
        self.actors = starting

    def each(
        self,
        method: Callable[[TrainingWorker, *Arguments], R],
        arguments: Iterable[tuple[*Arguments]],
        *,
        in_step: bool = False,
    ) -> list[R]:
        """Let every worker do something, with arguments of its own, at the same time; what each returns.

        What some have begun `in_step` must be begun and ended by all, so Ctrl-C waits for it.
        """
        answers: dict[str, Answer[R]] = {}
        try:
            try:
                with interrupts_held():
                    for address, worker, values in zip(self.addresses, self.workers, arguments, strict=True):
                        answers[address] = worker.run(method, *values)
            except RuntimeError as problem:  # of an actor that is lost
                self._raise_if_lost(answers)
                raise WorkerLostError("a worker was restarted and has lost its rows") from problem
            return self._gather(answers)
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
        with suppress(TimeoutError, CancelledError, WorkerLostError, RuntimeError, OSError):
            live = alive(self.client)
            pairs = [pair for pair in zip(self.addresses, self.workers, strict=True) if pair[0] in live]
            wait_until_done({address: worker.run(TrainingWorker.close) for address, worker in pairs}, CHECK_SECONDS)
        with suppress(TimeoutError, CancelledError, OSError):
            self.client.cancel(list(self.actors.values()))

    def _gather(self, answers: Mapping[str, Answer[R]]) -> list[R]:
        """What all workers return; what one raised, if that was not for want of another."""
        results: dict[str, R] = {}
        problems: list[BaseException] = []
        waiting = dict(answers)
        while waiting:
            address = next((address for address, answer in waiting.items() if answer.done()), next(iter(waiting)))
            try:
                results[address] = waiting[address].result(timeout=CHECK_SECONDS)
            except TimeoutError:
                self._raise_if_lost(answers)
                if problems:
                    break  # the others may wait for the one that raised
                continue
            except (Exception, CancelledError) as problem:
                problems.append(problem)
            del waiting[address]
        if not problems:
            return [results[address] for address in answers]
        others = [problem for problem in problems if not is_of_a_loss(problem)]
        if others:
            raise others[0]
        deadline = time.monotonic() + NOTICE_SECONDS
        while time.monotonic() < deadline:
            self._raise_if_lost(answers)
            time.sleep(0.1)
        reason = " ".join(str(problems[0]).split()) or "tasks were cancelled"
        raise WorkerLostError(f"the workers lost their connections to each other ({reason})")

    def _raise_if_lost(self, answers: Mapping[str, Answer[object]]) -> None:
        """Raise WorkerLostError if a worker or its actor is gone; those that would wait for it are restarted."""
        live = alive(self.client)
        lost = {address for address, actor in self.actors.items() if actor.status in ("error", "lost", "cancelled")}
        gone = [address for address in self.addresses if address not in live or address in lost]
        if gone:
            restart_stuck(self.client, {address: answer for address, answer in answers.items() if address not in gone})
            raise WorkerLostError(f"the worker at {', '.join(gone)} died")
