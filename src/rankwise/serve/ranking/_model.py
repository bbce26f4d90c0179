"""The model that is served: loaded beside the running one when its file changes, and put in its place whole."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from sklearn.utils import get_tags

from rankwise.errors import DataError, RankwiseError
from rankwise.models import load
from rankwise.rankers._base import SavableModel
from rankwise.rankers._explanation import Explanation
from rankwise.rankers._features import feature_names_of
from rankwise.rankers._score_functions._tree_table import prefer_tables
from rankwise.serve.ranking._arrow import ArrowReader
from rankwise.serve.ranking._requests import JsonReader
from rankwise.serve.ranking._schemas import ModelFeatures, ModelInfo
from rankwise.types import FloatArray, JsonObject

log = logging.getLogger(__name__)

FileStamp = tuple[int, int, int]
WATCH_SECONDS = 1.0  # between looks at the file
MAX_READS = 5
TRIAL_DOCUMENTS = 8


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model ready to score, and all that requests need to know of it."""

    ranker: SavableModel
    features: ModelFeatures
    json: JsonReader
    arrow: ArrowReader
    explain: Callable[..., Explanation] | None
    info: ModelInfo
    loaded: float  # seconds since 1970

    def described(self) -> JsonObject:
        """What answers say of it, for printing."""
        return msgspec.structs.asdict(self.info)

    def scores(self, X: FloatArray) -> FloatArray:
        """A finite number for each row."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.ranker.checked_scores(X)
        if not np.isfinite(scores).all():
            row = int(np.flatnonzero(~np.isfinite(scores))[0])
            raise DataError(f"document {row} has features so large that its score is not a number; send smaller ones")
        return np.asarray(scores)


def load_served(path: Path) -> tuple[ServedModel, FileStamp]:
    """The model in a file, tried once, and what the file looked like."""
    for _ in range(MAX_READS):
        before = file_stamp(path)
        ranker = load(path)
        version = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        if file_stamp(path) == before:  # else it is not known which file was read
            return _ready(ranker, version), before
    raise DataError(f"{path} was replaced {MAX_READS} times while it was read; replace it less often")


def file_stamp(path: Path) -> FileStamp:
    """What changes when another file takes the place of this one, or it is written to."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _ready(ranker: SavableModel, version: str) -> ServedModel:
    if "n_jobs" in ranker.get_params(deep=False):
        ranker.set_params(n_jobs=1)  # requests run beside each other, in as many processes as there are workers
    features = ModelFeatures(
        names=feature_names_of(ranker),
        count=int(ranker.n_features_in_),
        takes_missing=bool(get_tags(ranker).input_tags.allow_nan),
        kind=ranker.kind,
    )
    model = ServedModel(
        ranker=ranker,
        features=features,
        json=JsonReader(features),
        arrow=ArrowReader(features),
        explain=getattr(ranker, "explain", None),
        info=ModelInfo(version, features.kind, features.count),
        loaded=time.time(),
    )
    # Whatever is compiled or built by the first request is now.
    prefer_tables()
    row = dict.fromkeys(features.names, 0) if features.names else [0] * features.count
    body = msgspec.json.encode({"documents": [{"features": row}] * TRIAL_DOCUMENTS})
    scores = model.scores(model.json.read(body, TRIAL_DOCUMENTS).X)
    if scores.ndim != 1:
        raise DataError(f"serve needs one score per row, got a model of {scores.shape[1]} classes; load it in Python")
    return model


class CurrentModel:
    """The model of a file that may change; a request takes `now` once, and keeps it to its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now, self._loaded = load_served(path)
        self._failed: FileStamp | None = None
        self.problem: str | None = None
        self.on_reload: Callable[[bool], None] = lambda ok: None
        self._stopped = threading.Event()

    def watch(self) -> None:
        """Look at the file again and again in a thread, which ends with the process or by `stop`."""

        def look_again_and_again() -> None:
            while not self._stopped.wait(WATCH_SECONDS):
                self.reload_if_changed()

        threading.Thread(target=look_again_and_again, name="model watch", daemon=True).start()

    def stop(self) -> None:
        """End the watch."""
        self._stopped.set()

    def reload_if_changed(self) -> None:
        """Load the file if it is another one; if that is not sound, say so and go on with the old model."""
        stamp = None
        try:
            stamp = file_stamp(self.path)
            if stamp == self._loaded:
                self.problem = None
            if stamp in (self._loaded, self._failed):
                return
            self.now, self._loaded = load_served(self.path)
        except FileNotFoundError:
            problem = f"{self.path} is not there any more; put a model there"
            if problem != self.problem:  # else it would be said every second
                self._complain(problem)
        except Exception as failure:  # whatever a file brings about, the old model is still good
            self._failed = stamp
            self._complain(str(failure) if isinstance(failure, RankwiseError | OSError) else repr(failure))
            self.on_reload(False)
        else:
            self.problem, self._failed = None, None
            log.info("%s was picked up: version %s", self.path, self.now.info.version)
            self.on_reload(True)

    def _complain(self, problem: str) -> None:
        log.error("the old model is kept: %s", problem)
        self.problem = problem
