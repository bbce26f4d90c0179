"""Batches of a rate loss: the Lagrangian and its derivatives, by one kernel in main memory, by torch elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from rankwise.errors import DataError
from rankwise.kernels._compile import specialize
from rankwise.kernels.rows import _rate_steps as rate_steps
from rankwise.kernels.rows._surrogate_columns import COLUMNS, WITH_ODDS
from rankwise.objectives.rates._statements import STATEMENTS
from rankwise.objectives.rates.saddle._surrogates import SURROGATES, Surrogate
from rankwise.types import AnyArray, FloatArray, IntArray


class RateState(NamedTuple):
    """What a loss knows before a batch, in the order of the kernels' parameters."""

    raw: AnyArray  # thresholds, multipliers and, for F_β, log ψ of each class and anchor, over their rates
    rates: FloatArray
    levels: AnyArray
    units: AnyArray  # of multipliers
    kinds: IntArray  # of the statement of each anchor
    shares: FloatArray  # Δ_t
    class_weight: FloatArray
    known_share: FloatArray  # 0 where it is that of the batches
    label_weight: FloatArray  # of positives and of negatives in all batches so far: a step adds to it
    is_counted: bool  # whether it does
    damping: float
    max_multiplier: float
    min_split: float


def statement_kinds(objective: Any) -> IntArray:
    """Which of `STATEMENTS` each anchor of an objective has."""
    kinds = list(STATEMENTS.values())
    return np.concatenate([np.full(t.statement.anchors, kinds.index(type(t.statement))) for t in objective.terms])


@functools.cache
def _lagrangian() -> Callable[..., float]:
    parts = {
        f"{name}_{kind}": getattr(cls, name)
        for kind, cls in enumerate(STATEMENTS.values())
        for name in ("cost", "excess")
    }
    return specialize(rate_steps.rate_lagrangian, **parts)


@functools.cache
def _step(surrogate: type[Surrogate]) -> Callable[..., bool]:
    name = surrogate.name
    return specialize(
        rate_steps.rate_step, lagrangian=_lagrangian(), surrogate_column=COLUMNS[name], HAS_ODDS=int(name in WITH_ODDS)
    )


def has_kernel(surrogate: Surrogate, *tensors: torch.Tensor) -> bool:
    """Whether a kernel knows this surrogate, and can read these tensors where they are."""
    return SURROGATES.get(surrogate.name) is type(surrogate) and all(t.is_cpu and t.itemsize >= 4 for t in tensors)


def columns(values: torch.Tensor) -> torch.Tensor:
    """Values as a column per class, on whatever device."""
    return values.unsqueeze(1) if values.ndim == 1 else values


class RateBatch(NamedTuple):
    """Scores, targets and, unless all are 1, weights of rows, a column per class; one of weights may serve all.

    A single column may be flat.
    """

    scores: torch.Tensor
    targets: torch.Tensor
    weights: torch.Tensor | None

    def check_known(self) -> None:
        """Refuse NaN."""
        for name, values in (("targets", self.targets), ("sample_weight", self.weights)):
            if values is not None and values.isnan().any():
                raise DataError(f"{name} must be known for every row, got NaN; leave such rows out")

    def sides(self) -> torch.Tensor:
        """Weights of the positives and of the negatives, each 0 for the others, of shape (classes, 2, rows)."""
        y = (columns(self.targets) > 0).to(self.scores.dtype).T
        sides = torch.stack([y, 1.0 - y], 1)
        return sides if self.weights is None else sides * columns(self.weights).T[:, None]

    def step_by_kernel(self, state: RateState, surrogate: Surrogate) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The value of a loss, and its gradients by scores and by what is raw (turned round for multipliers)."""
        scores, shape = np.ascontiguousarray(self.scores.numpy()), (-1, state.class_weight.size)
        by_class, targets = scores.reshape(shape), np.ascontiguousarray(self.targets.numpy()).reshape(shape)
        weights = by_class[:0] if self.weights is None else np.ascontiguousarray(columns(self.weights).numpy())
        value, by_scores, by_raw = np.empty(1, scores.dtype), np.empty_like(scores), np.empty_like(state.raw)
        step, width = _step(type(surrogate)), getattr(surrogate, "width", 1.0)
        if not step(by_class, targets, weights, width, *state, by_scores.reshape(shape), by_raw, value):
            self.check_known()
        return torch.from_numpy(value.reshape(())), torch.from_numpy(by_scores), torch.from_numpy(by_raw)

    def step_by_torch(self, state: RateState, surrogate: Surrogate) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same: what has a number for each row stays where the scores are."""
        self.check_known()
        scores, sides = columns(self.scores).T[:, :, None], self.sides()  # classes, rows, anchors
        thresholds = torch.from_numpy(state.raw[0] * state.rates[0]).to(scores)
        signs = 2.0 * (columns(self.targets).T > 0).to(scores) - 1.0
        margins = (scores - thresholds[:, None, :]) * signs[:, :, None]
        row_slopes = surrogate.slope(margins).to(scores)
        in_batch, losses, slopes = (
            sums.double().cpu().numpy() for sums in (sides.sum(2), sides @ surrogate.value(margins), sides @ row_slopes)
        )
        factors, by_raw = np.empty_like(losses), np.empty_like(state.raw)
        lagrangians = specialize(rate_steps.rate_lagrangians, lagrangian=_lagrangian())
        value = lagrangians(*state, in_batch, losses, slopes, factors, by_raw)
        by_scores = (sides * (torch.from_numpy(factors).to(scores) @ row_slopes.swapaxes(1, 2))).sum(1)
        return scores.new_tensor(value), by_scores.T.reshape(self.scores.shape), torch.from_numpy(by_raw)
