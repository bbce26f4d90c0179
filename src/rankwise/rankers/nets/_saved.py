"""A fitted net as plain values and safetensors, and back."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import SavedModel
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers._persistence import (
    manifest_fields,
    read_eval_history,
    read_int,
    read_optional_float,
    restore_features,
)
from rankwise.rankers.nets._module import layer_shapes, make_module
from rankwise.rankers.nets._training import load_weights

MEMBER = "weights.safetensors"


def to_saved(model: Any) -> SavedModel:
    """What is needed to predict, score and fit again."""
    if model.torch_module is not None:
        raise DataError(
            "a model file holds no code, so a net of your own (torch_module) cannot be saved in one, got "
            f"{type(model.torch_module).__name__}; save the weights of model.module_ by safetensors"
        )
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in model.module_.state_dict().items()}
    arrays |= {"mean": model.standardizer_.mean, "scale": model.standardizer_.scale}
    return SavedModel(
        **manifest_fields(model),
        metric=str(parse(model.metric)),
        summary={
            "engine": f"torch {torch.__version__}",
            "rows": int(model.n_rows_),
            "queries": int(model.n_queries_),
            "weights": int(sum(array.size for array in arrays.values())),
            "best_iteration": int(model.best_iteration_),
            "best_score": model.best_score_,
            "interrupted": bool(model.interrupted_),
            "evals_result": model.evals_result_,
        },
        members={MEMBER: save(arrays)},
    )


def from_saved(cls: type[Any], saved: SavedModel) -> Any:
    """A fitted net; everything is checked before the net is built, whose size follows from what the file holds."""
    model = _unfitted(cls, saved)
    if list(saved.members) != [MEMBER]:
        raise ModelFileError(f"the model must consist of {MEMBER}, got {sorted(saved.members)}; save it again")
    layers = layer_shapes(saved.n_features, model.hidden)
    expected: dict[str, tuple[Any, ...]] = {name: (np.float32, shape) for name, shape in layers.items()}
    expected |= dict.fromkeys(("mean", "scale"), (np.float64, (saved.n_features,)))
    arrays = checked_arrays(saved.members[MEMBER], expected)
    model.standardizer_ = Standardizer(arrays.pop("mean"), arrays.pop("scale"))
    model.module_ = make_module(model.get_params(deep=False), saved.n_features).eval()
    load_weights(model.module_, arrays)
    restore_features(model, saved)
    said = saved.summary
    model.n_rows_, model.n_queries_ = read_int(said, "rows"), read_int(said, "queries")
    model.best_iteration_ = read_int(said, "best_iteration")
    model.best_score_ = read_optional_float(said, "best_score")
    model.interrupted_ = said.get("interrupted") is True
    model.evals_result_ = read_eval_history(said)
    return model


def _unfitted(cls: type[Any], saved: SavedModel) -> Any:
    known = set(inspect.signature(cls).parameters)
    if set(saved.parameters) != known:
        raise ModelFileError(
            f"the model has other parameters than this rankwise knows, {sorted(set(saved.parameters) ^ known)[:3]}; "
            "get the one that wrote it"
        )
    if saved.parameters["metric"] != saved.metric:
        raise ModelFileError(f"the model is one for {saved.metric!r}, but its parameters name another; save it again")
    model = cls(**saved.parameters)
    try:
        check_parameters(model)
    except (DataError, TypeError, ValueError) as problem:
        raise ModelFileError(f"the model's parameters are not possible ({problem}); save it again") from None
    if model.torch_module is not None or not isinstance(model.standardize, bool):
        raise ModelFileError("the model's parameters are not possible (torch_module, standardize); save it again")
    model.hidden = tuple(model.hidden)
    model.device = "cpu"  # where it was trained need not be here
    return model


def checked_arrays(data: bytes, expected: dict[str, tuple[Any, ...]]) -> dict[str, NDArray[Any]]:
    """The arrays of a member, which must be of these names, types and shapes, and finite."""
    try:
        arrays: dict[str, NDArray[Any]] = load(data)
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError) as problem:
        said = " ".join(str(problem).split())[:200]
        raise ModelFileError(f"the model's weights are not sound ({said}); save it again") from None
    if set(arrays) != set(expected):
        odd = sorted(set(arrays) ^ set(expected))
        raise ModelFileError(f"the model's weights are not sound (not those of its layers: {odd[:3]}); save it again")
    for name, (kind, shape) in expected.items():
        array = arrays[name]
        if array.dtype != kind or array.shape != shape or not np.isfinite(array).all():
            raise ModelFileError(
                f"the model's weights are not sound ({name} is of {array.dtype} {array.shape}, or not finite); "
                "save it again"
            )
    return arrays
