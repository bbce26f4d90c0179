"""Models as the plain values of a manifest, and back: every value that a file holds is checked before it is used."""

from __future__ import annotations

import inspect
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from rankwise._validation import is_finite_number
from rankwise.errors import ModelFileError
from rankwise.metrics import Metric
from rankwise.rankers._base import SavableModel, SavedModel
from rankwise.rankers._features import feature_names_of
from rankwise.rankers._parameters import check_parameters
from rankwise.types import AnyArray, FloatArray, JsonObject

Model = TypeVar("Model", bound=SavableModel)
EvalHistory = dict[str, dict[str, list[float]]]  # the values of each round, by eval_set and metric


class TrainedRanker(Protocol):
    """What every ranker that learns in rounds has after `fit`."""

    n_rows_: int
    n_queries_: int
    best_iteration_: int
    best_score_: float | None
    interrupted_: bool
    evals_result_: EvalHistory


def make_saved(
    model: SavableModel,
    metric: str,
    summary: JsonObject,
    members: dict[str, bytes] | None = None,
    *,
    metric_parameter: str = "metric",
) -> SavedModel:
    """A fitted model as a file holds it; `metric` is also the value of the parameter that names it."""
    parameters = {name: _plain(value) for name, value in model.get_params(deep=False).items()}
    return SavedModel(
        kind=model.kind,
        metric=metric,
        parameters=parameters | {metric_parameter: metric},
        n_features=int(model.n_features_in_),
        feature_names=feature_names_of(model),
        summary=summary,
        members=members or {},
    )


def _plain(value: object) -> object:
    """A parameter as JSON has it; what was only a start of the training (scores, a model, a generator) is left out."""
    if isinstance(value, Metric):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | bool | None) else None


def training_summary(model: TrainedRanker) -> JsonObject:
    """What the manifest says of the training of a ranker."""
    return {
        "rows": int(model.n_rows_),
        "queries": int(model.n_queries_),
        "best_iteration": int(model.best_iteration_),
        "best_score": model.best_score_,
        "interrupted": bool(model.interrupted_),
        "evals_result": model.evals_result_,
    }


def unfitted_model(cls: type[Model], saved: SavedModel, *, metric_parameter: str = "metric") -> Model:
    """A model with the parameters and the features of a file, all checked; nothing is learned yet."""
    expected = set(inspect.signature(cls).parameters)
    if set(saved.parameters) != expected:
        odd = sorted(set(saved.parameters) ^ expected)[:3]
        raise ModelFileError(
            f"the model has other parameters than this rankwise knows, {odd}; get the one that wrote it"
        )
    if saved.parameters[metric_parameter] != saved.metric:
        raise ModelFileError(f"the model is one for {saved.metric!r}, but its parameters name another; save it again")
    model = cls(**saved.parameters)
    try:
        check_parameters(model)
    except (TypeError, ValueError) as problem:
        raise ModelFileError(f"the model's parameters are not possible ({problem}); save it again") from None
    model.n_features_in_ = saved.n_features
    if saved.feature_names is not None:
        model.feature_names_in_ = np.array(saved.feature_names, dtype=object)
    return model


def restore_training(model: TrainedRanker, summary: JsonObject) -> None:
    """Set what `training_summary` said."""
    model.n_rows_, model.n_queries_ = read_int(summary, "rows"), read_int(summary, "queries")
    model.best_iteration_ = read_int(summary, "best_iteration")
    model.best_score_ = read_optional_float(summary, "best_score")
    model.interrupted_ = summary.get("interrupted") is True
    model.evals_result_ = read_eval_history(summary)


def _value(fields: object, name: str) -> Any:
    """A value of an object of JSON, which a damaged file may not have."""
    return fields.get(name) if isinstance(fields, dict) else None


def read_int(fields: object, name: str) -> int:
    """A whole number from 0 on."""
    value = _value(fields, name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ModelFileError(f"{name} of the model's summary must be a whole number, got {value!r}; save it again")
    return value


def read_float(fields: object, name: str, *, low: float = -np.inf, high: float = np.inf) -> float:
    """A finite number within these bounds."""
    value = _value(fields, name)
    if not is_finite_number(value) or not low <= value <= high:
        raise ModelFileError(
            f"{name} of the model must be a number{_range(low, high)}, got {str(value)[:20]}; save it again"
        )
    return float(value)


def _range(low: float, high: float) -> str:
    return "" if (low, high) == (-np.inf, np.inf) else f" from {low:g} to {high:g}"


def read_optional_float(summary: JsonObject, name: str) -> float | None:
    """A finite number, or None."""
    return None if summary.get(name) is None else read_float(summary, name)


def read_floats(
    fields: object, name: str, size: int | None = None, *, low: float = -np.inf, high: float = np.inf
) -> FloatArray:
    """A list of finite numbers within these bounds, `size` of them if that is not None."""
    values = _value(fields, name)
    if (
        not isinstance(values, list)
        or size not in (None, len(values))
        or not all(is_finite_number(value) and low <= value <= high for value in values)
    ):
        count = "" if size is None else f"{size} "
        raise ModelFileError(f"{name} of the model must be {count}finite numbers{_range(low, high)}; save it again")
    return np.array(values, dtype=np.float64)


def read_eval_history(summary: JsonObject) -> EvalHistory:
    """The values of each round, by eval_set and metric."""
    history = summary.get("evals_result")
    fits = isinstance(history, dict) and all(
        isinstance(by_metric, dict)
        and all(isinstance(values, list) and all(map(is_finite_number, values)) for values in by_metric.values())
        for by_metric in history.values()
    )
    if not fits:
        raise ModelFileError("evals_result of the model's summary must be lists of numbers; save the model again")
    return dict(history or {})


def read_tensors(data: bytes, expected: dict[str, tuple[DTypeLike, tuple[int, ...]]]) -> dict[str, AnyArray]:
    """The arrays of a safetensors member, which must have these names, types and shapes, and be finite."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays: dict[str, AnyArray] = load(data)
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError) as problem:
        reason = " ".join(str(problem).split())[:200]
        raise ModelFileError(f"the model's weights are not sound ({reason}); save it again") from None
    if set(arrays) != set(expected):
        odd = sorted(set(arrays) ^ set(expected))
        raise ModelFileError(f"the model's weights are not sound (not those of its layers: {odd[:3]}); save it again")
    for name, (dtype, shape) in expected.items():
        array = arrays[name]
        if array.dtype != dtype or array.shape != shape or not np.isfinite(array).all():
            raise ModelFileError(
                f"the model's weights are not sound ({name} is of {array.dtype} {array.shape}, or not finite); "
                "save it again"
            )
    return arrays
