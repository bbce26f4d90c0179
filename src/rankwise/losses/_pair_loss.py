"""What the losses share: batches in, one number out, and a backward pass that is one product with −λ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable

from rankwise.errors import DataError
from rankwise.losses._batches import Batch, on_host
from rankwise.metrics import Metric, evaluate

Backend = Literal["auto", "kernels", "torch"]
Reduction = Literal["mean", "sum"]


class _KnownGradient(torch.autograd.Function):
    """A number whose gradient by the scores was found along with it."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, gradient: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(gradient)
        return value.clone()

    @staticmethod
    @once_differentiable  # type: ignore[misc,no-untyped-call,untyped-decorator,unused-ignore]
    def backward(ctx: Any, upstream: torch.Tensor) -> Any:
        (gradient,) = ctx.saved_tensors
        return upstream.to(gradient) * gradient, None, None  # Burges 2006 (3): ∂C/∂s = −λ


class PairLoss(nn.Module, ABC):
    """Base of the losses over pairs of documents.

    Called as `loss(scores, labels, qid_or_lengths, weight)`:

    - flat `scores`, one per document; then `qid` has one entry per document, rows in any order, or `lengths` one entry
    a
      list, lists following each other; None is one list. (As many entries as scores are always read as `qid`.)
    - padded `scores`, lists × documents; then `lengths` has one entry per list, or it is None and the label of padding
    is
      NaN. A label below 0 is not padding: it is a document that was not judged, and counts as irrelevant.
    - `weight`: one entry per list or one per document; a pair weighs its list's weight, or the product of its
    documents'.

    The sums are made in double precision whatever the type of the scores, and the gradient has their type. `backend`
    "auto" takes the compiled kernels for tensors in main memory and torch's own operations on other devices.
    """

    def __init__(self, metric: Metric, sigma: float, reduction: Reduction, backend: Backend) -> None:
        super().__init__()
        if not 0.0 < sigma < np.inf:
            raise DataError(f"sigma must be a positive number, got {sigma!r}")
        if reduction not in ("mean", "sum"):
            raise DataError(f'reduction must be "mean" or "sum", got {reduction!r}')
        if backend not in ("auto", "kernels", "torch"):
            raise DataError(f'backend must be "auto", "kernels" or "torch", got {backend!r}')
        self.metric, self.sigma, self.reduction, self.backend = metric, float(sigma), reduction, backend
        self._last: tuple[torch.Tensor, Batch, float] | None = None

    def forward(
        self, scores: torch.Tensor, labels: Any, qid_or_lengths: Any = None, weight: Any = None
    ) -> torch.Tensor:
        """The cost, whose backward pass gives the scores their gradient −λ."""
        batch = Batch.of(scores, labels, qid_or_lengths, weight)
        flat = batch.flat(scores)
        if not bool(torch.isfinite(flat).all()):
            raise DataError("scores must be finite, got some that are not; lower the learning rate or scale the inputs")
        in_torch = self.backend == "torch" or (self.backend == "auto" and scores.device.type != "cpu")
        with torch.no_grad():
            gradient, cost, count = self._sums(batch, flat, in_torch)
            scale = 1.0 / max(count, 1e-300) if self.reduction == "mean" else 1.0
            kind = scores.dtype if scores.dtype.itemsize >= 4 else torch.float32
            value = torch.tensor(cost * scale, dtype=kind, device=scores.device)
            shaped = batch.shaped(gradient * scale, scores)
        self._last = (flat, batch, cost * scale)
        return _KnownGradient.apply(scores, shaped, value)  # type: ignore[no-any-return,no-untyped-call]

    @abstractmethod
    def _sums(self, batch: Batch, scores: torch.Tensor, in_torch: bool) -> tuple[torch.Tensor, float, float]:
        """Gradient by the flat scores, cost, and what the mean is taken over."""

    def report(self) -> dict[str, float]:
        """What the last batch cost, and its metric: the higher, the better (NaN where no list has a value)."""
        if self._last is None:
            raise DataError("there is no batch to report on; call the loss first")
        scores, batch, cost = self._last
        found = evaluate(batch.labels, on_host(scores), batch.groups.query_of_row(), self.metric)
        return {"cost": cost, str(self.metric): found[self.metric]}

    def extra_repr(self) -> str:
        """The metric and the parameters, for `print(net)`."""
        return f"{str(self.metric)!r}, sigma={self.sigma:g}, reduction={self.reduction!r}"
