"""The costs whose gradients λ's are: of a metric's λ's while the ranking stays, and RankNet's everywhere.

C = Σ |ΔM_ij| · log(1 + exp(−σ(s_i − s_j))) over pairs with label_i > label_j; RankNet: |ΔM_ij| = 1, Burges 2006 (8)
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import specialize
from rankwise.kernels.pairs._expansions import plain_terms
from rankwise.kernels.pairs._lambda_costs import costs_by_factors, costs_by_gains, log_terms
from rankwise.kernels.pairs._ranknet import ranknet_of_queries
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.lambdas._objective import LambdaObjective, check_positive, grouped_scores, row_weights
from rankwise.objectives.lambdas._swap_sums import swap_cost
from rankwise.types import FloatArray


def lambda_costs(objective: LambdaObjective, scores: ArrayLike) -> FloatArray:
    """Compute the cost of each query, whose gradient the λ's are while the ranking stays.

    Parameters
    ----------
    objective : LambdaObjective
        The metric, labels, queries and weights; its gap normalization is left out of the cost.
    scores : array-like of shape (n_rows,)
        A score per row, in the order of the input.

    Returns
    -------
    ndarray of shape (n_queries,)
        Σ |ΔM_ij| · log(1 + exp(−σ(s_i − s_j))) over the pairs of each query.
    """
    if objective.parts:
        return np.asarray(sum(weight * lambda_costs(part, scores) for weight, part in objective.parts))
    groups, metric, sums = objective.groups, objective.metric, objective.pair_sums
    offsets, labels, logs = groups.offsets, objective.labels, log_terms()
    rows = grouped_scores(groups, scores)
    order = descending_order(rows, offsets, objective.shuffle)
    steep, costs = objective.sigma * rows, np.zeros(groups.n_queries)
    ranked = (steep, sums.share, order)
    if sums.prepared is not None:
        prepared = sums.prepared
        threads.by_queries(lambda a, b: costs_by_gains(prepared, *ranked, offsets, logs, a, b, costs), offsets)
    elif sums.factors is not None:
        loop = specialize(costs_by_factors, swap_factors=sums.factors)
        lists = (metric.record(), labels, *ranked, sums.ideal, offsets, sums.grades, logs)
        threads.by_queries(lambda a, b: loop(*lists, a, b, costs), offsets)
    else:
        for q, (a, b) in enumerate(pairwise(offsets)):
            of_query = order[a:b]
            costs[q] = swap_cost(metric, labels[of_query], steep[of_query], sums.share[of_query])
    return costs


class RankNetObjective:
    """RankNet's cost and its gradient on the labels and queries of a training set, each in linear time.

    Rows may come in any order, and labels below 0 (not judged) count as 0. A list with more than 64 kinds of labels is
    summed pair by pair.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels, the higher the better.
    qid : array-like of shape (n_rows,), default=None
        The query of each row; None is one query.
    sigma : float, default=1.0
        Steepness of the pairs' logistic cost.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of documents: a pair weighs the product of its two.
    query_weight : array-like of shape (n_queries,), default=None
        Weights of queries, in the order in which they first appear: each weighs its pairs.

    Examples
    --------
    >>> objective = RankNetObjective([1, 0, 0], sigma=1.0)
    >>> gradient, cost = objective.gradient_and_costs([0.0, 1.0, 2.0])
    >>> gradient.round(3), cost.round(3)
    (array([-1.612,  0.731,  0.881]), array([3.44]))
    """

    def __init__(
        self,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        sigma: float = 1.0,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
    ) -> None:
        labels = as_vector("labels", y)
        check_positive("sigma", sigma)
        self.groups = QueryGroups.of_rows(qid, labels.size)
        self.sigma = float(sigma)
        grades, classes = np.unique(np.maximum(self.groups.grouped(labels), 0.0), return_inverse=True)
        self.n_classes, self.classes = int(grades.size), classes.astype(np.int64)
        weights = row_weights(self.groups, sample_weight, query_weight)
        self.share = np.ones(labels.size) if weights is None else weights

    def pairs(self) -> float:
        """How many pairs there are, by weight."""
        starts = self.groups.offsets[:-1]
        of_class = np.zeros((self.groups.n_queries, self.n_classes))
        np.add.at(of_class, (np.repeat(np.arange(starts.size), self.groups.sizes), self.classes), self.share)
        return float((of_class.sum(axis=1) ** 2 - (of_class**2).sum(axis=1)).sum() / 2.0)

    def gradient_and_costs(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Gradient at these scores, one entry per row in the order of the input, and the cost of each query."""
        rows, offsets = grouped_scores(self.groups, scores), self.groups.offsets
        order = descending_order(rows, offsets, None)
        pushes, costs = np.zeros(rows.size), np.zeros(self.groups.n_queries)
        lists = (self.classes, self.n_classes, self.sigma * rows, self.share, order, offsets)
        terms = (plain_terms().right, log_terms())
        threads.by_queries(lambda low, high: ranknet_of_queries(*lists, *terms, low, high, pushes, costs), offsets)
        return np.asarray(self.groups.ungrouped(-self.sigma * pushes)), costs
