"""Training that is killed (SIGKILL) at a moment of chance, and resumed: does it end as the run that was not killed?

Every run is a process of its own, forked from one that has imported and compiled everything, in one thread.
"""

from __future__ import annotations

import logging
import os
import pickle
import random
import signal
import statistics
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

import rankwise as rw
from rankwise.data import web
from rankwise.errors import RankwiseError
from rankwise.kernels._threads import limit_threads
from rankwise.models import save
from rankwise.rankers import LambdaMART, LambdaRank, RankSVM, _checkpoint
from rankwise.rankers.pairs.stumps._rankboost import RankBoost
from rankwise.selection import AutoRanker

torch.set_num_threads(1)
TRAIN, TEST = (web(queries=20, documents=20, features=8, seed=seed) for seed in (1, 2))
OUTCOMES = ("bit-equal", "refused by a sentence", "wrong", "other exception")
WAYS = ("killed", "killed on a full disk", "killed, file damaged")
FULL_DISK_KB = {
    "trees": 120,
    "net": 12,
    "simulate": 12,
    "auto": 12,
}  # so that the first checkpoints fit, the last do not
Fit = Callable[[Path | None, bool], bytes]


def _saved(model: object) -> bytes:
    with TemporaryDirectory() as folder:
        save(model, Path(folder, "m.rw"))  # type: ignore[arg-type]
        return Path(folder, "m.rw").read_bytes()


def trees(checkpoint: Path | None, resume: bool) -> bytes:
    model = LambdaMART(n_estimators=25, num_leaves=7, colsample_bytree=0.5, bags=2, random_state=0, n_jobs=1)
    return _saved(model.fit(TRAIN, eval_set=TEST, checkpoint=checkpoint, resume=resume))


def net(checkpoint: Path | None, resume: bool) -> bytes:
    model = LambdaRank(hidden=(10, 5), dropout=0.1, epochs=20, early_stopping_rounds=None, random_state=0)
    return _saved(model.fit(TRAIN, eval_set=TEST, checkpoint=checkpoint, resume=resume))


def simulate(checkpoint: Path | None, resume: bool, n_jobs: int = 1) -> bytes:
    result = rw.simulate(
        TRAIN, TEST, ["random", "lossmin"], RankSVM(), rounds=3, seeds=4, start=(1, 3), n_jobs=n_jobs,
        checkpoint=checkpoint,
    )  # fmt: skip
    curves = [(name, metric, values.tobytes()) for name, by in result.values.items() for metric, values in by.items()]
    return repr((curves, result.labelled, result.full, result.seeds, result.notes)).encode()


def simulate_in_processes(checkpoint: Path | None, resume: bool) -> bytes:
    return simulate(checkpoint, resume, n_jobs=2)


def auto(checkpoint: Path | None, resume: bool) -> bytes:
    candidates = {
        "svm": RankSVM(),
        "boost": RankBoost(n_estimators=20),
        "trees": LambdaMART(n_estimators=10, num_leaves=7, n_jobs=1),
    }
    model = AutoRanker(candidates=candidates, folds=3, random_state=0, n_jobs=1)
    model.fit(TRAIN, checkpoint=checkpoint, resume=resume)
    values = [(entry["name"], entry["value"]) for entry in model.leaderboard_.to_dict()]
    members = [np.asarray(member.predict(TEST.X)).tobytes() for member in model.members_.values()]
    return repr((values, model.weights_, members, model.predict(TEST.X).tobytes())).encode()


