"""`--set KEY=VALUE`: parameters of a ranker, checked against its signature."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rankwise.errors import DataError
from rankwise.metrics import parse
from rankwise.rankers._base import SavableModel, model_kinds
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers.rates._plan import checked_objective

# Parameters that have an option of their own.
OPTIONS = {"metric": "--metric", "objective": "--objective", "model": "--model", "random_state": "--seed"}
RATE = "rate"


def make_ranker(kind: str, metric: str | None, seed: int, settings: Iterable[str]) -> Any:
    """An unfitted ranker; what is wrong with its parameters need not wait for large files to be read."""
    cls = model_kinds().get(kind)
    if cls is None:
        raise DataError(f"--model {kind} is for operating points, got no --objective; add one such as r@p=0.95")
    takes = inspect.signature(cls).parameters
    seeded = {"random_state": seed} if "random_state" in takes else {}
    ranker: Any = cls(**_parsed(settings, cls), metric=str(parse(metric or takes["metric"].default)), **seeded)
    check_parameters(ranker.get_params(deep=False))
    return ranker


def make_classifier(family: str, objective: str, seed: int, settings: Iterable[str]) -> Any:
    """An unfitted classifier for an operating point."""
    if family in model_kinds():
        raise DataError(f"--model {family} ranks by a --metric, got --objective; use --model trees, linear or net")
    cls = model_kinds()[RATE]
    classifier: Any = cls(**_parsed(settings, cls), objective=objective, model=family, random_state=seed)
    checked_objective(classifier)
    return classifier


def _parsed(texts: Iterable[str], ranker: type[SavableModel]) -> dict[str, Any]:
    """Parameters of `ranker` from texts; numbers, lists and objects are written as in JSON, None as none."""
    kinds = {name: kind for name, kind in get_type_hints(ranker.__init__).items() if name != "return"}
    known = [name for name in kinds if name not in OPTIONS]
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, written = text.partition("=")
        if not equals:
            raise DataError(f"--set must be KEY=VALUE, got {text!r}; write for example --set {known[0]}=1")
        if name in OPTIONS:
            raise DataError(f"--set cannot give {name}, got {text!r}; use {OPTIONS[name]}")
        if name not in known:
            raise DataError(f"--set has no parameter {name!r}, known are {', '.join(known)}; name one of these")
        if name in settings:
            raise DataError(f"--set must give a parameter once, got {name} twice; drop one")
        value = _value(written)
        if not _fits(value, kinds[name]):
            raise DataError(f"--set {name} must be {_in_words(kinds[name])}, got {written!r}; mend the value")
        settings[name] = value
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


def _fits(value: Any, kind: Any) -> bool:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        # Any is for what only Python can pass (scores, a model), or a text.
        return value is None or isinstance(value, str)
    if origin is Callable:
        return False  # only Python can pass it
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is Sequence:
        return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
    if origin is Mapping:
        return isinstance(value, dict) and all(_fits(one, inner[1]) for one in value.values())
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)


def _in_words(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_in_words(one) for one in inner if not _is_code(one)))
    if origin is Literal:
        return " or ".join(map(str, inner))
    if origin is Sequence:
        return f"a list as [{_example(inner[0])}, …]"
    if origin is Mapping:
        return f'an object as {{"0": {_example(inner[1])}, …}}'
    words = {int: "a whole number", float: "a number", bool: "true or false", types.NoneType: "none"}
    return words.get(kind, "a text or none")


def _is_code(kind: Any) -> bool:
    return get_origin(kind) is Callable or any(_is_code(one) for one in get_args(kind) if not isinstance(one, list))


def _example(kind: Any) -> str:
    return "1" if kind is int else "0"
