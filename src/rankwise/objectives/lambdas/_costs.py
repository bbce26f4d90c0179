"""The costs whose gradients λ's are: of a metric's λ's while the ranking stays, and RankNet's everywhere.

C = Σ |ΔM_ij| · log(1 + exp(−σ(s_i − s_j)))          over pairs with label_i > label_j; RankNet: |ΔM_ij| = 1, Burges
2006 (8)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import specialize
from rankwise.kernels.pairs._costs import costs_by_factors, costs_by_gains, log_terms, ranknet_of_queries
from rankwise.kernels.pairs._expansions import plain_terms
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.lambdas._objective import LambdaObjective, row_weights
from rankwise.types import FloatArray


def lambda_costs(objective: LambdaObjective, scores: ArrayLike) -> FloatArray:
    """C of each query at these scores (one per row, in the order of the input); gap normalization is left out of it."""
    groups, metric, sums = objective.groups, objective.metric, objective.pair_sums
    offsets, labels = groups.offsets, objective.labels
    rows = np.ascontiguousarray(groups.grouped(as_vector("scores", scores)))
    order = descending_order(rows, offsets, objective.shuffle)
    steep, costs = objective.sigma * rows, np.zeros(groups.n_queries)
    if sums.stated is not None:
        stated = (sums.stated, steep, sums.share, order, offsets, log_terms())
        threads.by_queries(lambda low, high: costs_by_gains(*stated, low, high, costs), offsets)
        return costs
    if sums.factors is None:
        for q, (a, b) in enumerate(pairwise(offsets)):
            mine = order[a:b]
            costs[q] = _by_swaps(metric, labels[mine], steep[mine], sums.share[mine])
        return costs
    loop = specialize(costs_by_factors, swap_factors=sums.factors)
    given = (metric.record(), labels, steep, sums.share, order, sums.ideal, offsets)
    rest = (sums.grades, log_terms())
    threads.by_queries(lambda low, high: loop(*given, *rest, low, high, costs), offsets)
    return costs


def _by_swaps(metric: Any, ranked: Any, scores: Any, share: Any) -> float:
    """All pairs from the metric's own `swap_delta`: for any metric, and slow."""
    i, j = np.triu_indices(ranked.size, k=1)
    delta = np.nan_to_num(np.abs(metric.swap_delta(ranked, i, j))) * share[i] * share[j]
    better = np.sign(ranked[i] - ranked[j])
    return float(np.sum(np.abs(better) * delta * np.logaddexp(0.0, -better * (scores[i] - scores[j]))))


class RankNetObjective:
    """RankNet's cost and its gradient on the labels and queries of a training set, each in linear time.

    Rows may come in any order, and labels below 0 (not judged) count as 0. `weight` as for `LambdaObjective`. A list
    with more than 64 kinds of labels is summed pair by pair.

    >>> objective = RankNetObjective([1, 0, 0], sigma=1.0)
    >>> gradient, cost = objective.gradient_and_costs([0.0, 1.0, 2.0])
    >>> gradient.round(3), cost.round(3)
    (array([-1.612,  0.731,  0.881]), array([3.44]))
    """

    def __init__(
        self, y: ArrayLike, qid: ArrayLike | None = None, *, sigma: float = 1.0, weight: ArrayLike | None = None
    ) -> None:
        labels = as_vector("labels", y)
        if not 0.0 < sigma < np.inf:
            raise DataError(f"sigma must be a positive number, got {sigma!r}")
        self.groups = QueryGroups.of_rows(qid, labels.size)
        self.sigma = float(sigma)
        grades, classes = np.unique(np.maximum(self.groups.grouped(labels), 0.0), return_inverse=True)
        self.n_classes, self.classes = int(grades.size), classes.astype(np.int64)
        given = row_weights(weight, self.groups)
        self.share = np.ones(labels.size) if given is None else given

    def pairs(self) -> float:
        """How many pairs there are, by weight."""
        starts = self.groups.offsets[:-1]
        of_class = np.zeros((self.groups.n_queries, self.n_classes))
        np.add.at(of_class, (np.repeat(np.arange(starts.size), self.groups.sizes), self.classes), self.share)
        return float((of_class.sum(axis=1) ** 2 - (of_class**2).sum(axis=1)).sum() / 2.0)

    def gradient_and_costs(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Gradient at these scores, one entry per row in the order of the input, and the cost of each query."""
        values = as_vector("scores", scores)
        if values.size != self.groups.n_rows:
            raise ShapeError(f"scores must have one entry per row: got {values.size} for {self.groups.n_rows} rows")
        rows, offsets = np.ascontiguousarray(self.groups.grouped(values)), self.groups.offsets
        order = descending_order(rows, offsets, None)
        pushes, costs = np.zeros(rows.size), np.zeros(self.groups.n_queries)
        given = (self.classes, self.n_classes, self.sigma * rows, self.share, order, offsets)
        terms = (plain_terms().right, log_terms())
        threads.by_queries(lambda low, high: ranknet_of_queries(*given, *terms, low, high, pushes, costs), offsets)
        return np.asarray(self.groups.ungrouped(-self.sigma * pushes)), costs
