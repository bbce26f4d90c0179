"""The training of a net that is written down as it goes; see `checkpoint` for that of trees."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data._atomic import atomic_path
from rankwise.errors import ModelFileError
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.rankers.nets._plan import NetPlan
from rankwise.rankers.nets._state import NetState

FORMAT = "net 1"
ARRAYS = ("weights", "best", "memory")


@dataclass
class NetCheckpoint:
    """A file that follows a run of training."""

    path: Path
    run: str  # fingerprint of the data and the parameters
    seed: int
    writes: bool = True  # of several processes, one does
    next_time: float = field(default_factory=lambda: time.monotonic() + checkpoint.SECONDS)

    def is_due(self) -> bool:
        """Whether enough time has passed since the last writing."""
        return self.writes and time.monotonic() >= self.next_time

    def write(self, state: NetState) -> None:
        """Replace the file."""
        if not self.writes:
            return
        began = time.monotonic()
        said = {"format": FORMAT, "run": self.run, "seed": self.seed, "state": state.plain()}
        arrays: dict[str, Any] = {
            f"{part}/{name}": array for part in ARRAYS for name, array in getattr(state, part).items()
        }
        with atomic_path(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, state=np.frombuffer(json.dumps(said).encode(), np.uint8), **arrays)
        now = time.monotonic()
        self.next_time = now + max(checkpoint.SECONDS, (now - began) / checkpoint.SHARE)


def read_net_checkpoint(path: str | PathLike[str]) -> tuple[str, int, NetState]:
    """Fingerprint, seed and state of the run that a file follows."""
    try:
        with np.load(path, allow_pickle=False) as file:
            said = json.loads(file["state"].tobytes())
            if said["format"] != FORMAT:
                raise ModelFileError(
                    f"{path} is a checkpoint of format {said['format']}, not of a net ({FORMAT}); start anew"
                )
            state = NetState(**said["state"])
            for name in file.files:
                part, _, rest = name.partition("/")
                if part in ARRAYS:
                    getattr(state, part)[rest] = file[name]
            return str(said["run"]), int(said["seed"]), state
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as problem:
        if isinstance(problem, ModelFileError):
            raise
        raise ModelFileError(f"{path} is not a whole checkpoint ({problem}); remove it and start anew") from problem


def net_fingerprint(plan: NetPlan) -> str:
    """A hash of all that decides the outcome, so that a run is not resumed with other data or parameters."""
    told = {name: value for name, value in plan.parameters.items() if name not in checkpoint.NO_MATTER}
    # What is not plain is told by what became of it: the text of an object may hold its address.
    told |= {"metric": str(plan.metric), "hidden": list(told["hidden"]), "torch_module": repr(told["torch_module"])}
    if not isinstance(told["random_state"], int | None):
        told["random_state"] = plan.seed
    digest = hashlib.sha256(repr(sorted(told.items())).encode())
    arrays: list[Any] = [plan.X, plan.y, plan.offsets, plan.weight]
    if plan.parameters["torch_module"] is not None:
        arrays += [weights.detach().cpu().numpy() for weights in plan.parameters["torch_module"].state_dict().values()]
    for one in plan.judged:
        arrays += [one.X, one.y, one.qid]
    for array in arrays:
        if array is not None:
            plain = np.ascontiguousarray(array if array.dtype.kind in "biufSU" else array.astype(str))
            digest.update(repr((plain.shape, plain.dtype)).encode())
            digest.update(plain.data)
    return digest.hexdigest()
