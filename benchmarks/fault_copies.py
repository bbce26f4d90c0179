"""Ctrl-C while a command compiles: the command forks copies of itself at moments of chance, and they are interrupted.

Compiling takes many seconds, and is the same up to the moment of the signal; so one run that goes on to its end gives
many moments. Python runs what a signal asks for between two steps of a program, where a copy is like the original as
long as there is one thread, and LLVM is not at work: other threads would be lost, and a lock that LLVM holds be that of
another process. Both would be waited for without end, so no copy is made there; Ctrl-C is held back in LLVM anyway.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

FORKING = "from fault_copies import run_and_fork; run_and_fork({seed}, {mean_gap}, {hang_seconds})"
Copy = dict[str, float]


def interrupted_copies(
    command: str, folder: Path, *, seed: int, mean_gap: float, hang_seconds: float
) -> Iterator[tuple[Path, Copy]]:
    """Run a command with an empty cache of compiled code, a copy every `mean_gap` CPU seconds.

    Each copy is told of as soon as it has ended: the folder in which it went on, and how it ended.
    """
    program = FORKING.format(seed=seed, mean_gap=mean_gap, hang_seconds=hang_seconds)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "RANKWISE_NUM_THREADS": "1",
    }
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", program, *command.split()], cwd=folder, env=environment, stdout=stdout, stderr=stderr
        )
    told = 0
    try:
        while process.poll() is None or told < len(_ended(folder)):
            for ended in _ended(folder)[told:]:
                told += 1
                yield folder / str(told), ended
            time.sleep(0.2)
        assert process.returncode == 0, (folder / "stderr").read_text()
    finally:
        process.kill()
        process.wait()


def _ended(folder: Path) -> list[Copy]:
    """What the run has written of its copies, whole lines alone."""
    path = folder / "copies"
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]] if path.exists() else []


def run_and_fork(seed: int, mean_gap: float, hang_seconds: float) -> None:
    """The command of sys.argv in this process, which a timer of CPU time has fork."""
    rng, home, count = random.Random(seed), Path.cwd(), 0

    def fork(*_: object) -> None:
        nonlocal count
        if threading.active_count() > 1 or _is_in_llvm():
            signal.setitimer(signal.ITIMER_PROF, 0.01)
            return
        count += 1
        folder = home / str(count)
        folder.mkdir()
        for file in home.glob("*.txt"):
            shutil.copy(file, folder)
        was_done = (home / "stdout").stat().st_size > 0
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            _become_copy(folder)
            return
        code, cpu_seconds = _wait(child, started + hang_seconds)
        ended = {
            "code": code,
            "seconds": time.monotonic() - started,
            "cpu_seconds": cpu_seconds,
            "was_done": was_done,
            "after": time.process_time(),
        }
        with (home / "copies").open("a") as out:
            out.write(json.dumps(ended) + "\n")
        signal.setitimer(signal.ITIMER_PROF, rng.uniform(0.01, 2 * mean_gap))

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPROF, fork)
    signal.setitimer(signal.ITIMER_PROF, rng.uniform(0.01, 2 * mean_gap))
    sys.argv[0] = "rankwise"
    from rankwise.__main__ import main

    try:
        main()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # at Python's end nobody hears it


def _is_in_llvm() -> bool:
    """Whether Python was called by LLVM, which Python had called."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and "llvmlite" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def _become_copy(folder: Path) -> None:
    """Go on in another folder, as if the terminal had sent Ctrl-C just now."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    os.kill(os.getpid(), signal.SIGINT)


def _wait(child: int, end: float) -> tuple[int, float]:
    """The exit code of a copy, that of SIGKILL if it does not end, and its CPU seconds."""
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
