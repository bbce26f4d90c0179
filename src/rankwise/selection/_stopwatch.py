"""How long fits take, without what numba compiles once per machine."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rankwise.kernels._compile import on_compile


class Stopwatch:
    """Seconds since the block began, by the clock on the wall and of CPU; it stands still while code is compiled."""

    def __init__(self, *, spent: float = 0.0) -> None:
        self.spent, self.cpu_spent = spent, 0.0
        self._running = False
        self._listening: AbstractContextManager[None] | None = None

    def __enter__(self) -> Self:
        self._listening = on_compile(self._on_compile)
        self._listening.__enter__()
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        if self._listening is not None:
            self._listening.__exit__(kind, problem, trace)

    @property
    def seconds(self) -> float:
        """By the clock on the wall."""
        return self.spent + (time.monotonic() - self._began if self._running else 0.0)

    @property
    def cpu_seconds(self) -> float:
        """Of all threads of this process."""
        return self.cpu_spent + (time.process_time() - self._cpu_began if self._running else 0.0)

    def _on_compile(self, compiling: bool) -> None:
        self._stop() if compiling else self._start()

    def _start(self) -> None:
        self._began, self._cpu_began, self._running = time.monotonic(), time.process_time(), True

    def _stop(self) -> None:
        self.spent, self.cpu_spent, self._running = self.seconds, self.cpu_seconds, False
