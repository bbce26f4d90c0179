"""Workers that die where a test wants them to, and tests that fail where something would wait forever."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client

PACKAGE = "rankwise.rankers.trees.dask"


def die_in(client: Client, name: str) -> None:
    """Let the first worker die when it next calls a function of the package, `_sources._scores` for example."""
    client.run(_arm, name, workers=[min(client.nthreads())])


def _arm(name: str) -> None:
    module, *owners, function = name.split(".")
    target: Any = importlib.import_module(f"{PACKAGE}.{module}")
    for owner in owners:
        target = getattr(target, owner)
    setattr(target, function, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail if it takes longer."""

    def late(*_: object) -> None:
        raise AssertionError(f"nothing happened in {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
