"""The net of a RateClassifier as safetensors, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from safetensors.numpy import save

from rankwise.rankers.nets._module import layer_shapes, make_module
from rankwise.rankers.nets._saved import checked_arrays
from rankwise.rankers.nets._training import load_weights
from rankwise.rankers.rates.families._net import NetScorer, Shifted


def net_member(scorer: Any) -> bytes:
    """Weights and intercept."""
    state = scorer.module.state_dict()
    return bytes(save({name: np.ascontiguousarray(tensor.cpu().numpy()) for name, tensor in state.items()}))


def net_scorer(data: bytes, model: Any, n_features: int) -> NetScorer:
    """The net that the parameters describe, with these weights."""
    layers = layer_shapes(n_features, model.hidden)
    expected: dict[str, tuple[Any, ...]] = {f"module.{name}": (np.float32, shape) for name, shape in layers.items()}
    arrays = checked_arrays(data, expected | {"intercept": (np.float32, (1,))})
    parameters = {
        "torch_module": None,
        "hidden": model.hidden,
        "activation": model.activation,
        "dropout": model.dropout,
    }
    module = Shifted(make_module(parameters, n_features), 0.0)
    load_weights(module, arrays)
    return NetScorer(module.eval())
