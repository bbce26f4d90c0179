"""Training that is written to a file as it goes, to be resumed after a kill at any moment.

The file holds JSON and arrays, nothing that runs code; it is replaced as a whole, so there is always a complete one.
Trees, nets and simulations say how their state becomes JSON and arrays, and back.
"""

from __future__ import annotations

import hashlib
import json
import logging
import struct
import time
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from rankwise.data._atomic import atomic_path
from rankwise.errors import DataError, ModelFileError
from rankwise.types import AnyArray, JsonObject

log = logging.getLogger(__name__)

CHECKPOINT_FILE = "training.npz"  # in the folder that `rankwise train --checkpoint` names
CHECKPOINT_SECONDS = 5.0  # at most this much work is lost
MAX_IO_SHARE = 0.05  # of the time may go into writing
IRRELEVANT_TO_FIT = {"n_jobs", "verbose"}  # parameters that do not change the model

# What numpy, zipfile and a state raise on damaged files.
DAMAGE = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, EOFError, RuntimeError, OSError, MemoryError,
    SyntaxError, zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError,
)  # fmt: skip


class CheckpointState(Protocol):
    """How far a run has come: all that is needed to go on with it."""

    checkpoint_format: ClassVar[str]

    def to_arrays(self) -> tuple[JsonObject, dict[str, AnyArray]]:
        """The state as JSON and arrays."""
        ...

    @classmethod
    def from_arrays(cls, fields: JsonObject, arrays: dict[str, AnyArray]) -> Self:
        """The state that `to_arrays` described."""
        ...


State = TypeVar("State", bound=CheckpointState)


@dataclass
class Checkpoint(Generic[State]):
    """The file that follows a run; without a path, nothing is written.

    `run` is the fingerprint of data and parameters; `state` is what the file held when a run was resumed.
    """

    path: Path | None
    state: State | None = None
    run: str | None = None
    seed: int | None = None
    is_writer: bool = True  # of several processes, one is
    next_time: float = field(default_factory=lambda: time.monotonic() + CHECKPOINT_SECONDS)

    @classmethod
    def open(cls, path: str | PathLike[str] | None, state_type: type[State], *, resume: bool) -> Checkpoint[State]:
        """The file to write to, with what it holds if the run is resumed and the file is there."""
        if not isinstance(path, str | PathLike | None):
            raise DataError(f"checkpoint must be the path of a file, got {path!r:.100}; name one")
        if path is None or not resume or not Path(path).exists():
            return Checkpoint(None if path is None else Path(path))
        return read_checkpoint(path, state_type)

    def follow(self, seed: int, run: Callable[[], str]) -> None:
        """Begin to follow the run of this seed and fingerprint; DataError if the file is of another run."""
        if self.path is None:
            return
        resumed, self.run, self.seed = self.run, run(), seed
        if resumed not in (None, self.run):
            raise DataError(
                f"{self.path} belongs to training with other data or parameters; pass the same or resume=False"
            )
        prepare_place(self.path)

    def is_due(self) -> bool:
        """Whether enough time has passed since the last writing."""
        return self.path is not None and self.is_writer and time.monotonic() >= self.next_time

    def write(self, state: State) -> None:
        """Replace the file."""
        if self.path is None or not self.is_writer:
            return
        start = time.monotonic()
        fields, arrays = state.to_arrays()
        header = {"format": state.checkpoint_format, "run": self.run, "seed": self.seed, "state": fields}
        members: dict[str, Any] = {"header": np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays}

        def save(temporary: Path) -> None:
            with temporary.open("wb") as file:
                np.savez(file, **members)

        replace_file(self.path, save)
        now = time.monotonic()
        self.next_time = now + max(CHECKPOINT_SECONDS, (now - start) / MAX_IO_SHARE)


def prepare_place(path: Path) -> None:
    """Before the work begins: that a file can be written there, and that no half of one is left by a kill."""
    for left_over in path.parent.glob(f".????????????.{path.name}"):
        left_over.unlink(missing_ok=True)
    try:
        with suppress(_NothingWrittenError), atomic_path(path) as temporary:
            temporary.touch()
            raise _NothingWrittenError
    except OSError as problem:
        reason = problem.strerror
        raise DataError(f"{path} cannot be written ({reason}); free some space or name another place") from None


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Replace a checkpoint by what `write` writes; a disk that is full or gone is no reason to lose the run itself."""
    try:
        with atomic_path(path) as temporary:
            write(temporary)
    except (OSError, DataError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        log.warning("%s could not be written (%s); the run goes on, and a kill would set it back", path, reason)


class _NothingWrittenError(Exception):
    """Ends writing before there is anything to write."""


def read_checkpoint(path: str | PathLike[str], state_type: type[State]) -> Checkpoint[State]:
    """Fingerprint, seed and state of the run that a file follows."""
    expected = state_type.checkpoint_format
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            if header["format"] != expected:
                raise ModelFileError(
                    f"{path} is a checkpoint of the format {str(header['format'])[:40]!r}, "
                    f"where {expected!r} is read; start anew"
                )
            state = state_type.from_arrays(
                header["state"], {name: file[name] for name in file.files if name != "header"}
            )
            return Checkpoint(Path(path), state, str(header["run"]), int(header["seed"]))
    except ModelFileError:
        raise
    except DAMAGE as problem:
        reason = " ".join(str(problem).split())[:200]
        raise ModelFileError(f"{path} is not a whole checkpoint ({reason}); remove it and start anew") from problem


def fingerprint(parameters: JsonObject, arrays: Iterable[AnyArray | None]) -> str:
    """A hash of all that decides the outcome, so that a run is not resumed with other data or parameters.

    Parameters must be plain values: the text of an object may hold its address.
    """
    relevant = {name: value for name, value in parameters.items() if name not in IRRELEVANT_TO_FIT}
    digest = hashlib.sha256(repr(sorted(relevant.items())).encode())
    for array in arrays:
        if array is not None:
            plain = np.ascontiguousarray(array if array.dtype.kind in "biufSU" else array.astype(str))
            digest.update(repr((plain.shape, plain.dtype)).encode())
            digest.update(plain.data)
    return digest.hexdigest()
