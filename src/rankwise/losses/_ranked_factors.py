"""Rankings and the factors of |ΔM| in them, found on the host for sums on another device."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.kernels.pairs._lambda_loops import MAX_CLASSES
from rankwise.metrics._ranking import descending_order
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import RankNetObjective
from rankwise.types import AnyArray, FloatArray, IntArray


@dataclass(frozen=True)
class RankedQueries:
    """All queries in rank order; |ΔM_ij| = Σ_r weights[q, r, class_i, class_j] · (heights[r, i] − heights[r, j]).

    `rows` are the places of the ranked documents in the input. Without `heights` every pair weighs 1 (RankNet).
    """

    rows: IntArray
    offsets: IntArray
    classes: IntArray
    share: FloatArray
    heights: FloatArray | None = None
    weights: FloatArray | None = None


def _order(groups: QueryGroups, scores: AnyArray, shuffle: FloatArray | None) -> tuple[IntArray, IntArray]:
    """Grouped rows and input rows in rank order."""
    values = np.ascontiguousarray(groups.grouped(scores), dtype=np.float64)
    order = descending_order(values, groups.offsets, shuffle)
    return order, order if groups.order is None else groups.order[order]


def ranked_classes(objective: RankNetObjective, scores: AnyArray) -> RankedQueries | None:
    """For RankNet; None where there are too many kinds of labels for linear sums."""
    if objective.n_classes > MAX_CLASSES:
        return None
    order, rows = _order(objective.groups, scores, None)
    return RankedQueries(rows, objective.groups.offsets, objective.classes[order], objective.share[order])


def ranked_factors(objective: LambdaObjective, scores: AnyArray) -> RankedQueries | None:
    """For a metric's λ's; None where it states no factors, as a sum does, or there are too many kinds of labels."""
    if objective.parts:
        return None
    sums, offsets = objective.pair_sums, objective.groups.offsets
    if sums.grades.size > MAX_CLASSES or (sums.factors is None and sums.prepared is None):
        return None
    order, rows = _order(objective.groups, scores, objective.shuffle)
    share = sums.share[order]
    if sums.prepared is not None:
        levels = sums.prepared.levels * sums.prepared.scales[:, None]
        weights = np.abs(levels[:, None, :, None] - levels[:, None, None, :])
        classes = sums.prepared.classes[order].astype(np.int64)
        return RankedQueries(rows, offsets, classes, share, sums.prepared.discounts[None, :], weights)
    assert sums.factors is not None
    labels, ideal, record = objective.labels[order], sums.ideal, objective.metric.record()
    per_query = [
        None if b - a < 2 or ideal[a] == ideal[b - 1] else sums.factors(record, labels[a:b], ideal[a:b], sums.grades)
        for a, b in pairwise(offsets)
    ]
    n_factors, n_classes = next((weights.shape[:2] for _, _, weights in filter(None, per_query)), (1, 1))
    classes = np.zeros(rows.size, dtype=np.int64)
    heights = np.zeros((n_factors, rows.size))
    weights = np.zeros((offsets.size - 1, n_factors, n_classes, n_classes))
    for q, factors in enumerate(per_query):
        if factors is not None and factors[0].size:
            documents = slice(offsets[q], offsets[q + 1])
            classes[documents], heights[:, documents], weights[q] = factors
    return RankedQueries(rows, offsets, classes, share, heights, weights)