FITS: dict[str, Fit] = {
    "trees": trees, "net": net, "simulate": simulate, "simulate, 2 processes": simulate_in_processes, "auto": auto,
}  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a run ended: what came of it, or what it said or raised."""

    outcome: str
    what: bytes = b""

    def beside(self, undisturbed: bytes) -> str:
        """How it compares with the run that was not killed."""
        return self.outcome if self.outcome != "ended" else "bit-equal" if self.what == undisturbed else "wrong"


class Process:
    """A run in a process of its own, that ends by itself or is killed with all that it started."""

    def __init__(self, fit: Fit, checkpoint: Path | None, answer: Path, resume: bool = False) -> None:
        self.answer = answer
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            self._work(fit, checkpoint, resume)

    def _work(self, fit: Fit, checkpoint: Path | None, resume: bool) -> None:
        code = 1
        try:
            # A checkpoint after every round, or there would be none in a run of a second.
            logging.getLogger("rankwise").setLevel(logging.ERROR)
            _checkpoint.CHECKPOINT_SECONDS, _checkpoint.MAX_IO_SHARE = 0.0, 1e9
            try:
                ended = Ended("ended", fit(checkpoint, resume))
            except RankwiseError as problem:
                ended = Ended("refused by a sentence", str(problem).encode())
            except Exception:
                ended = Ended("other exception", traceback.format_exc().encode())
            self.answer.write_bytes(pickle.dumps(ended))
            code = 0
        finally:
            os._exit(code)

    def kill(self) -> None:
        with suppress(ProcessLookupError):  # it has not come to be a group of its own
            os.killpg(self.pid, signal.SIGKILL)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def is_over(self) -> bool:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def wait(self) -> Ended:
        _, status = os.waitpid(self.pid, 0)
        if status:
            return Ended("other exception", f"the process ended with status {status}".encode())
        return pickle.loads(self.answer.read_bytes())  # type: ignore[no-any-return]


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A disk of so many KB at the folder; it takes root."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def damage(path: Path, rng: random.Random) -> None:
    """Cut a file, change bytes of it, or let zeros stand for its end, as after a power cut."""
    content = bytearray(path.read_bytes())
    place = rng.randrange(len(content))
    way = rng.randrange(4)
    if way == 0:
        del content[place:]
    elif way == 1:
        content[place:] = bytes(len(content) - place)
    else:
        for _ in range(1 if way == 2 else 8):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def run_kills(name: str, way: str, count: int, rng: random.Random) -> dict[str, object]:
    """So many kills of one kind, each of a run from the beginning, at moments spread evenly over its time."""
    fit = FITS[name]
    with TemporaryDirectory() as folder, limit_threads(1):
        seconds, undisturbed = [], fit(None, False)
        for _ in range(5):
            start = time.monotonic()
            ended = Process(fit, Path(folder, f"{start}.npz"), Path(folder, "answer")).wait()
            assert ended.outcome == "ended", ended
            seconds.append(time.monotonic() - start)
            assert undisturbed == ended.what, "two runs that were not killed differ"
        duration = statistics.median(seconds)
    outcomes: Counter[str] = Counter()
    said: Counter[str] = Counter()
    with_file = tries = 0
    while sum(outcomes.values()) < count:
        tries += 1
        delay = rng.uniform(0.0, duration)
        with TemporaryDirectory() as folder:
            ended, had_file = _killed_and_resumed(fit, way, name, Path(folder), delay, rng)
        if ended is None:
            continue  # it was over before its time
        with_file += had_file
        outcome = ended.beside(undisturbed)
        outcomes[outcome] += 1
        if outcome != "bit-equal":
            text = outcome if outcome == "wrong" else ended.what.decode()
            said[text.replace(folder, "…")[-600:]] += 1
    print(name, way, f"{duration:.2f} s", dict(outcomes), f"{with_file} with a checkpoint, {tries} tries", flush=True)
    for text, times in said.most_common(3):
        print("   ", times, text.strip(), file=sys.stderr, flush=True)
    return {
        "seconds": round(duration, 3),
        "killed": count,
        "with_checkpoint": with_file,
        **{outcome: outcomes.get(outcome, 0) for outcome in OUTCOMES},
    }


def _killed_and_resumed(
    fit: Fit, way: str, name: str, folder: Path, delay: float, rng: random.Random
) -> tuple[Ended | None, bool]:
    disk, answer = folder / "disk", folder / "answer"
    disk.mkdir()
    checkpoint = disk / "run.npz"

    def killed() -> bool:
        process = Process(fit, checkpoint, answer)
        time.sleep(delay)
        was_over = process.is_over()
        process.kill()
        return not was_over

    if way != "killed on a full disk":
        if not killed():
            return None, False
        had_file = checkpoint.exists()
        if way == "killed, file damaged":
            if not had_file:
                return None, False
            damage(checkpoint, rng)
        return Process(fit, checkpoint, answer, resume=True).wait(), had_file
    with small_disk(disk, FULL_DISK_KB[name]):
        if not killed():
            return None, False
        had_file = checkpoint.exists()
        # Half of them go on when there is space again, half on the disk as it is.
        if rng.random() < 0.5:
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        return Process(fit, checkpoint, answer, resume=True).wait(), had_file
