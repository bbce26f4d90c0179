"""Finished runs in a file, so that a simulation goes on after a kill."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from pathlib import Path

import numpy as np

from rankwise.errors import ModelFileError
from rankwise.rankers._checkpoint import prepare_place, replace_file
from rankwise.sampling._base import Sampler
from rankwise.sampling.simulation._experiment import Experiment
from rankwise.sampling.simulation._loop import Run
from rankwise.types import AnyArray, JsonObject

FORMAT = 2
IRRELEVANT = {"n_jobs", "verbose"}  # parameters that do not change a ranker


@dataclass
class RunFile:
    """The finished runs of a simulation by sampler and seed, and a file that follows them (None: only in memory)."""

    path: Path | None
    trial: str
    samplers: dict[str, str]
    full: dict[str, float] | None = None
    runs: dict[tuple[str, int], Run] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str | PathLike[str] | None, experiment: Experiment, samplers: dict[str, Sampler]) -> RunFile:
        """The file, with what it holds of this simulation; samplers and seeds may have been added."""
        written = {name: repr(sampler) for name, sampler in samplers.items()}
        if path is None:
            return cls(None, "", written)
        file = cls(Path(path), _digest(experiment), written)
        prepare_place(Path(path))
        if Path(path).exists():
            file._read(Path(path))
        return file

    def add(self, run: Run) -> None:
        """Keep a run that has finished."""
        self.runs[run.sampler, run.seed] = run
        self.write()

    def write(self) -> None:
        """Replace the file."""
        if self.path is None:
            return
        content = {
            "format": FORMAT,
            "trial": self.trial,
            "samplers": self.samplers,
            "full": self.full,
            "runs": [asdict(run) for run in self.runs.values()],
        }
        text = json.dumps(content | {"sha256": _checksum(content)}, allow_nan=False)
        replace_file(self.path, lambda temporary: temporary.write_text(text, encoding="utf-8"))

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            checksum = content.pop("sha256", None)
            version, trial, samplers = content["format"], content["trial"], dict(content["samplers"])
            runs = [Run(**{field.name: run[field.name] for field in fields(Run)}) for run in content["runs"]]
            self.full = None if content["full"] is None else dict(content["full"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise ModelFileError(
                f"{path} is not the checkpoint of a simulation ({type(problem).__name__}); name another file"
            ) from problem
        if version != FORMAT:
            raise ModelFileError(
                f"{path} is a checkpoint of format {version}, and this rankwise reads {FORMAT}; start anew"
            )
        if checksum != _checksum(content):
            raise ModelFileError(f"{path} has been damaged: its checksum is not that of its runs; remove it")
        if trial != self.trial:
            raise ModelFileError(
                f"{path} is of a simulation with other data or parameters; give the same ones, or name another file"
            )
        for name, sampler in self.samplers.items():
            if samplers.get(name, sampler) != sampler:
                raise ModelFileError(
                    f"{path} has runs of {name} as {samplers[name]}, got {sampler}; give the sampler another name"
                )
        self.samplers = samplers | self.samplers
        self.runs = {(run.sampler, run.seed): run for run in runs}


def _checksum(content: JsonObject) -> str:
    """A hash of what the file says; a digit that the disk has changed would be a result."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _digest(experiment: Experiment) -> str:
    """A hash of all that decides the outcome but samplers and seeds."""
    settings = {name: value for name, value in experiment.ranker.get_params().items() if name not in IRRELEVANT}
    ranker = type(experiment.ranker)
    described: list[object] = [
        f"{ranker.__module__}.{ranker.__qualname__}",
        sorted(settings.items()),
        experiment.metrics,
    ]
    described += [experiment.rounds, experiment.per_query, experiment.start, experiment.answer]
    digest = hashlib.sha256(repr(described).encode())
    arrays: list[AnyArray] = [experiment.truth, experiment.data.qid, experiment.test.y, experiment.test.qid]
    for X in (experiment.data.X, experiment.test.X):
        arrays += [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    for array in arrays:
        plain = np.ascontiguousarray(array)
        digest.update(repr((plain.shape, plain.dtype)).encode())
        digest.update(plain.data)
    return digest.hexdigest()
