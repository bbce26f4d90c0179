"""λ-gradients: any metric becomes the gradient and the Hessian of a cost that trees and nets can descend.

For documents i and j of one query, i with the higher label, the pair pushes i up and j down by

    |ΔM_ij| · σ / (1 + exp(σ(s_i − s_j)))                                Burges 2006 (9), Welleck 2016 (6)–(8)

where ΔM_ij is the change of the metric when the two exchange their places in the present ranking. The λ's of a weighted
sum of metrics are the weighted sums of theirs (Svore 2011 section 4).
"""

from __future__ import annotations

import copy
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector, check_choice
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._base import Metric
from rankwise.metrics._names import parse
from rankwise.metrics._ranking import sorted_labels
from rankwise.objectives.lambdas._pair_sums import PairSums
from rankwise.types import FloatArray

Method = Literal["auto", "exact", "linear"]
Norm = Literal["gap"]


class LambdaObjective:
    """The λ's of a metric on the labels and queries of a training set, prepared once, computed every round.

    Rows may come in any order. Labels below 0 (not judged) count as 0.

    Parameters
    ----------
    metric : str or Metric
        What the λ's raise.
    y : array-like of shape (n_rows,)
        Labels, the higher the better.
    qid : array-like of shape (n_rows,), default=None
        The query of each row; None is one query.
    method : {"auto", "exact", "linear"}, default="auto"
        "exact" sums over all pairs; "linear" sorts, and costs about the same per document however long the list is;
        "auto" takes whichever is faster.
    norm : {"gap"} or None, default=None
        "gap" divides each |ΔM_ij| by 0.01 + |s_i − s_j|, as LightGBM does.
    sigma : float, default=1.0
        Steepness of the pairs' logistic cost.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of documents: a pair weighs the product of its two.
    query_weight : array-like of shape (n_queries,), default=None
        Weights of queries, in the order in which they first appear: each weighs its pairs.
    random_state : int, default=0
        Fixes the shuffle by which equal scores are ranked, so that labels stored in sorted order do not leak into the
        ranking.
    tie_keys : array-like of shape (n_rows,), default=None
        Instead of the shuffle: equal scores are ranked by rising keys, in whatever order the rows come.

    Notes
    -----
    The λ of document i, higher in label than j, is the sum over such pairs of |ΔM_ij| · σ / (1 + exp(σ(s_i − s_j))),
    and that of j its negative, so that the λ's of a query sum to zero, with weights too. The gradient is −λ.

    References
    ----------
    Christopher J. C. Burges, Robert Ragno and Quoc V. Le (2006). Learning to Rank with Nonsmooth Cost Functions.
    Advances in Neural Information Processing Systems 19.

    Examples
    --------
    >>> objective = LambdaObjective("ndcg", [2, 0, 1], sample_weight=[1.0, 2.0, 1.0])
    >>> gradient, hessian = objective.gradients([0.1, 0.3, 0.2])
    >>> gradient.round(3)
    array([-0.492,  0.561, -0.069])
    """

    def __init__(
        self,
        metric: str | Metric,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        method: Method = "auto",
        norm: Norm | None = None,
        sigma: float = 1.0,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        random_state: int = 0,
        tie_keys: ArrayLike | None = None,
    ) -> None:
        labels = as_vector("labels", y)
        self.groups = QueryGroups.of_rows(qid, labels.size)
        check_positive("sigma", sigma)
        self.method: Method = check_choice("method", method, Method)
        self.norm: Norm | None = None if norm is None else check_choice("norm", norm, Norm)
        self.sigma = float(sigma)
        self.metric = parse(metric).for_labels(np.maximum(labels, 0.0))
        self.labels = np.maximum(self.groups.grouped(labels), 0.0)
        self.row_weight = row_weights(self.groups, sample_weight, query_weight)
        if tie_keys is None:
            self.shuffle = np.random.default_rng(random_state).permutation(labels.size).astype(np.float64)
        else:
            self.shuffle = np.asarray(self.groups.grouped(as_vector("tie_keys", tie_keys)))
        ideal = sorted_labels(self.labels, self.groups.offsets)
        terms = self.metric.terms()
        self.parts: list[tuple[float, LambdaObjective]] = []  # weights and objectives of the metrics of a sum
        if len(terms) == 1:
            self.pair_sums = PairSums(self, ideal)
        else:
            self.parts = [(weight, self._for_part(metric, ideal)) for weight, metric in terms]

    def reweigh(self, sample_weight: FloatArray) -> None:
        """Give each row another weight.

        Parameters
        ----------
        sample_weight : ndarray of shape (n_rows,)
            Weights of documents; they replace all weights passed before.
        """
        self.row_weight = np.ascontiguousarray(self.groups.grouped(sample_weight))
        for _, part in self.parts or [(1.0, self)]:
            part.row_weight = part.pair_sums.share = self.row_weight

    def gradients(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Compute gradient and Hessian at these scores.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            A score per row, in the order of the input.

        Returns
        -------
        tuple of ndarray, each of shape (n_rows,)
            The gradient of the cost (−λ) and the diagonal of its Hessian.
        """
        pushes, curvature = self._sums(grouped_scores(self.groups, scores))
        np.negative(pushes, out=pushes)
        return self.groups.ungrouped(pushes), self.groups.ungrouped(curvature)

    def _for_part(self, metric: Metric, ideal: FloatArray) -> LambdaObjective:
        """The objective of one metric of a sum, which shares rows and weights with it."""
        part = copy.copy(self)
        part.metric, part.parts = metric, []
        part.pair_sums = PairSums(part, ideal)
        return part

    def _sums(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """λ's and Hessians for scores in grouped order, in grouped order."""
        if not self.parts:
            return self.pair_sums(scores)
        pushes, curvature = np.zeros(scores.size), np.zeros(scores.size)
        for weight, part in self.parts:
            for total, of_part in zip((pushes, curvature), part.pair_sums(scores), strict=True):
                total += weight * of_part
        return pushes, curvature


def check_positive(name: str, value: float, remedy: str = "1 is usual") -> None:
    """Refuse what is not a positive number."""
    if not 0.0 < value < np.inf:
        raise DataError(f"{name} must be a positive number, got {value!r}; {remedy}")


def grouped_scores(groups: QueryGroups, scores: ArrayLike) -> FloatArray:
    """Scores, one per row, in grouped order."""
    values = as_vector("scores", scores)
    if values.size != groups.n_rows:
        raise ShapeError(f"scores must have one entry per row: got {values.size} for {groups.n_rows} rows")
    return np.ascontiguousarray(groups.grouped(values))


def row_weights(
    groups: QueryGroups, sample_weight: ArrayLike | None, query_weight: ArrayLike | None
) -> FloatArray | None:
    """A weight for each row in grouped order, whose products over pairs are the weights of the pairs."""
    by_row = None if sample_weight is None else weight_vector("sample_weight", sample_weight, groups.n_rows, "row")
    rows = None if by_row is None else np.asarray(groups.grouped(by_row))
    if query_weight is None:
        return rows
    by_query = weight_vector("query_weight", query_weight, groups.n_queries, "query")
    roots = np.repeat(np.sqrt(by_query), groups.sizes)
    return roots if rows is None else rows * roots


def weight_vector(name: str, weight: ArrayLike, size: int, unit: str) -> FloatArray:
    """Weights as `size` numbers from 0 on, one per unit."""
    values = as_vector(name, weight)
    if values.size != size:
        raise ShapeError(f"{name} must have one entry per {unit} ({size}), got {values.size}; pass one per {unit}")
    if (values < 0).any():
        at = int(np.flatnonzero(values < 0)[0])
        raise DataError(f"{name} must be 0 or more, got {values[at]} at {unit} {at}; drop what should not count")
    return values


def lambda_gradients(
    metric: str | Metric,
    y: ArrayLike,
    scores: ArrayLike,
    qid: ArrayLike | None = None,
    *,
    method: Method = "auto",
    norm: Norm | None = None,
    sigma: float = 1.0,
    sample_weight: ArrayLike | None = None,
    query_weight: ArrayLike | None = None,
    random_state: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """Compute the gradient of the λ-cost of a metric, and its Hessian.

    Parameters
    ----------
    metric : str or Metric
        What the λ's raise.
    y : array-like of shape (n_rows,)
        Labels, the higher the better.
    scores : array-like of shape (n_rows,)
        A score per row.
    qid : array-like of shape (n_rows,), default=None
        The query of each row; None is one query.
    method : {"auto", "exact", "linear"}, default="auto"
        "exact" sums over all pairs; "linear" sorts, and costs about the same per document however long the list is;
        "auto" takes whichever is faster.
    norm : {"gap"} or None, default=None
        "gap" divides each |ΔM_ij| by 0.01 + |s_i − s_j|, as LightGBM does.
    sigma : float, default=1.0
        Steepness of the pairs' logistic cost.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of documents: a pair weighs the product of its two.
    query_weight : array-like of shape (n_queries,), default=None
        Weights of queries, in the order in which they first appear: each weighs its pairs.
    random_state : int, default=0
        Fixes the shuffle by which equal scores are ranked.

    Returns
    -------
    tuple of ndarray, each of shape (n_rows,)
        The gradient (−λ) and the diagonal of the Hessian, rows in the order of the input.

    See Also
    --------
    rankwise.objectives.LambdaObjective : The same for many rounds on one data set.

    Examples
    --------
    >>> gradient, hessian = lambda_gradients("auc", [1, 0, 0], [0.0, 1.0, 2.0])
    >>> gradient.round(3)
    array([-1.246,  0.366,  0.881])
    """
    objective = LambdaObjective(
        metric,
        y,
        qid,
        method=method,
        norm=norm,
        sigma=sigma,
        sample_weight=sample_weight,
        query_weight=query_weight,
        random_state=random_state,
    )
    return objective.gradients(scores)
