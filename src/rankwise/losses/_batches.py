"""What a loss is called with: lists of documents one after the other, or padded to one length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError


def on_host(values: Any) -> NDArray[Any]:
    """A tensor, array or list as an array; a tensor in main memory is not copied."""
    if not isinstance(values, torch.Tensor):
        return np.asarray(values)
    values = values.detach()
    if values.dtype in (torch.bfloat16, torch.float16):
        values = values.float()
    return np.asarray(values.cpu().numpy())


@dataclass(frozen=True)
class Batch:
    """Labels, queries and weights of the documents of a batch; `mask` says where they stand in padded scores."""

    labels: NDArray[Any]
    groups: QueryGroups
    weight: NDArray[Any] | None
    mask: torch.Tensor | None

    @classmethod
    def of(cls, scores: torch.Tensor, labels: Any, qid_or_lengths: Any, weight: Any) -> Batch:
        """From the arguments of a loss (see `PairLoss`)."""
        if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
            raise DataError(f"scores must be a tensor of floating-point numbers, got {type(scores).__name__}")
        y = on_host(labels)
        if y.shape != tuple(scores.shape):
            raise ShapeError(f"labels must have the shape of the scores {tuple(scores.shape)}, got {y.shape}")
        second = None if qid_or_lengths is None else on_host(qid_or_lengths)
        weights = None if weight is None else on_host(weight)
        if scores.ndim == 1:
            return cls(y, _flat_groups(second, y.size), weights, None)
        if scores.ndim == 2:
            return _padded(y, second, weights, scores.device)
        raise ShapeError(f"scores must be flat or lists by documents, got {scores.ndim} dimensions; squeeze the last")

    def flat(self, scores: torch.Tensor) -> torch.Tensor:
        """The scores of documents, without padding and without history."""
        return scores.detach() if self.mask is None else scores.detach()[self.mask]

    def shaped(self, flat: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """One number per document in the shape and type of the scores, 0 for padding."""
        if self.mask is None:
            return flat.to(scores)
        shaped = torch.zeros_like(scores)
        shaped[self.mask] = flat.to(scores)
        return shaped


def _flat_groups(second: NDArray[Any] | None, rows: int) -> QueryGroups:
    if second is None or second.size == rows:
        return QueryGroups.of_rows(second, rows)
    if second.ndim != 1 or second.dtype.kind not in "iu" or second.sum() != rows:
        raise ShapeError(
            f"the third argument must be a qid for each of {rows} scores or lengths that add up to them, "
            f"got {second.size} entries that add up to {second.sum() if second.dtype.kind in 'iuf' else 'nothing'}"
        )
    return QueryGroups.from_sizes(second)


def _padded(y: NDArray[Any], lengths: NDArray[Any] | None, weight: NDArray[Any] | None, device: Any) -> Batch:
    lists, longest = y.shape
    if lengths is None:
        mask = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(y.shape, dtype=bool)
    elif lengths.shape != (lists,) or (lengths < 0).any() or (lengths > longest).any():
        raise ShapeError(f"lengths must have an entry for each of {lists} lists, from 0 to {longest}, got {lengths}")
    else:
        mask = np.arange(longest) < lengths[:, None]
    sizes = mask.sum(axis=1)
    if not sizes.any():
        raise DataError(f"all of {lists} lists are padding; leave such a batch out")
    if weight is not None:
        if weight.shape not in ((lists,), y.shape):
            raise ShapeError(
                f"weight must have an entry per list ({lists}) or a document {y.shape}, got {weight.shape}"
            )
        weight = weight[sizes > 0] if weight.ndim == 1 else weight[mask]
    return Batch(y[mask], QueryGroups.from_sizes(sizes[sizes > 0]), weight, torch.from_numpy(mask).to(device))
