"""λ-gradients: any metric becomes the gradient and the Hessian of a cost that trees and nets can descend.

For documents i and j of one query, i with the higher label, the pair pushes i up and j down by

    |ΔM_ij| · σ / (1 + exp(σ(s_i − s_j)))                                Burges 2006 (9), Welleck 2016 (6)–(8)

where ΔM_ij is the change of the metric when the two exchange their places in the present ranking.
"""

from __future__ import annotations

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
    """Labels and queries of a training set, prepared once; `gradients(scores)` is then called every round.

    Rows may come in any order. `norm="gap"` divides each |ΔM_ij| by 0.01 + |s_i − s_j|, as LightGBM does. `weight` has
    one entry per query or one per row; a pair weighs its query's weight, or the product of its documents' weights,
    so that the λ's of a query sum to zero either way. Equal scores are ranked by a shuffle that `seed` fixes, so that
    labels stored in sorted order do not leak into the ranking; or by rising `tie_keys`, one per row, which the ranking
    then follows in whatever order the rows come.
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
        weight: ArrayLike | None = None,
        seed: int = 0,
        tie_keys: ArrayLike | None = None,
    ) -> None:
        labels = as_vector("labels", y)
        self.groups = QueryGroups.of_rows(qid, labels.size)
        if not 0.0 < sigma < np.inf:
            raise DataError(f"sigma must be a positive number, got {sigma!r}")
        self.method: Method = check_choice("method", method, Method)
        self.norm: Norm | None = None if norm is None else check_choice("norm", norm, Norm)
        self.sigma = float(sigma)
        self.metric = parse(metric).for_labels(np.maximum(labels, 0.0))
        self.labels = np.maximum(self.groups.grouped(labels), 0.0)
        self.row_weight = row_weights(weight, self.groups)
        if tie_keys is None:
            self.shuffle = np.random.default_rng(seed).permutation(labels.size).astype(np.float64)
        else:
            self.shuffle = np.asarray(self.groups.grouped(as_vector("tie_keys", tie_keys)))
        self.pair_sums = PairSums(self, sorted_labels(self.labels, self.groups.offsets))

    def reweigh(self, weight: FloatArray) -> None:
        """Give each row another weight."""
        self.row_weight = self.pair_sums.share = np.ascontiguousarray(self.groups.grouped(weight))

    def gradients(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Gradient of the cost (−λ) and Hessian at these scores, one entry per row, in the order of the input."""
        values = as_vector("scores", scores)
        if values.size != self.groups.n_rows:
            raise ShapeError(f"scores must have one entry per row: got {values.size} for {self.groups.n_rows} rows")
        pushes, curvature = self.pair_sums(np.ascontiguousarray(self.groups.grouped(values)))
        np.negative(pushes, out=pushes)
        return self.groups.ungrouped(pushes), self.groups.ungrouped(curvature)


def row_weights(weight: ArrayLike | None, groups: QueryGroups) -> FloatArray | None:
    """A weight for each row in grouped order, whose products over pairs are the weights of the pairs."""
    if weight is None:
        return None
    given = as_vector("weights", weight)
    if (given < 0).any():
        row = int(np.flatnonzero(given < 0)[0])
        raise DataError(f"weights must be 0 or more, got {given[row]} at {row}; drop what should not count")
    if given.size == groups.n_rows:
        return np.asarray(groups.grouped(given))
    if given.size == groups.n_queries:
        return np.repeat(np.sqrt(given), groups.sizes)
    raise ShapeError(
        f"weight must have one entry per query ({groups.n_queries}) or a row ({groups.n_rows}), got {given.size}"
    )


def lambda_gradients(
    metric: str | Metric,
    y: ArrayLike,
    scores: ArrayLike,
    qid: ArrayLike | None = None,
    *,
    method: Method = "auto",
    norm: Norm | None = None,
    sigma: float = 1.0,
    weight: ArrayLike | None = None,
    seed: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """Gradient of the λ-cost and its Hessian, rows in the order of the input; arguments as for `LambdaObjective`.

    `method="exact"` sums over all pairs; `"linear"` sorts, and costs about the same for each document however long
    the list is; `"auto"` takes whichever is faster.

    >>> gradient, hessian = lambda_gradients("auc", [1, 0, 0], [0.0, 1.0, 2.0])
    >>> gradient.round(3)
    array([-1.246,  0.366,  0.881])
    """
    objective = LambdaObjective(metric, y, qid, method=method, norm=norm, sigma=sigma, weight=weight, seed=seed)
    return objective.gradients(scores)
