"""Ctrl-C (SIGINT to all processes of a command, as a terminal sends it) at moments of chance: a model or a sentence?

Most commands run in copies of a process that has imported and compiled everything, where all the time is work.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from fault_copies import interrupted_copies

import rankwise as rw
from rankwise.__main__ import main as run_command
from rankwise.data import web
from rankwise.errors import RankwiseError
from rankwise.kernels._threads import limit_threads

FROM_THE_START, COMPILING = "train, from the start of the program", "train, compiling"
TRAINED = "train train.txt --valid test.txt -o m.rw"
COMMANDS = {
    "train": [f"{TRAINED} --set n_estimators=40"],
    "train, other models": [
        f"{TRAINED} --model lambdarank --set epochs=10",
        f"{TRAINED} --model ranksvm",
        f"{TRAINED} --model rankboost --set n_estimators=300",
        f"{TRAINED} --model smoothrankboost --set n_estimators=200",
        f"{TRAINED} --model margin",
        "train train.txt -o m.rw --objective r@p=0.8 --model linear",
        "train train.txt -o m.rw --model auto --budget 3",
    ],
    FROM_THE_START: [f"{TRAINED} --set n_estimators=20"],
    COMPILING: [f"{TRAINED} --set n_estimators=20"],
    "simulate": ["simulate train.txt --test test.txt --rounds 5 --seeds 4 --start 1,3 --picture m.png --jobs 1"],
    "cv": ["cv train.txt --folds 3 --set n_estimators=20"],
    "tune": ["tune train.txt --folds 3 --trials 4 --space num_leaves=4:16 --set n_estimators=20 -o m.rw"],
}
OUTCOMES = (
    "a model", "nothing, exit 130", "traceback", "swallowed", "hang", "half a file", "other exit",
)  # fmt: skip
STOPPED, HANG_SECONDS = 130, 120.0
COMPILING_GAP = 0.2  # CPU seconds between two interruptions, on average
COMPILING_HANG = 600.0  # a copy ends when what it compiles is compiled
SAID = re.compile(r"rankwise: (note: )?\S.*|\s*")  # all that may stand on stderr


def run_interrupts(name: str, count: int, rng: random.Random) -> Iterator[dict[str, object]]:
    """So many interruptions, at moments spread evenly over the time of a command that is not interrupted.

    What came of them is given after every tenth.
    """
    if name == COMPILING:
        yield from _while_compiling(count, rng)
        return
    whole = name == FROM_THE_START
    if not whole:
        with limit_threads(1):  # others would be lost by a fork
            for command in COMMANDS[name]:
                _warm_up(command)
    durations = {command: _duration(command, whole) for command in COMMANDS[name]}
    outcomes: Counter[str] = Counter()
    delays, starting, done = [], 0, 0
    while sum(outcomes.values()) < count:
        command = COMMANDS[name][sum(outcomes.values()) % len(COMMANDS[name])]
        delay = rng.uniform(0.0, durations[command])
        outcome, seconds, said = _interrupted(command, delay, whole)
        if outcome in (None, "done before"):
            done += 1
            continue  # the work was over
        if whole and outcome == "traceback" and "rankwise" not in said:
            starting += 1  # Python itself had not come to the first line of ours
            continue
        outcomes[outcome] += 1
        delays.append(seconds)
        if outcome not in OUTCOMES[:2]:
            print("   ", outcome, command, f"after {delay:.2f} of {durations[command]:.2f} s:", said, flush=True)
        if len(delays) % 10 == 0 or len(delays) == count:
            print(name, durations, dict(outcomes), f"{starting} while Python started", flush=True)
            seconds_of = {command: round(seconds, 2) for command, seconds in durations.items()}
            yield {"seconds": seconds_of, "in Python's start": starting, "done before": done} | _row(outcomes, delays)


def _row(outcomes: Counter[str], delays: list[float]) -> dict[str, object]:
    return {
        "interrupted": len(delays),
        "median_seconds_to_end": round(statistics.median(delays), 2),
        "most_seconds_to_end": round(max(delays), 2),
        **{outcome: outcomes.get(outcome, 0) for outcome in OUTCOMES},
    }


def _while_compiling(count: int, rng: random.Random) -> Iterator[dict[str, object]]:
    """As many runs with an empty cache as it takes, each with copies that are interrupted."""
    (command,) = COMMANDS[COMPILING]
    outcomes: Counter[str] = Counter()
    delays: list[float] = []
    runs = done = 0
    while len(delays) < count:
        runs += 1
        with TemporaryDirectory(ignore_cleanup_errors=True) as name:
            _write_data(Path(name))
            copies = interrupted_copies(
                command, Path(name), seed=rng.randrange(10**6), mean_gap=COMPILING_GAP, hang_seconds=COMPILING_HANG
            )
            for folder, copy in copies:
                said = (folder / "stderr").read_text() if (folder / "stderr").exists() else ""
                hangs = copy["code"] == -signal.SIGKILL
                outcome = "hang" if hangs else _outcome(int(copy["code"]), folder, bool(copy["was_done"]), said)
                if outcome == "done before":
                    done += 1
                    continue
                outcomes[outcome] += 1
                delays.append(copy["cpu_seconds"])
                if outcome not in OUTCOMES[:2]:
                    print("   ", outcome, f"after {copy['after']:.2f} CPU s:", said[-1500:], copy, flush=True)
                if len(delays) % 10 == 0:
                    print(COMPILING, runs, dict(outcomes), f"at {copy['after']:.1f} CPU s", flush=True)
                    yield {"runs": runs, "done before": done, "clock": "CPU"} | _row(outcomes, delays)
                if len(delays) == count:
                    break
            copies.close()


def _write_data(folder: Path) -> None:
    for seed, file in enumerate(("train.txt", "test.txt")):
        rw.write(web(queries=12, documents=12, features=5, seed=seed), folder / file)


def _start(command: str, folder: Path, whole: bool) -> subprocess.Popen[bytes] | Forked:
    """The command at work in a folder with data, as a program from its start or in a copy of this process."""
    _write_data(folder)
    if not whole:
        return Forked(command, folder)
    environment = {**os.environ, "PYTHONPATH": str(Path(rw.__file__).parents[1])}
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        return subprocess.Popen(
            [sys.executable, "-m", "rankwise", *command.split()],
            cwd=folder,
            env=environment,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            # What is started in the background by a shell ignores Ctrl-C, and would pass that on.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


class Forked:
    """A command in a copy of this process, which has imported and compiled all it needs."""

    def __init__(self, command: str, folder: Path) -> None:
        self.returncode: int | None = None
        ready, is_ready = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(is_ready)
            os.read(ready, 1)
            os.close(ready)
            return
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.setsid()
            os.chdir(folder)
            for number, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
            sys.stdout, sys.stderr = (os.fdopen(number, "w") for number in (1, 2))
            sys.argv = ["rankwise", *command.split()]
            os.write(is_ready, b"!")
            run_command()
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self, timeout: float = HANG_SECONDS) -> int:
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("rankwise", timeout)
            time.sleep(0.02)
        return int(self.returncode or 0)


def _duration(command: str, whole: bool) -> float:
    """Seconds without an interruption, the median of three."""
    seconds = []
    for _ in range(3):
        with TemporaryDirectory() as folder:
            start = time.monotonic()
            process = _start(command, Path(folder), whole)
            code = process.wait(timeout=10 * HANG_SECONDS)
            seconds.append(time.monotonic() - start)
            assert code == 0, Path(folder, "stderr").read_text()
    return statistics.median(seconds)


def _warm_up(command: str) -> None:
    """Import and compile in this process."""
    with TemporaryDirectory() as name, contextlib.chdir(name), Path(os.devnull).open("w") as nowhere:
        _write_data(Path())
        sys.argv = ["rankwise", *command.split()]
        heard = signal.getsignal(signal.SIGINT)
        with contextlib.redirect_stdout(nowhere), contextlib.suppress(SystemExit):
            run_command()
        signal.signal(signal.SIGINT, heard)


def _interrupted(command: str, delay: float, whole: bool) -> tuple[str | None, float, str]:
    """What came of it, after how many seconds, and what was said."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        process = _start(command, folder, whole)
        time.sleep(delay)
        if process.poll() is not None:
            return None, 0.0, ""
        stdout = folder / "stdout"
        was_done = stdout.exists() and stdout.stat().st_size > 0  # which is written when all else is
        try:
            os.killpg(process.pid, signal.SIGINT)
        except ProcessLookupError:
            os.kill(process.pid, signal.SIGINT)  # it has not come to be a group of its own
        start = time.monotonic()
        try:
            code = process.wait(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "hang", HANG_SECONDS, ""
        seconds = time.monotonic() - start
        said = (folder / "stderr").read_text() if (folder / "stderr").exists() else ""
        return _outcome(code, folder, was_done, said), seconds, said[-1500:]


def _outcome(code: int, folder: Path, was_done: bool, said: str) -> str:
    if not all(SAID.fullmatch(line) for line in said.splitlines()):
        return "traceback"
    if any(path.name.startswith(".") for path in folder.iterdir()):
        return "half a file"
    model = folder / "m.rw"
    if model.exists():
        try:
            rw.load(model)
        except RankwiseError:
            return "half a file"
    if code == 0:
        return "done before" if was_done else "swallowed"
    if code not in (STOPPED, -signal.SIGINT):
        return "other exit"
    return "a model" if model.exists() else "nothing, exit 130"
