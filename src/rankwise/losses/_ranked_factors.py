"""Rankings and the factors of |ΔM| in them, found on the host for sums on another device."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data._groups import QueryGroups
from rankwise.kernels.pairs._lambda_loops import MOST_CLASSES
from rankwise.metrics._ranking import falling_rows
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import RankNetObjective
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Ranked:
    """All queries in rank order; |ΔM_ij| = Σ_r weights[q, r, class_i, class_j] · (heights[r, i] − heights[r, j]).

    `rows` are the places of the ranked documents in the input. Without `heights` every pair weighs 1 (RankNet).
    """

    rows: IntArray
    offsets: IntArray
    classes: IntArray
    share: FloatArray
    heights: FloatArray | None = None
    weights: FloatArray | None = None


def _order(groups: QueryGroups, scores: Any, shuffle: Any) -> tuple[IntArray, IntArray]:
    """Grouped rows and input rows in rank order."""
    values = np.ascontiguousarray(groups.grouped(scores), dtype=np.float64)
    order = falling_rows(values, groups.offsets, shuffle)
    return order, order if groups.order is None else groups.order[order]


def ranked_classes(objective: RankNetObjective, scores: NDArray[Any]) -> Ranked | None:
    """For RankNet; None where there are too many kinds of labels for linear sums."""
    if objective.n_classes > MOST_CLASSES:
        return None
    order, rows = _order(objective.groups, scores, None)
    return Ranked(rows, objective.groups.offsets, objective.classes[order], objective.share[order])


def ranked_factors(objective: LambdaObjective, scores: NDArray[Any]) -> Ranked | None:
    """For a metric's λ's; None where it states no factors, or there are too many kinds of labels."""
    sums, offsets = objective.pair_sums, objective.groups.offsets
    if sums.grades.size > MOST_CLASSES or (sums.factors is None and sums.stated is None):
        return None
    order, rows = _order(objective.groups, scores, objective.shuffle)
    share = sums.share[order]
    if sums.stated is not None:
        levels = sums.stated.levels * sums.stated.scales[:, None]
        weights = np.abs(levels[:, None, :, None] - levels[:, None, None, :])
        classes = sums.stated.classes[order].astype(np.int64)
        return Ranked(rows, offsets, classes, share, sums.stated.discounts[None, :], weights)
    labels, ideal, record = objective.labels[order], sums.ideal, objective.metric.record()
    found: list[Any] = []
    for a, b in pairwise(offsets):
        nothing = b - a < 2 or ideal[a] == ideal[b - 1]
        found.append(None if nothing else sums.factors(record, labels[a:b], ideal[a:b], sums.grades))
    known = next((one for one in found if one is not None), None)
    factors, many = (1, 1) if known is None else known[2].shape[:2]
    classes = np.zeros(rows.size, dtype=np.int64)
    heights = np.zeros((factors, rows.size))
    weights = np.zeros((offsets.size - 1, factors, many, many))
    for q, one in enumerate(found):
        if one is not None and one[0].size:
            mine = slice(offsets[q], offsets[q + 1])
            classes[mine], heights[:, mine], weights[q] = one
    return Ranked(rows, offsets, classes, share, heights, weights)
