"""Sums over pairs of documents, query by query: the λ's and their Hessians."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rankwise.objectives.lambdas import LambdaObjective

__all__ = ["GAP", "pair_sums"]

GAP = 0.01  # added to the difference of scores before dividing by it, as in LightGBM

log = logging.getLogger("rankwise")


def pair_sums(
    objective: LambdaObjective, scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """λ's and Hessians for scores in grouped order, in grouped order."""
    pushes, curvature = np.zeros(scores.size), np.zeros(scores.size)
    for a, b in zip(objective.groups.offsets[:-1], objective.groups.offsets[1:], strict=True):
        order = np.lexsort((objective.shuffle[a:b], -scores[a:b]))
        rows = a + order
        weight = None if objective.row_weight is None else objective.row_weight[rows]
        pushes[rows], curvature[rows] = _by_swaps(objective, objective.labels[rows], scores[rows], weight)
    return pushes, curvature


def _by_swaps(
    objective: LambdaObjective,
    ranked: NDArray[np.float64],
    scores: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All pairs of one ranked query, from the metric's own `swap_delta`: for any metric, and slow."""
    n, sigma = ranked.size, objective.sigma
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    delta = np.nan_to_num(np.abs(objective.metric.swap_delta(ranked, i, j)))
    gap = scores[:, None] - scores[None, :]
    if objective.norm == "gap":
        delta = delta / (GAP + np.abs(gap))
    if weight is not None:
        delta = delta * weight[:, None] * weight[None, :]
    better = np.sign(ranked[:, None] - ranked[None, :])
    with np.errstate(over="ignore"):
        miss = 1.0 / (1.0 + np.exp(sigma * better * gap))
    pushes = (better * delta * sigma * miss).sum(axis=1)
    curvature = (np.abs(better) * delta * sigma**2 * miss * (1.0 - miss)).sum(axis=1)
    return pushes, curvature
