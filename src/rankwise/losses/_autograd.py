"""Values whose gradients were computed along with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.function import once_differentiable


class _PrecomputedGradients(torch.autograd.Function):
    """A value with its gradients by some inputs."""

    @staticmethod
    def forward(ctx: Any, known: tuple[torch.Tensor, Sequence[torch.Tensor]], *_: torch.Tensor) -> torch.Tensor:
        value, ctx.gradients = known  # in a tuple, because each tensor that is an argument takes torch its time
        return value

    @staticmethod
    @once_differentiable  # type: ignore[misc,no-untyped-call,untyped-decorator,unused-ignore]
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return None, *[upstream.to(gradient) * gradient for gradient in ctx.gradients]


def with_gradients(
    value: torch.Tensor, inputs: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]
) -> torch.Tensor:
    """The value, whose backward pass gives each input its gradient times what comes from above."""
    return _PrecomputedGradients.apply((value, gradients), *inputs)  # type: ignore[no-any-return,no-untyped-call]
