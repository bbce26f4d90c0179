"""Calls to all parts of a training at once."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from distributed import CancelledError, Client, TimeoutError, wait

from rankwise.errors import WorkerLostError
from rankwise.rankers.trees.dask._failure import CHECK_SECONDS, alive, checked_results, raise_if_lost
from rankwise.rankers.trees.dask._part_calls import call, close_part, open_part

ROUND_SECONDS = 60  # that Ctrl-C waits for the end of a round
IN_STEP = ("start", "grow")  # what some parts have begun must be ended by all


class Cluster:
    """Parts of one training, one on each of some workers, which are told by address and number of threads."""

    def __init__(self, client: Client, workers: Mapping[str, int]) -> None:
        self.client, self.run = client, uuid.uuid4().hex
        self.addresses = list(workers)
        self._everywhere(open_part, [(threads,) for threads in workers.values()])

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Let every part do something, with arguments of its own, at the same time; what each returns."""
        return self._everywhere(call, [(method, *its) for its in arguments], method in IN_STEP)

    def all(self, method: str, *arguments: Any) -> list[Any]:
        """The same with the same arguments."""
        return self.each(method, [arguments] * len(self.addresses))

    def put(self, values: Sequence[Any]) -> list[Any]:
        """Bring to each part what is too large for a message; it is passed to `each` in place of the value."""
        return [self._put(value, [address]) for address, value in zip(self.addresses, values, strict=True)]

    def put_everywhere(self, value: Any) -> Any:
        """Bring the same to all parts."""
        return self._put(value, self.addresses)

    def hosts(self) -> list[str]:
        """Where other workers find each one."""
        return [urlsplit(address).hostname or "127.0.0.1" for address in self.addresses]

    def close(self) -> None:
        """Free what the workers hold; those that are gone hold nothing."""
        with suppress(TimeoutError, CancelledError, WorkerLostError):
            workers = alive(self.client)
            left = [address for address in self.addresses if address in workers]
            futures = [self.client.submit(close_part, self.run, workers=[one], pure=False) for one in left]
            wait(futures, timeout=CHECK_SECONDS)

    def _put(self, value: Any, addresses: list[str]) -> Any:
        try:
            return self.client.scatter([value], workers=addresses, broadcast=len(addresses) > 1, hash=False)[0]
        except (TimeoutError, OSError, ValueError):
            raise_if_lost(self.client, dict.fromkeys(self.addresses))
            raise

    def _everywhere(self, task: Any, arguments: Sequence[tuple[Any, ...]], in_step: bool = False) -> list[Any]:
        futures = {
            address: self.client.submit(task, self.run, *its, workers=[address], pure=False)
            for address, its in zip(self.addresses, arguments, strict=True)
        }
        while True:
            try:
                wait(list(futures.values()), timeout=CHECK_SECONDS)
            except TimeoutError:
                raise_if_lost(self.client, futures)
                if all(future.status != "error" for future in futures.values()):
                    continue
            except CancelledError:
                pass  # what a task was given is lost with its worker
            except KeyboardInterrupt:
                with suppress(TimeoutError, CancelledError):
                    wait(list(futures.values()), timeout=ROUND_SECONDS if in_step else 0)
                raise
            return checked_results(self.client, futures)
