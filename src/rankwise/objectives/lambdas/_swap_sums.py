"""λ's and costs of one ranked list from the metric's own `swap_delta`: for any metric, and slow."""

from __future__ import annotations

import numpy as np

from rankwise.errors import MetricError
from rankwise.metrics._base import Metric
from rankwise.types import FloatArray

MAX_DOCUMENTS = 5_000  # of a query, whose pairs stand in memory at once


def swap_lambdas(
    metric: Metric, ranked: FloatArray, scores: FloatArray, share: FloatArray, c: float
) -> tuple[FloatArray, FloatArray]:
    """λ's and Hessians over all pairs; c > 0: divided by c + |s_i − s_j|."""
    n = ranked.size
    if n > MAX_DOCUMENTS:
        raise MetricError(
            f"{metric} has no factors, so a query's pairs are held in memory: got a query of {n} documents, "
            f"more than {MAX_DOCUMENTS}; state swap_factors or train on another metric"
        )
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    delta = np.nan_to_num(np.abs(metric.swap_delta(ranked, i, j)))
    gap = scores[:, None] - scores[None, :]
    if c > 0:
        delta = delta / (c + np.abs(gap))
    delta = delta * share[:, None] * share[None, :]
    better = np.sign(ranked[:, None] - ranked[None, :])
    z = np.exp(-np.abs(gap))
    miss = np.where(better * gap > 0, z, 1.0) / (1.0 + z)
    return (better * delta * miss).sum(axis=1), (np.abs(better) * delta * z / (1.0 + z) ** 2).sum(axis=1)


def swap_cost(metric: Metric, ranked: FloatArray, scores: FloatArray, share: FloatArray) -> float:
    """Σ |ΔM_ij| · log(1 + exp(−(s_i − s_j))) over all pairs."""
    i, j = np.triu_indices(ranked.size, k=1)
    delta = np.nan_to_num(np.abs(metric.swap_delta(ranked, i, j))) * share[i] * share[j]
    better = np.sign(ranked[i] - ranked[j])
    return float(np.sum(np.abs(better) * delta * np.logaddexp(0.0, -better * (scores[i] - scores[j]))))
