"""Training that is written down as it goes, to be resumed after a kill at any moment.

The file holds the trees and the running scores as they are in the engine (see `boosting`), nothing that runs
code; it is replaced as a whole, so there is always a complete one.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data._atomic import atomic_path
from rankwise.errors import ModelFileError, WorkerLostError
from rankwise.rankers.trees._boosting import Rounds
from rankwise.rankers.trees._training import Course, State

FORMAT = 1
NAME = "training.npz"  # in the folder that `rankwise train --checkpoint` names
SECONDS = 5.0  # at most this much work is lost
SHARE = 0.05  # of the time may go into writing

NO_MATTER = {"n_jobs", "verbose"}  # parameters that do not change the model


@dataclass
class Checkpoint:
    """A file that follows a run of training."""

    path: Path
    run: str  # fingerprint of the data and the parameters
    seed: int
    next_time: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def is_due(self) -> bool:
        """Whether enough time has passed since the last writing."""
        return time.monotonic() >= self.next_time

    def write(self, state: State) -> None:
        """Replace the file."""
        began = time.monotonic()
        rounds = state.rounds
        said = {
            "format": FORMAT,
            "run": self.run,
            "seed": self.seed,
            "finished": [_plain(one) for one in state.finished],
            "rounds": None if rounds is None else _plain(rounds),
        }
        scores: dict[str, Any] = {
            f"scores_{k}": array for k, array in enumerate([] if rounds is None else rounds.scores)
        }
        with atomic_path(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, state=np.frombuffer(json.dumps(said).encode(), np.uint8), **scores)
        now = time.monotonic()
        self.next_time = now + max(SECONDS, (now - began) / SHARE)


def read_checkpoint(path: str | PathLike[str]) -> tuple[str, int, State]:
    """Fingerprint, seed and state of the run that a file follows."""
    try:
        with np.load(path, allow_pickle=False) as file:
            said = json.loads(file["state"].tobytes())
            if said["format"] != FORMAT:
                raise ModelFileError(
                    f"{path} is a checkpoint of format {said['format']}, and this rankwise reads {FORMAT}; start anew"
                )
            rounds = None if said["rounds"] is None else Rounds([], **said["rounds"])
            if rounds is not None:
                rounds.scores = [file[f"scores_{k}"] for k in range(len(file.files) - 1)]
            finished = [Rounds([], **one) for one in said["finished"]]
            return str(said["run"]), int(said["seed"]), State(finished, rounds)
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as problem:
        if isinstance(problem, ModelFileError):
            raise
        raise ModelFileError(f"{path} is not a whole checkpoint ({problem}); remove it and start anew") from problem


def lost_but_saved(
    problem: WorkerLostError, course: Course, state: State, parameters: dict[str, Any], follower: Checkpoint | None
) -> WorkerLostError:
    """Write down all complete rounds, where no checkpoint was asked for in a folder for temporary files; the sentence
    that says how to go on from there."""
    rounds = sum(one.done for one in (*state.finished, *filter(None, [state.rounds])))
    if not rounds:
        return WorkerLostError(f"{problem} before the first round; start again with the workers that are left")
    if follower is None:
        path = Path(tempfile.mkdtemp(prefix="rankwise-"), NAME)
        follower = Checkpoint(path, fingerprint(course, parameters), course.seed)
    follower.write(state)
    path = follower.path
    return WorkerLostError(
        f"{problem} after {rounds} rounds, which are in {path}; go on from there with resume=True, "
        f"checkpoint={str(path)!r} (--resume --checkpoint {path.parent})"
    )


def _plain(rounds: Rounds) -> dict[str, Any]:
    return {"trees": rounds.trees, "values": rounds.values, "header": rounds.header}


def fingerprint(course: Course, parameters: dict[str, Any]) -> str:
    """A hash of all that decides the outcome, so that a run is not resumed with other data or parameters."""
    told = {name: value for name, value in parameters.items() if name not in NO_MATTER}
    # What is not plain is told by what became of it: the text of an object may hold its address.
    told["metric"] = str(course.metric)
    if not isinstance(told["init"], str | None):
        told["init"] = "given"
    if not isinstance(told["random_state"], int | None):
        told["random_state"] = course.seed
    digest = hashlib.sha256(repr(sorted(told.items())).encode())
    course.hash_rows(digest)
    digest.update("".join(course.first_trees).encode())
    return digest.hexdigest()
