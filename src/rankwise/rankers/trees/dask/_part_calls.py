"""The parts that this worker holds, by training: the driver calls them by name."""

from __future__ import annotations

from typing import Any

from rankwise.errors import WorkerLostError
from rankwise.rankers.trees.dask._worker import Part

_PARTS: dict[str, Part] = {}


def open_part(run: str, threads: int) -> None:
    """Make a part on this worker."""
    _PARTS[run] = Part(threads)


def call(run: str, method: str, *arguments: Any) -> Any:
    """Let the part of a training do something."""
    part = _PARTS.get(run)
    if part is None:
        raise WorkerLostError("a worker was restarted and has lost its rows")
    return part.thread.submit(getattr(part, method), *arguments).result()


def close_part(run: str) -> None:
    """Free what a training holds on this worker."""
    part = _PARTS.pop(run, None)
    if part is not None:
        if hasattr(part, "engine"):
            part.thread.submit(part.finish)
        part.thread.shutdown(wait=False)
