"""Tries by the thousand in processes of their own, each with limits on memory and time: what died, hung or raised?

A process does a batch of tries and says, in memory shared with its parent, which try it is at. If it dies, the parent
counts the try by the signal, and another process goes on after it.
"""

from __future__ import annotations

import mmap
import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BATCH = 1_000
CPU_SECONDS, WALL_SECONDS = 5.0, 120.0  # wall time on a busy machine says little
MEMORY_BYTES = 2 * 2**30  # above what the process has when the batch begins
MAX_EXAMPLES = 40


@dataclass
class Tally:
    """Outcomes by their names, and the first tries that should not have ended as they did."""

    outcomes: Counter[str] = field(default_factory=Counter)
    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, number: int, kind: str, outcome: str, detail: str = "") -> None:
        self.outcomes[outcome] += 1
        self.by_kind.setdefault(kind, Counter())[outcome] += 1
        if detail and len(self.examples) < MAX_EXAMPLES:
            self.examples.append({"try": number, "kind": kind, "outcome": outcome, "detail": detail})

    def merge(self, other: Tally) -> None:
        self.outcomes += other.outcomes
        for kind, outcomes in other.by_kind.items():
            self.by_kind.setdefault(kind, Counter()).update(outcomes)
        self.examples = (self.examples + other.examples)[:MAX_EXAMPLES]


# A try: its number -> the kind of input and what came of it, "accepted" or "refused"; all else it raises.
Try = Callable[[int], tuple[str, str]]


def run(attempt: Try, count: int, *, first: int = 0, batch: int = BATCH, quiet: bool = False) -> Tally:
    """All tries in processes that are forked from this one, which should have compiled and imported all they need."""
    tally, number = Tally(), first
    while number < first + count:
        part, number = _in_process(attempt, number, min(number + batch, first + count))
        tally.merge(part)
        if not quiet:
            print(number, dict(tally.outcomes), flush=True)
    return tally


def _in_process(attempt: Try, start: int, stop: int) -> tuple[Tally, int]:
    """The tally of the tries from `start` on, and the first that was not done."""
    place = mmap.mmap(-1, 8)
    with TemporaryDirectory() as folder:
        path = Path(folder, "tally")
        child = os.fork()
        if child == 0:
            _child(attempt, start, stop, place, path)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return pickle.loads(path.read_bytes()), stop
        (at,) = struct.unpack("q", place[:])
        # The tries before it ended well, or it would not have come so far; they are done again to be counted.
        before = _in_process(attempt, start, at)[0] if at > start else Tally()
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        hung = number in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU)
        outcome = "hang" if hung else "killed by a signal" if number else "exit"
        before.add(at, "?", outcome, f"signal {number}, status {status}")
        return before, at + 1


def _child(attempt: Try, start: int, stop: int, place: mmap.mmap, path: Path) -> None:
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Their default action ends the process, also inside of compiled code.
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, signal.SIG_DFL)
        tally = Tally()
        for number in range(start, stop):
            place[:] = struct.pack("q", number)
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
            try:
                kind, outcome = attempt(number)
                tally.add(number, kind, outcome)
            except Exception as problem:
                frames = traceback.extract_tb(problem.__traceback__)[-3:]
                where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
                said = " ".join(str(problem).split())[:160]
                tally.add(number, "?", "raw exception", f"{type(problem).__name__}: {said} ({where})")
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        path.write_bytes(pickle.dumps(tally))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(99)
