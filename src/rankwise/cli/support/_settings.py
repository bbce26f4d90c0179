"""`--set KEY=VALUE`: parameters of a ranker, checked by the constraints of its class."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import rankwise.selection  # noqa: F401  (kinds of models become known by being imported)
from rankwise.errors import DataError
from rankwise.metrics import parse
from rankwise.rankers._base import SavableModel, model_kinds
from rankwise.rankers._parameters import check_parameters

# Parameters that have an option of their own.
OPTIONS = {
    "metric": "--metric",
    "objective": "--objective",
    "model": "--model",
    "random_state": "--seed",
    "pos_label": "--positive",
}
RATE = "rate"


def make_ranker(kind: str, metric: str | None, seed: int, settings: Iterable[str]) -> Any:
    """An unfitted ranker; what is wrong with its parameters need not wait for large files to be read."""
    cls = model_kinds().get(kind)
    if cls is None:
        raise DataError(f"--model {kind} is for operating points, got no --objective; add one such as r@p=0.95")
    takes = inspect.signature(cls).parameters
    seeded = {"random_state": seed} if "random_state" in takes else {}
    ranker: Any = cls(**_parsed(settings, cls), metric=str(parse(metric or takes["metric"].default)), **seeded)
    check_parameters(ranker)
    return ranker


def set_budget(ranker: Any, seconds: float) -> None:
    """Give a ranker that tries many so many seconds for all of them."""
    if "budget" not in ranker.get_params(deep=False):
        raise DataError("--budget is for --model auto, which tries many; drop it, or set n_estimators or epochs")
    check_parameters(ranker.set_params(budget=seconds))


def check_valid(ranker: Any, kind: str, valid: Sequence[Path]) -> None:
    """DataError where there are validation files for a ranker that takes none."""
    if valid and "eval_set" not in inspect.signature(ranker.fit).parameters:
        raise DataError(f"--model {kind} chooses by folds of the data, got --valid; name {valid[0]} as data as well")


def make_classifier(family: str, objective: str, seed: int, settings: Iterable[str]) -> Any:
    """An unfitted classifier for an operating point."""
    if family in model_kinds():
        raise DataError(f"--model {family} ranks by a --metric, got --objective; use --model trees, linear or net")
    cls = model_kinds()[RATE]
    classifier: Any = cls(**_parsed(settings, cls), objective=objective, model=family, random_state=seed)
    check_parameters(classifier)
    return classifier


def _parsed(texts: Iterable[str], ranker: type[SavableModel]) -> dict[str, Any]:
    """Parameters of `ranker` from texts; numbers, lists and objects are written as in JSON, None as none."""
    names = [name for name in inspect.signature(ranker).parameters if name not in OPTIONS]
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, written = text.partition("=")
        if not equals:
            raise DataError(f"--set must be KEY=VALUE, got {text!r}; write for example --set {names[0]}=1")
        if name in OPTIONS:
            raise DataError(f"--set cannot give {name}, got {text!r}; use {OPTIONS[name]}")
        if name not in names:
            raise DataError(f"--set has no parameter {name!r}, known are {', '.join(names)}; name one of these")
        if name in settings:
            raise DataError(f"--set must give a parameter once, got {name} twice; drop one")
        settings[name] = _value(written)
    return settings


def _value(written: str) -> Any:
    """A value of JSON; what is none of them is a text."""
    if written.lower() == "none":
        return None
    try:
        return json.loads(written, object_pairs_hook=_by_column)
    except (ValueError, RecursionError):
        return written


def _by_column(pairs: list[tuple[str, Any]]) -> dict[int | str, Any]:
    """Values of columns by name or by number, which JSON writes as a text."""
    return {int(column) if column.isdecimal() else column: value for column, value in pairs}
