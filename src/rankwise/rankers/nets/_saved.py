"""A fitted net as plain values and safetensors, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from numpy.typing import DTypeLike
from safetensors.numpy import save

from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import SavedModel
from rankwise.rankers._persistence import make_saved, read_tensors, restore_training, training_summary, unfitted_model
from rankwise.rankers.nets._module import layer_shapes, load_weights, make_module, module_arrays

if TYPE_CHECKING:
    from rankwise.rankers.nets._base import NetRanker

MEMBER = "weights.safetensors"

Net = TypeVar("Net", bound="NetRanker")


def to_saved(model: NetRanker) -> SavedModel:
    """What is needed to predict, score and fit again."""
    if model.torch_module is not None:
        raise DataError(
            "a model file holds no code, so a net of your own (torch_module) cannot be saved in one, got "
            f"{type(model.torch_module).__name__}; save the weights of model.module_ by safetensors"
        )
    arrays = module_arrays(model.module_) | {"mean": model.standardizer_.mean, "scale": model.standardizer_.scale}
    engine = {"engine": f"torch {torch.__version__}", "weights": int(sum(array.size for array in arrays.values()))}
    return make_saved(model, str(parse(model.metric)), engine | training_summary(model), {MEMBER: save(arrays)})


def from_saved(cls: type[Net], saved: SavedModel) -> Net:
    """A fitted net; everything is checked before the net is built, whose size follows from what the file holds."""
    model = unfitted_model(cls, saved)
    model.hidden = tuple(model.hidden)
    model.device = "cpu"  # where it was trained need not be here
    if set(saved.members) != {MEMBER}:
        raise ModelFileError(f"the model must consist of {MEMBER}, got {sorted(saved.members)}; save it again")
    layers = layer_shapes(saved.n_features, model.hidden)
    expected: dict[str, tuple[DTypeLike, tuple[int, ...]]] = {
        **{name: (np.float32, shape) for name, shape in layers.items()},
        **dict.fromkeys(("mean", "scale"), (np.float64, (saved.n_features,))),
    }
    arrays = read_tensors(saved.members[MEMBER], expected)
    model.standardizer_ = Standardizer(arrays.pop("mean"), arrays.pop("scale"))
    model.module_ = make_module(model.get_params(deep=False), saved.n_features).eval()
    load_weights(model.module_, arrays)
    restore_training(model, saved.summary)
    return model
