"""Ctrl-C while a command compiles: the command forks copies of itself at moments of chance, and they are interrupted.

Compiling takes many seconds, and is the same up to the moment of the signal; so one run that goes on to its end gives
many moments. Python runs what a signal asks for between two steps of a program, where a copy is like the original.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

FORKING = "from fault_copies import run_and_fork; run_and_fork({seed}, {mean_gap}, {hang_seconds})"
Copy = dict[str, float]


def interrupted_copies(command: str, folder: Path, *, seed: int, mean_gap: float, hang_seconds: float) -> list[Copy]:
    """Run a command with an empty cache of compiled code, a copy every `mean_gap` CPU seconds; how each copy ended.

    The k-th one has worked in `folder / str(k)` from its fork on.
    """
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            FORKING.format(seed=seed, mean_gap=mean_gap, hang_seconds=hang_seconds),
            *command.split(),
        ],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
            "NUMBA_CACHE_DIR": str(folder / "cache"),
        },
        stdout=(folder / "stdout").open("wb"),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "copies").read_text().splitlines()]


def run_and_fork(seed: int, mean_gap: float, hang_seconds: float) -> None:
    """The command of sys.argv in this process, which a timer of CPU time has fork."""
    rng, home, count = random.Random(seed), Path.cwd(), 0

    def fork(*_: object) -> None:
        nonlocal count
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
        code = _wait(child, started + hang_seconds)
        ended = {
            "code": code,
            "seconds": time.monotonic() - started,
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

    main()


def _become_copy(folder: Path) -> None:
    """Go on in another folder, as if the terminal had sent Ctrl-C just now."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    os.kill(os.getpid(), signal.SIGINT)


def _wait(child: int, end: float) -> int:
    """The exit code of a copy; that of SIGKILL if it does not end."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
