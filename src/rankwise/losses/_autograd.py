"""Values whose gradients were computed along with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.function import once_differentiable


def _times(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    return None, *map(upstream.mul, ctx.gradients)


_times_once = once_differentiable(_times)  # type: ignore[no-untyped-call,unused-ignore]


class _PrecomputedGradients(torch.autograd.Function):
    """A value with its gradients by some inputs."""

    @staticmethod
    def forward(
        ctx: Any, value_and_gradients: tuple[torch.Tensor, Sequence[torch.Tensor]], *_: torch.Tensor
    ) -> torch.Tensor:
        # In a plain tuple: torch takes its time for each tensor among the arguments.
        value, ctx.gradients = value_and_gradients
        return value

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        # Gradients are recorded where second ones may be asked for, which are refused; else that check costs time.
        return (_times_once if torch.is_grad_enabled() else _times)(ctx, upstream)


# What `Function.apply` comes to but for transforms of `torch.func`, which are refused here too: a third of its time.
_apply = super(torch.autograd.Function, _PrecomputedGradients).apply


def with_gradients(
    value: torch.Tensor, inputs: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]
) -> torch.Tensor:
    """The value, whose backward pass gives each input its gradient times what comes from above.

    Gradients are where the value is; their type may be another.
    """
    return _apply((value, gradients), *inputs)  # type: ignore[no-any-return,no-untyped-call]
