"""Batches without near-duplicates: a document much like one that is chosen already tells little more."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.sparsefuncs import mean_variance_axis

from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray, IntArray

AT_A_TIME = 32  # documents whose features are looked at together


def spread(pool: Pool, order: IntArray, per_query: int, apart: float) -> IntArray:
    """The order with near-duplicates of what stands before them moved behind the first `per_query` of each query."""
    scales = _scales(pool.data.X, pool.data.is_sparse)
    parts = [
        _spread_query(pool, order[start:stop], min(per_query, stop - start), apart, scales)
        for start, stop in zip(pool.offsets[:-1], pool.offsets[1:], strict=True)
    ]
    return np.concatenate(parts)


def _spread_query(
    pool: Pool, order: IntArray, count: int, apart: float, scales: tuple[FloatArray, FloatArray]
) -> IntArray:
    means, deviations = scales
    chosen: list[int] = []
    kept = np.empty((count, means.size))
    for start in range(0, order.size, AT_A_TIME):
        block = pool.data.X[pool.candidates[order[start : start + AT_A_TIME]]]
        rows = (np.asarray(block.toarray() if pool.data.is_sparse else block) - means) / deviations
        rows[np.isnan(rows)] = 0  # a missing feature is an average one
        for offset, row in enumerate(rows):
            distance = np.sqrt(np.mean((kept[: len(chosen)] - row) ** 2, axis=1))
            if (distance > apart).all():
                kept[len(chosen)] = row
                chosen.append(start + offset)
            if len(chosen) == count:
                return np.concatenate([order[chosen], np.delete(order, chosen)])
    return np.concatenate([order[chosen], np.delete(order, chosen)])


def _scales(X: Any, is_sparse: bool) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of what is known of each feature, 0 and 1 where nothing is."""
    if is_sparse:
        means, variances, known = mean_variance_axis(X.astype(np.float64), axis=0, return_sum_weights=True)
    else:
        known = np.count_nonzero(~np.isnan(X), axis=0)
        means = np.nansum(X, axis=0, dtype=np.float64) / np.maximum(known, 1)
        variances = np.nansum((X - means) ** 2, axis=0) / np.maximum(known, 1)
    means = np.where(known > 0, means, 0.0)
    return means, np.where((known > 0) & (variances > 0), np.sqrt(np.maximum(variances, 0)), 1.0)
