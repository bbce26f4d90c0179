"""What a loss is called with: lists of documents one after the other, or padded to one length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import ArrayLike

from rankwise._validation import as_array, as_numbers
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.types import AnyArray, BoolArray, FloatArray

TensorLike: TypeAlias = torch.Tensor | ArrayLike


def to_host(scores: torch.Tensor) -> AnyArray:
    """Scores as an array, which is no copy in main memory; numpy has no bfloat16 and is slow with halves."""
    return as_array("scores", scores.float() if scores.dtype.itemsize < 4 else scores)


@dataclass(frozen=True)
class Batch:
    """Labels, queries and weights of the documents of a batch; `mask` is where they stand in padded scores."""

    labels: AnyArray
    groups: QueryGroups
    weight: FloatArray | None  # by row; a pair weighs the product of its documents' weights
    mask: torch.Tensor | None

    @classmethod
    def of(
        cls,
        scores: torch.Tensor,
        labels: TensorLike,
        qid_or_lengths: TensorLike | None,
        sample_weight: TensorLike | None,
        query_weight: TensorLike | None,
    ) -> Batch:
        """From the arguments of a loss (see `PairLoss`)."""
        if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
            raise DataError(f"scores must be a tensor of floating-point numbers, got {type(scores).__name__}")
        y, shape = as_numbers("labels", labels), tuple(scores.shape)
        if y.shape != shape:
            raise ShapeError(f"labels must have the shape of the scores {shape}, got {y.shape}")
        second = None if qid_or_lengths is None else as_array("qid or lengths", qid_or_lengths)
        per_row = _weights("sample_weight", sample_weight, shape, "score")
        if scores.ndim == 1:
            groups, mask = _flat_groups(second, y.size), None
            per_query = _weights("query_weight", query_weight, (groups.n_queries,), "list")
        elif scores.ndim == 2:
            mask = _padding_mask(y, second)
            sizes = mask.sum(axis=1)
            per_query = _weights("query_weight", query_weight, sizes.shape, "list")
            y, groups = y[mask], QueryGroups.from_sizes(sizes[sizes > 0])
            per_row = None if per_row is None else per_row[mask]
            per_query = None if per_query is None else per_query[sizes > 0]
        else:
            raise ShapeError(
                f"scores must be flat or lists by documents, got {scores.ndim} dimensions; squeeze the last"
            )
        if per_query is not None:
            roots = np.sqrt(per_query)[groups.query_of_row()]  # of which a pair has two
            per_row = roots if per_row is None else per_row * roots
        return cls(y, groups, per_row, None if mask is None else torch.from_numpy(mask).to(scores.device))

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


def _weights(name: str, weights: TensorLike | None, shape: tuple[int, ...], unit: str) -> FloatArray | None:
    if weights is None:
        return None
    values = as_numbers(name, weights)
    if values.shape != shape:
        raise ShapeError(f"{name} must have one entry per {unit}, shape {shape}, got {values.shape}")
    if not (values >= 0.0).all():
        raise DataError(f"{name} must be 0 or more, got {values.min():g}; drop what should not count")
    return values


def _flat_groups(second: AnyArray | None, n_rows: int) -> QueryGroups:
    if second is None or second.size == n_rows:
        return QueryGroups.of_rows(second, n_rows)
    if second.ndim != 1 or second.dtype.kind not in "iu" or second.sum() != n_rows:
        raise ShapeError(
            f"the third argument must be a qid for each of {n_rows} scores or lengths that add up to them, "
            f"got {second.size} entries that add up to {second.sum() if second.dtype.kind in 'iuf' else 'nothing'}"
        )
    return QueryGroups.from_sizes(second)


def _padding_mask(y: AnyArray, lengths: AnyArray | None) -> BoolArray:
    """Where padded labels are those of documents."""
    lists, longest = y.shape
    if lengths is None:
        mask = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(y.shape, dtype=bool)
    elif lengths.shape != (lists,) or (lengths < 0).any() or (lengths > longest).any():
        raise ShapeError(f"lengths must have one entry per list ({lists}), from 0 to {longest}, got {lengths}")
    else:
        mask = np.arange(longest) < lengths[:, None]
    if not mask.any():
        raise DataError(f"all of {lists} lists are padding; leave such a batch out")
    return np.asarray(mask)
