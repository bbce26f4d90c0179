"""What losses over pairs share: batches in, one number out, and a backward pass that is one product with −λ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import torch
from torch import nn

from rankwise._validation import check_choice, check_real
from rankwise.errors import DataError
from rankwise.losses._autograd import with_gradients
from rankwise.losses._batches import Batch, TensorLike, to_host
from rankwise.metrics import Metric, evaluate

Backend = Literal["auto", "kernels", "torch"]
Reduction = Literal["mean", "sum"]
MIN_SIGMA, MAX_SIGMA = 1e-6, 1e6


class PairLoss(nn.Module, ABC):
    """Base of the losses over pairs of documents; sums are made in double precision whatever the type of the scores.

    Parameters
    ----------
    backend : {"auto", "kernels", "torch"}, default="auto"
        "auto" takes the compiled kernels for tensors in main memory and torch's own operations on other devices.

    References
    ----------
    Christopher J. C. Burges, Robert Ragno and Quoc V. Le (2006). Learning to Rank with Nonsmooth Cost Functions.
    Advances in Neural Information Processing Systems 19.
    """

    def __init__(self, metric: Metric, sigma: float, reduction: Reduction, backend: Backend) -> None:
        super().__init__()
        self.sigma = check_real("sigma", sigma, MIN_SIGMA, MAX_SIGMA)
        check_choice("reduction", reduction, Reduction)
        check_choice("backend", backend, Backend)
        self.metric, self.reduction, self.backend = metric, reduction, backend
        self._last: tuple[torch.Tensor, Batch, float] | None = None

    def forward(
        self,
        scores: torch.Tensor,
        labels: TensorLike,
        qid_or_lengths: TensorLike | None = None,
        *,
        sample_weight: TensorLike | None = None,
        query_weight: TensorLike | None = None,
    ) -> torch.Tensor:
        """Compute the cost, whose backward pass gives the scores their gradient −λ.

        Parameters
        ----------
        scores : torch.Tensor of shape (n,) or (lists, documents)
            Scores one after the other, or lists padded to one length.
        labels : tensor or array-like of the shape of `scores`
            The higher, the better. Below 0 is not judged, and counts as irrelevant; NaN is padding.
        qid_or_lengths : tensor or array-like, default=None
            Of flat scores the query of each, in any order, or the lengths of lists that follow each other; None is one
            list. (As many entries as scores are always read as `qid`.) Of padded scores the length of each list; None
            where the labels of padding are NaN.
        sample_weight : tensor or array-like of the shape of `scores`, default=None
            Weights of documents: a pair weighs the product of its two.
        query_weight : tensor or array-like of shape (lists,), default=None
            Weights of lists, by first appearance.

        Returns
        -------
        torch.Tensor
            The cost, a scalar.
        """
        batch = Batch.of(scores, labels, qid_or_lengths, sample_weight, query_weight)
        flat = batch.flat(scores)
        if not bool(torch.isfinite(flat).all()):
            raise DataError("scores must be finite, got some that are not; lower the learning rate or scale the inputs")
        in_torch = self.backend == "torch" or (self.backend == "auto" and scores.device.type != "cpu")
        with torch.no_grad():
            gradient, cost, count = self._sums(batch, flat, in_torch)
            scale = 1.0 / max(count, 1e-300) if self.reduction == "mean" else 1.0
            dtype = scores.dtype if scores.dtype.itemsize >= 4 else torch.float32
            value = torch.tensor(cost * scale, dtype=dtype, device=scores.device)
            by_scores = batch.shaped(gradient * scale, scores)  # Burges 2006 (3): ∂C/∂s = −λ
        self._last = (flat, batch, cost * scale)
        return with_gradients(value, [scores], [by_scores])

    @abstractmethod
    def _sums(self, batch: Batch, scores: torch.Tensor, in_torch: bool) -> tuple[torch.Tensor, float, float]:
        """Gradient by the flat scores, cost, and what the mean is taken over."""

    def report(self) -> dict[str, float]:
        """Give the cost of the last batch and its metric.

        Returns
        -------
        dict of str to float
            The cost, and the metric by name: the higher, the better (NaN where no list has a value).
        """
        if self._last is None:
            raise DataError("there is no batch to report on; call the loss first")
        scores, batch, cost = self._last
        values = evaluate(batch.labels, to_host(scores), batch.groups.query_of_row(), self.metric)
        return {"cost": cost, str(self.metric): values[self.metric]}

    def extra_repr(self) -> str:
        """Describe the loss for `print(net)`.

        Returns
        -------
        str
            The metric and the parameters.
        """
        return f"{str(self.metric)!r}, sigma={self.sigma:g}, reduction={self.reduction!r}"
