"""Ctrl-C that waits for the end of what must not stop half-way."""

from __future__ import annotations

import signal
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class HeldInterrupts:
    """Between `hold` and `release` Ctrl-C is noted, and handled by `release`. For the main thread."""

    def __init__(self) -> None:
        self.handler: Callable[[int, types.FrameType | None], object] | None = None
        self.interrupts: list[tuple[int, types.FrameType | None]] = []

    def hold(self) -> None:
        """From here on Ctrl-C waits."""
        handler = signal.getsignal(signal.SIGINT)
        self.handler = handler if callable(handler) else None
        if self.handler is not None:
            signal.signal(signal.SIGINT, lambda *interrupt: self.interrupts.append(interrupt))

    def release(self) -> None:
        """From here on it is handled as before, at once if one waits."""
        if self.handler is None:
            return
        signal.signal(signal.SIGINT, self.handler)
        if self.interrupts:
            interrupt = self.interrupts[0]
            self.interrupts.clear()
            self.handler(*interrupt)


def is_main_thread() -> bool:
    """Whether signals are handled in this thread: Python does so in the main thread alone."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Within this Ctrl-C waits for the end."""
    if not is_main_thread():
        yield
        return
    held = HeldInterrupts()
    held.hold()
    try:
        yield
    finally:
        held.release()
