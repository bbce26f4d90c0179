"""Values in the manifest of a model file, as plain as JSON has them, and checked when they come back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rankwise.errors import ModelFileError
from rankwise.metrics import Metric

__all__ = ["histories", "is_number", "number_or_none", "plain", "whole"]


def plain(value: Any) -> Any:
    """A parameter as JSON has it; what was only a start of the training (scores, a model, a generator) is left out."""
    if isinstance(value, Metric):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else None


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold, which a whole number of JSON need not be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def whole(said: dict[str, Any], name: str) -> int:
    """A whole number of a model's summary."""
    value = said.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ModelFileError(f"{name} of the model's summary must be a whole number, got {value!r}; save it again")
    return value


def number_or_none(said: dict[str, Any], name: str) -> float | None:
    """A finite number of a model's summary, or None."""
    value = said.get(name)
    if value is not None and not is_number(value):
        raise ModelFileError(f"{name} of the model's summary must be a number, got {value!r}; save it again")
    return value


def histories(said: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """The values of each round, by judged set and metric."""
    found: Any = said.get("evals_result")
    fits = isinstance(found, dict) and all(
        isinstance(one, dict)
        and all(isinstance(v, list) and all(isinstance(x, int | float) for x in v) for v in one.values())
        for one in found.values()
    )
    if not fits:
        raise ModelFileError("evals_result of the model's summary must be lists of numbers; save the model again")
    return dict(found)
