"""What `rankwise train` needs beside fitting: where its checkpoint is, and what it says of a model when it is done."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import print_notes
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.types import JsonObject


def checkpoint_file(folder: Path | None, resume: bool) -> Path | None:
    """The file in the folder that training keeps up to date; the folder is made if need be.

    The folder is there from the start, so one without a checkpoint is what a kill in the first seconds leaves.
    """
    if folder is None:
        if resume:
            raise DataError("--resume needs the folder of the training to go on with, got none; pass --checkpoint DIR")
        return None
    if folder.exists() and not folder.is_dir():
        raise DataError(f"--checkpoint must be a folder, got the file {folder}; name another")
    from rankwise.rankers._checkpoint import CHECKPOINT_FILE

    path = folder / CHECKPOINT_FILE
    if resume and not folder.exists():
        raise DataError(f"--resume found no checkpoint, got {folder}, which does not exist; start without --resume")
    if resume and not path.exists():
        print_notes([f"{folder} has no checkpoint yet, so training starts from the beginning"])
    if path.exists() and not resume:
        raise DataError(
            f"{folder} has the checkpoint of an earlier training, which would be lost; "
            "pass --resume to go on with it, or name another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    return path


def ranker_summary(ranker: Any, on_train: float, out: Path) -> JsonObject:
    """What there is to say of a ranker, by name."""
    histories = [values for result in ranker.evals_result_.values() for values in result.values()]
    summary = {
        "model": str(out),
        "metric": str(ranker.metric),
        "rounds": max(map(len, histories), default=ranker.best_iteration_),
        "best_round": ranker.best_iteration_,
        "train": None if math.isnan(on_train) else on_train,
        "valid": ranker.best_score_,
        "interrupted": ranker.interrupted_,
    }
    propensities = getattr(ranker, "propensities_", None)
    if propensities is not None:
        summary["propensities"] = dict(zip(map(str, ranker.positions_), propensities.tolist(), strict=True))
    return summary


def ranker_lines(summary: JsonObject) -> list[tuple[str, str]]:
    """The same as lines of a table."""
    values = [(f"{summary['metric']} on {name}", summary[name]) for name in ("train", "valid")]
    return [
        ("model", summary["model"]),
        ("rounds", str(summary["rounds"])),
        ("best round", str(summary["best_round"])),
        *((name, f"{value:.4f}") for name, value in values if value is not None),
        *((f"position {place} is seen", f"{share:.3f}") for place, share in summary.get("propensities", {}).items()),
        ("seconds", f"{summary['seconds']:.1f}"),
    ]


REACHED = {True: "yes", False: "no, so no row gets a yes"}


def classifier_summary(classifier: Any, rows: int, positives: int, out: Path) -> JsonObject:
    """What there is to say of a classifier for an operating point, by name."""
    history: Mapping[str, Any] = classifier.history_
    return {
        "model": str(out),
        "objective": str(classifier.objective),
        "rows": rows,
        "positives": positives,
        "trained_for": classifier.trained_for_,
        "reason": history["reason"],
        "baseline": history.get("baseline"),
        "tuned": history.get("tuned"),
        "threshold": classifier.threshold_,
        "reached": classifier.reached_,
        "interrupted": classifier.interrupted_,
    }


def classifier_lines(summary: JsonObject) -> list[tuple[str, str]]:
    """The same as lines of a table."""
    lines = {name: f"{value:.4f}" if isinstance(value, float) else str(value) for name, value in summary.items()}
    del lines["interrupted"]
    lines["reached"] = REACHED[summary["reached"]]
    lines = {name.replace("_", " "): text for name, text in lines.items()}
    for name in ("baseline", "tuned"):
        lines[name] = "–" if summary[name] is None else f"{summary[name]:.4f} on rows not trained on"
    return list((lines | {"seconds": f"{summary['seconds']:.1f}"}).items())
