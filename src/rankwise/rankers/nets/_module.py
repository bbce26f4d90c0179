"""Nets: layers of one width each, or the user's own module, and their scores."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from rankwise.data.prepare._standardizer import BLOCK_ROWS
from rankwise.errors import DataError, ShapeError
from rankwise.types import AnyArray, FloatArray, JsonObject

THREADS_MIN_PRODUCTS = 2**24  # of a forward pass
MAX_WEIGHTS = 2 * 10**8  # of layers, which take four times their size in training
N_EXPLAIN_STEPS = 256
ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}


def layer_shapes(n_features: int, hidden: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights of a net, so that a file can be checked before anything is built."""
    shapes: dict[str, tuple[int, ...]] = {}
    for number, (wide, narrow) in enumerate(itertools.pairwise([n_features, *hidden, 1])):
        shapes |= {f"layers.{number}.weight": (narrow, wide), f"layers.{number}.bias": (narrow,)}
    del shapes[f"layers.{len(hidden)}.bias"]
    return shapes


class Layers(nn.Module):
    """Linear layers with an activation, and dropout, between them.

    The last has no bias: no ranking depends on it, and its gradient, Σλ = 0, would be rounding alone, which AdamW
    would follow as if it meant something.
    """

    def __init__(self, n_features: int, hidden: Sequence[int], activation: str, dropout: float) -> None:
        super().__init__()
        widths = [n_features, *hidden, 1]
        self.layers = nn.ModuleList(
            nn.Linear(wide, narrow, bias=number < len(hidden))
            for number, (wide, narrow) in enumerate(itertools.pairwise(widths))
        )
        self.activation = ACTIVATIONS[activation]()
        self.dropout = nn.Dropout(dropout)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """A score for each row."""
        for layer in list(self.layers)[:-1]:
            X = self.dropout(self.activation(layer(X)))
        scores: torch.Tensor = self.layers[-1](X)
        return scores.squeeze(-1)


def make_module(parameters: JsonObject, n_features: int) -> nn.Module:
    """The net that the parameters describe; torch's random numbers give its weights."""
    module: nn.Module | None = parameters["torch_module"]
    if module is None:
        count = sum(math.prod(shape) for shape in layer_shapes(n_features, parameters["hidden"]).values())
        if count > MAX_WEIGHTS:
            raise DataError(
                f"a net of {n_features} features and hidden={list(parameters['hidden'])!r:.80} would have {count} "
                f"weights, more than {MAX_WEIGHTS}; choose narrower layers"
            )
        return Layers(n_features, parameters["hidden"], parameters["activation"], float(parameters["dropout"]))
    return _own_module(module, n_features)


def _own_module(module: nn.Module, n_features: int) -> nn.Module:
    """A copy of the user's module, tried on two rows: what torch would say in the middle of training is said here."""
    try:
        copied = copy.deepcopy(module)
        copied.to("cpu", torch.float32)
        was_training = copied.training
        scores = copied.eval()(torch.zeros(2, n_features))
        copied.train(was_training)
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as problem:
        reason = " ".join(str(problem).split())[:160]
        raise DataError(f"torch_module does not take rows of {n_features} features ({reason}); mend it") from problem
    if not isinstance(scores, torch.Tensor):
        raise ShapeError(f"torch_module must give one score per row, got {type(scores).__name__}; return a tensor")
    if not scores.requires_grad:
        raise DataError("torch_module has nothing to train: its scores do not depend on parameters; give it some")
    return copied


def check_device(name: str) -> str:
    """The name of a device that torch has here."""
    try:
        torch.empty(1, device=name).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        reason = " ".join(str(problem).split())[:80]
        raise DataError(f"device must be one that torch has here, got {name!r:.40} ({reason}); use cpu") from None
    return name


def new_weights(module: nn.Module) -> None:
    """Draw all weights anew, as torch's own layers do."""
    for layer in module.modules():
        reset = getattr(layer, "reset_parameters", None)
        if callable(reset):
            reset()


def module_arrays(module: nn.Module) -> dict[str, AnyArray]:
    """A copy of the weights of a net, by name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_weights(module: nn.Module, weights: dict[str, AnyArray]) -> None:
    """Put these weights into a net."""
    module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})


def module_scores(module: nn.Module, X: torch.Tensor) -> torch.Tensor:
    """The net's scores, one per row."""
    scores: torch.Tensor = module(X)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores.squeeze(1)
    if scores.shape != X.shape[:1]:
        raise ShapeError(f"torch_module must give one score per row, got {tuple(scores.shape)} for {len(X)} rows")
    return scores


@contextmanager
def threads_worth(module: nn.Module, rows: float) -> Iterator[None]:
    """One thread for passes of so few rows that waiting for a second one takes longer than the work does.

    Where other programs use the cores, that wait is many times the work.
    """
    threads = torch.get_num_threads()
    if rows * sum(parameter.numel() for parameter in module.parameters()) < THREADS_MIN_PRODUCTS:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def module_row_scores(module: nn.Module, X: NDArray[np.float32], device: str) -> FloatArray:
    """Scores of standardized rows, without a graph and with dropout off."""
    training = module.training
    module.eval()
    out = np.empty(len(X))
    with torch.inference_mode(), threads_worth(module, len(X)):
        for start in range(0, len(X), BLOCK_ROWS):
            block = torch.from_numpy(X[start : start + BLOCK_ROWS]).to(device)
            out[start : start + BLOCK_ROWS] = module_scores(module, block).cpu().numpy()
    module.train(training)
    return out


def integrated_gradients(module: nn.Module, rows: NDArray[np.float32]) -> tuple[float, FloatArray]:
    """The difference of the scores of two standardized rows, and what each feature adds to it.

    Integrated gradients (Sundararajan et al. 2017) along the straight line between the two rows: a feature adds the
    integral of the score's derivative by it. The parts add up to the difference of the scores; what each small step of
    the sum leaves over (where the net bends) is divided among the features as they moved the score in that step.
    """
    first, second = torch.from_numpy(rows).double()
    module = copy.deepcopy(module).to("cpu", torch.float64)
    cuts = torch.linspace(0.0, 1.0, N_EXPLAIN_STEPS + 1, dtype=torch.float64)[:, None]
    with torch.no_grad():
        scores = module_scores(module, second + cuts * (first - second))
    middles = (second + (cuts[1:] + cuts[:-1]) / 2 * (first - second)).requires_grad_()
    (slopes,) = torch.autograd.grad(module_scores(module, middles).sum(), middles)
    steps = (slopes * (first - second) / N_EXPLAIN_STEPS).numpy()
    leftover = np.diff(scores.numpy()) - steps.sum(axis=1)
    moved = np.abs(steps)
    total = moved.sum(axis=1)
    steps += leftover[:, None] * moved / np.where(total > 0.0, total, 1.0)[:, None]
    return float(scores[-1] - scores[0]), steps.sum(axis=0)
