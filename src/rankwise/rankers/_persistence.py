"""Values in the manifest of a model file, as plain as JSON has them, and checked when they come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._validation import is_finite_number
from rankwise.errors import ModelFileError
from rankwise.metrics import Metric
from rankwise.rankers._base import SavedModel
from rankwise.rankers._features import categories_of


def manifest_fields(model: Any) -> dict[str, Any]:
    """What the manifest says of any model: its kind, parameters and features."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "kind": model.kind,
        "parameters": {name: _plain(value) for name, value in model.get_params(deep=False).items()},
        "n_features": int(model.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "categories": {name: list(values) for name, values in categories_of(model).items()},
    }


def restore_features(model: Any, saved: SavedModel) -> None:
    """Give a model that is being loaded the features that it was saved with."""
    model.n_features_in_ = saved.n_features
    model.categories_ = {name: tuple(values) for name, values in saved.categories.items()}
    if saved.feature_names is not None:
        model.feature_names_in_ = np.array(saved.feature_names, dtype=object)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; what was only a start of the training (scores, a model, a generator) is left out."""
    if isinstance(value, Metric):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else None


def read_int(said: dict[str, Any], name: str) -> int:
    """A whole number of a model's summary."""
    value = said.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ModelFileError(f"{name} of the model's summary must be a whole number, got {value!r}; save it again")
    return value


def read_optional_float(said: dict[str, Any], name: str) -> float | None:
    """A finite number of a model's summary, or None."""
    value = said.get(name)
    if value is not None and not is_finite_number(value):
        raise ModelFileError(f"{name} of the model's summary must be a number, got {value!r}; save it again")
    return value


def read_eval_history(said: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """The values of each round, by judged set and metric."""
    found: Any = said.get("evals_result")
    fits = isinstance(found, dict) and all(
        isinstance(one, dict) and all(isinstance(v, list) and all(map(is_finite_number, v)) for v in one.values())
        for one in found.values()
    )
    if not fits:
        raise ModelFileError("evals_result of the model's summary must be lists of numbers; save the model again")
    return dict(found)
