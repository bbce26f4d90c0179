"""Batches of a rate loss: the Lagrangian and its derivatives, by one kernel in main memory, by torch elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import isnan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch

from rankwise._validation import as_numbers
from rankwise.errors import DataError, ShapeError
from rankwise.kernels._compile import specialize
from rankwise.kernels.rows import _rate_steps as rate_steps
from rankwise.kernels.rows._surrogate_columns import COLUMNS, WITH_ODDS
from rankwise.losses._batches import TensorLike
from rankwise.objectives.rates._statements import STATEMENTS
from rankwise.objectives.rates.saddle._surrogates import SURROGATES, Surrogate
from rankwise.types import AnyArray, FloatArray, IntArray

Gradients: TypeAlias = tuple[torch.Tensor, torch.Tensor]  # by scores and by what is raw


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
def _step(surrogate: type[Surrogate]) -> Callable[..., float]:
    name = surrogate.name
    return specialize(
        rate_steps.rate_step, lagrangian=_lagrangian(), surrogate_column=COLUMNS[name], HAS_ODDS=int(name in WITH_ODDS)
    )


def has_kernel(surrogate: Surrogate, scores: torch.Tensor, raw: torch.Tensor) -> bool:
    """Whether a kernel knows this surrogate, and can read these tensors where they are."""
    return scores.is_cpu and raw.is_cpu and raw.itemsize >= 4 and SURROGATES.get(surrogate.name) is type(surrogate)


class RateKernel(NamedTuple):
    """The kernel of a surrogate with what it reads of a loss, which is gathered once: that takes its time."""

    step: Callable[..., float]
    width: float
    state: RateState
    sources: tuple[object, ...]  # what all this is made from

    @classmethod
    def of(cls, surrogate: Surrogate, state: RateState, sources: tuple[object, ...]) -> RateKernel:
        """From a surrogate that has one."""
        return cls(_step(type(surrogate)), getattr(surrogate, "width", 1.0), state, sources)


def columns(values: torch.Tensor) -> torch.Tensor:
    """Values as a column per class, on whatever device."""
    return values.unsqueeze(1) if values.ndim == 1 else values


class RateBatch(NamedTuple):
    """Scores, targets and, unless all are 1, weights of rows, a column per class; one of weights may serve all.

    A single column may be flat. Tensors may have a history.
    """

    scores: torch.Tensor
    targets: torch.Tensor
    weights: torch.Tensor | None

    @classmethod
    def of(cls, scores: torch.Tensor, targets: TensorLike, sample_weight: TensorLike | None, classes: int) -> RateBatch:
        """From the arguments of a loss, whose shapes are checked."""
        rows, weights = _count("logits", scores, classes), None
        y = _tensor("targets", targets, scores)
        if y.shape != scores.shape and _count("targets", y, classes) != rows:
            raise ShapeError(f"targets must have the shape of the logits {tuple(scores.shape)}, got {tuple(y.shape)}")
        if sample_weight is not None:
            weights = _tensor("sample_weight", sample_weight, scores)
            if _count("sample_weight", weights, classes, 1) != rows:
                raise ShapeError(
                    f"sample_weight must have one entry per row ({rows}), got {len(weights)}; pass as many"
                )
        return cls(scores, y, weights)

    def check_known(self) -> None:
        """Refuse NaN."""
        for name, values in (("targets", self.targets), ("sample_weight", self.weights)):
            if values is not None and values.isnan().any():
                raise DataError(f"{name} must be known for every row, got NaN; leave such rows out")

    def detached(self) -> RateBatch:
        """The same rows without a history."""
        weights = None if self.weights is None else self.weights.detach()
        return RateBatch(self.scores.detach(), self.targets.detach(), weights)

    def sides(self) -> torch.Tensor:
        """Weights of the positives and of the negatives, each 0 for the others, of shape (classes, 2, rows)."""
        y = (columns(self.targets) > 0).to(self.scores.dtype).T
        sides = torch.stack([y, 1.0 - y], 1)
        return sides if self.weights is None else sides * columns(self.weights).T[:, None]

    def step_by_kernel(self, kernel: RateKernel, raw: torch.Tensor) -> tuple[torch.Tensor, Gradients]:
        """The value of a loss, and its gradients by scores and by what is raw (turned round for multipliers)."""
        scores, targets = self.scores.numpy(force=True).ravel(), self.targets.numpy(force=True).ravel()
        weights = scores[:0] if self.weights is None else self.weights.numpy(force=True).ravel()
        # Torch's memory, which arrays share: the other way round takes longer.
        by_scores = torch.empty_like(self.scores, memory_format=torch.contiguous_format)
        by_raw = torch.empty_like(raw)
        filled = by_scores.numpy().ravel(), by_raw.numpy()
        value = kernel.step(scores, targets, weights, kernel.width, *kernel.state, *filled)
        if isnan(value):
            self.check_known()
        return self.scores.new_full((), value), (by_scores, by_raw)

    def step_by_torch(self, state: RateState, surrogate: Surrogate) -> tuple[torch.Tensor, Gradients]:
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
        return scores.new_tensor(value), (
            by_scores.T.reshape(self.scores.shape),
            torch.from_numpy(by_raw).to(scores.device),
        )


def _count(name: str, values: torch.Tensor, classes: int, width: int | None = None) -> int:
    """Rows of values with a column per class, or with so many."""
    shape = values.shape
    if len(shape) in (1, 2) and (shape[-1] if len(shape) == 2 else 1) in (classes, width):
        return shape[0]
    expected = "(n,) or (n, 1)" if classes == 1 else f"(n, {classes})"
    raise ShapeError(f"{name} must have the shape {expected}, got {tuple(shape)}; classes= is their number")


def _tensor(name: str, values: TensorLike, scores: torch.Tensor) -> torch.Tensor:
    """One number per row where the scores are, of a tensor or whatever else is an array."""
    if not isinstance(values, torch.Tensor):
        values = torch.from_numpy(np.array(as_numbers(name, values)))
    elif values.layout is not torch.strided or values.is_complex():
        raise DataError(f"{name} must be a dense tensor of real numbers, got {values.dtype}; convert it")
    return values if values.dtype is scores.dtype and values.device == scores.device else values.to(scores)
