"""Trainings that end before their end: by an exception in a round, or by the system."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


class KilledError(Exception):
    """Stands for the end of the process: nothing after it runs but what an exception runs."""


def killed_after(last: int | None) -> list[Callable[[int, object], None]]:
    """Callbacks that end training after a round."""

    def kill(number: int, _: object) -> None:
        if number == last:
            raise KilledError

    return [kill]


def kill_when_written(script: str, checkpoint: Path) -> None:
    """A real SIGKILL of a script that trains, at a moment of chance after it has begun its checkpoint."""
    process = subprocess.Popen([sys.executable, "-c", script, str(checkpoint)], cwd=Path(__file__).parents[2])
    try:
        while not checkpoint.exists():
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.3)
        assert process.poll() is None, "it ended before it was killed"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
