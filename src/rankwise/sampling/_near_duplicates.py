"""Batches without near-duplicates: a document much like one that is chosen already adds little."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.preprocessing import StandardScaler

from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray, IntArray

BLOCK_ROWS = 32  # documents whose features are standardized together


def skip_near_duplicates(pool: Pool, order: IntArray, per_query: int, min_distance: float) -> IntArray:
    """The order with near-duplicates of what stands before them moved behind the first `per_query` of each query."""
    with np.errstate(invalid="ignore"):  # features without any value
        scaler = StandardScaler(with_mean=not pool.data.is_sparse).fit(pool.data.X.astype(np.float64))
    means, deviations = np.nan_to_num(scaler.mean_), np.nan_to_num(scaler.scale_, nan=1.0)

    def standardized(order: IntArray) -> Iterator[FloatArray]:
        for start in range(0, order.size, BLOCK_ROWS):
            block = pool.data.X[pool.candidates[order[start : start + BLOCK_ROWS]]]
            rows = (np.asarray(block.toarray() if pool.data.is_sparse else block) - means) / deviations
            yield from np.nan_to_num(rows)  # a missing feature is an average one

    def reorder(order: IntArray) -> IntArray:
        chosen: list[int] = []
        chosen_rows = np.empty((min(per_query, order.size), means.size))
        for place, row in enumerate(standardized(order)):
            if (np.sqrt(np.mean((chosen_rows[: len(chosen)] - row) ** 2, axis=1)) > min_distance).all():
                chosen_rows[len(chosen)] = row
                chosen.append(place)
                if len(chosen) == len(chosen_rows):
                    break
        return np.concatenate([order[chosen], np.delete(order, chosen)])

    return np.concatenate([reorder(of_query) for of_query in np.split(order, pool.offsets[1:-1])])
