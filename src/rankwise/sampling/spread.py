"""Batches without near-duplicates: a document much like one that is chosen already tells little more."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.sampling.pool import Array, Pool, Rows

__all__ = ["spread"]

AT_A_TIME = 32  # documents whose features are looked at together


def spread(pool: Pool, order: Rows, per_query: int, apart: float) -> Rows:
    """The order with near-duplicates of what stands before them moved behind the first `per_query` of each query."""
    scale = _deviations(pool.data.X, pool.data.is_sparse)
    parts = [
        _spread_query(pool, order[start:stop], per_query, apart, scale)
        for start, stop in zip(pool.offsets[:-1], pool.offsets[1:], strict=True)
    ]
    return np.concatenate(parts)


def _spread_query(pool: Pool, order: Rows, per_query: int, apart: float, scale: Array) -> Rows:
    chosen: list[int] = []
    kept = np.empty((per_query, scale.size))
    for start in range(0, order.size, AT_A_TIME):
        block = pool.data.X[pool.candidates[order[start : start + AT_A_TIME]]]
        rows = np.asarray(block.toarray() if pool.data.is_sparse else block) / scale
        for offset, row in enumerate(rows):
            distance = np.sqrt(np.mean((kept[: len(chosen)] - row) ** 2, axis=1))
            if (distance > apart).all():
                kept[len(chosen)] = row
                chosen.append(start + offset)
            if len(chosen) == per_query:
                return np.concatenate([order[chosen], np.delete(order, chosen)])
    return np.concatenate([order[chosen], np.delete(order, chosen)])


def _deviations(X: Any, is_sparse: bool) -> Array:
    """Standard deviation of each feature, 1 where it is constant."""
    if is_sparse:
        mean = np.asarray(X.mean(axis=0)).ravel()
        variance = np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2
    else:
        variance = np.nanvar(X, axis=0, dtype=np.float64)
    return np.where(variance > 0, np.sqrt(np.maximum(variance, 0)), 1.0)
