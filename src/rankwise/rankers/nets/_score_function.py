"""What a net computes, from the weights of its module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError
from rankwise.rankers._score_functions._functions import NetFunction, kind_and_names

if TYPE_CHECKING:
    from torch import nn

    from rankwise.rankers._base import SavableModel


def net_function(
    model: SavableModel,
    module: nn.Module,
    activation: Literal["relu", "tanh"],
    standardizer: Standardizer,
    user_module: object,
    constant: float = 0.0,
) -> NetFunction:
    """The layers of a module that rankwise made; only those are known to be layers."""
    if user_module is not None:
        raise DataError(
            f"a net of your own cannot be written by rankwise, got {type(user_module).__name__}; use torch.onnx.export"
        )
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items()}
    prefix = "module." if "intercept" in arrays else ""
    depth = sum(name.endswith(".weight") for name in arrays)
    layers = [
        (arrays[f"{prefix}layers.{k}.weight"], arrays.get(f"{prefix}layers.{k}.bias", arrays.get("intercept")))
        for k in range(depth)
    ]
    return NetFunction(*kind_and_names(model), standardizer.mean, standardizer.scale, layers, activation, constant)
