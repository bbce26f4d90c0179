"""What `eval` and `compare` evaluate: labelled rows, and the scores that one or more systems, or models, give them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rankwise.cli.support._models import row_scores
from rankwise.cli.support._reading import ReadOptions, check_features
from rankwise.cli.support._scores import read_scores
from rankwise.data import RankingData
from rankwise.data.io._formats import detect
from rankwise.data.io._streams import without_compression
from rankwise.data.io._trec import read_runs
from rankwise.errors import DataError
from rankwise.models import load
from rankwise.types import FloatArray


@dataclass(frozen=True, eq=False)
class Systems:
    """Labelled rows, the scores of each system by its name, and what the user should be told of them.

    `classifiers` are the systems that are models with a threshold of their own.
    """

    data: RankingData
    scores: dict[str, FloatArray]
    notes: tuple[str, ...]
    classifiers: dict[str, object] = field(default_factory=dict)


def named_paths(texts: list[str]) -> dict[str, Path]:
    """Files by the name of their system: `NAME=PATH`, or the file's name without its ending."""
    named: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        # A file may have = in its name, and is then meant.
        is_named = bool(equals and name and file) and not Path(text).exists()
        path = Path(file if is_named else text)
        name = name if is_named else without_compression(path).stem
        if name in named:
            raise DataError(
                f"systems must have different names, got {name!r} for {named[name]} and {path}; write NAME=PATH"
            )
        named[name] = path
    return named


def read_systems(
    files: list[Path], score_files: dict[str, Path], model_files: dict[str, Path], reading: ReadOptions
) -> Systems:
    """Read data and scores, and score by models; beside TREC judgements, runs among `files` are systems too."""
    for name in model_files.keys() & score_files.keys():
        raise DataError(
            f"systems must have different names, got {name!r} for {score_files[name]} and {model_files[name]}; "
            "write NAME=PATH"
        )
    models = {name: load(path) for name, path in model_files.items()}
    notes: list[str] = []
    skip_bad = reading.skip_bad
    qrels = [path for path in files if detect(path).format == "qrels"]
    if not qrels:
        data = reading.read(files)
        scores = {name: read_scores(path, data, skip_bad, notes) for name, path in score_files.items()}
        if models:
            check_features(data, files)
            scores |= {name: row_scores(model, data) for name, model in models.items()}
        classifiers = {name: model for name, model in models.items() if np.ndim(getattr(model, "threshold_", ())) == 0}
        return Systems(data, scores, (*data.notes, *notes), classifiers)
    if models:
        raise DataError(f"a model needs features, got TREC judgements in {qrels[0]}; name data with features")
    runs = {**named_paths([str(path) for path in files if path not in qrels]), **score_files}
    if len(qrels) > 1 or not runs:
        raise DataError(
            f"TREC judgements need one file of them and a run, got {' '.join(map(str, files))}; name the run as well"
        )
    for path in runs.values():
        kind = detect(path).format
        if kind != "run":
            raise DataError(
                f"TREC judgements are evaluated with runs (qid Q0 document rank score tag), got {path}, "
                f"which looks like {kind}; name a run"
            )
    data, scores = read_runs(qrels[0], runs, skip_bad)
    return Systems(data, scores, data.notes)


def feature_scores(data: RankingData, feature: int) -> FloatArray:
    """One column of the features, counted from 1 as in LETOR files."""
    if not 1 <= feature <= data.n_features:
        has = f"{data.n_features} feature{'s' if data.n_features != 1 else ''}"
        raise DataError(f"there is no feature {feature}, the data has {has}; name one from 1 on")
    column = data.X[:, [feature - 1]]
    return np.asarray(column.toarray() if data.is_sparse else column, dtype=np.float64).ravel()
