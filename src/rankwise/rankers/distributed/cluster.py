"""Calls to all parts of a training at once, and what is made of a worker that does not answer."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from distributed import Client, LocalCluster, TimeoutError, wait

from rankwise.errors import DataError
from rankwise.rankers.distributed.failure import checked_results, raise_if_lost
from rankwise.rankers.distributed.part import call, close_part, open_part

__all__ = ["Cluster", "started"]

CHECK_SECONDS = 1.0  # between looks at whether all workers are alive
START_SECONDS = 60
ROUND_SECONDS = 60  # that Ctrl-C waits for the end of a round


class Cluster:
    """Parts of one training, one on each of some workers."""

    def __init__(self, client: Client, parts: int, threads: int | None) -> None:
        self.client, self.run = client, uuid.uuid4().hex
        cores = client.nthreads()
        self.addresses = sorted(cores)[:parts]
        self._everywhere(open_part, [(threads or cores[address],) for address in self.addresses])

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Let every part do something, with arguments of its own, at the same time; what each returns."""
        return self._everywhere(call, [(method, *its) for its in arguments])

    def all(self, method: str, *arguments: Any) -> list[Any]:
        """The same with the same arguments."""
        return self.each(method, [arguments] * len(self.addresses))

    def put(self, values: Sequence[Any]) -> list[Any]:
        """Bring to each part what is too large for a message; it is passed to `each` in place of the value."""
        return [
            self.client.scatter([value], workers=[address], hash=False)[0]
            for address, value in zip(self.addresses, values, strict=True)
        ]

    def hosts(self) -> list[str]:
        """Where other workers find each one."""
        return [urlsplit(address).hostname or "127.0.0.1" for address in self.addresses]

    def close(self) -> None:
        """Free what the workers hold; those that are gone hold nothing."""
        alive = self.client.nthreads()
        futures = [
            self.client.submit(close_part, self.run, workers=[address], pure=False)
            for address in self.addresses
            if address in alive
        ]
        try:
            wait(futures, timeout=CHECK_SECONDS)
        except TimeoutError:
            self.client.cancel(futures)

    def _everywhere(self, task: Any, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        futures = [
            self.client.submit(task, self.run, *its, workers=[address], pure=False)
            for address, its in zip(self.addresses, arguments, strict=True)
        ]
        while True:
            try:
                wait(futures, timeout=CHECK_SECONDS)
            except TimeoutError:
                raise_if_lost(self.client, self.addresses, futures)
                if all(future.status != "error" for future in futures):
                    continue
            except KeyboardInterrupt:
                # A round that some parts have begun must be ended by all.
                with suppress(TimeoutError):
                    wait(futures, timeout=ROUND_SECONDS)
                raise
            return checked_results(self.client, self.addresses, futures)


@contextmanager
def started(where: str | None) -> Iterator[Client | None]:
    """A client of the cluster at an address, or of one made here by `local:N`, N processes; None is none."""
    if where is None:
        yield None
        return
    kind, _, number = where.partition(":")
    if kind != "local":
        try:
            client = Client(where, timeout=START_SECONDS)
        except (OSError, ValueError, TimeoutError) as problem:
            said = str(problem).split("\n")[0]
            raise DataError(
                f"there is no Dask scheduler at {where} ({said}); start one, or pass local:2 for two processes here"
            ) from problem
        with client:
            yield client
        return
    if not number.isdecimal() or int(number) < 1:
        raise DataError(f"local:N needs a number of processes, got {where!r}; write for example local:2")
    cluster = LocalCluster(n_workers=int(number), processes=True, dashboard_address=None, memory_limit=None)
    with cluster, Client(cluster) as client:
        yield client
