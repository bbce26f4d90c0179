"""Rows that pairs are made of: those of a query together, in an order that follows from what stands in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import row_hashes, seeded_hashes
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._ranking import descending_order
from rankwise.rankers._eval_sets import check_weights
from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

MIN_WEIGHT, MAX_WEIGHT = 1e-100, 1e100  # whose products, and sums of these, are numbers


@dataclass(frozen=True, eq=False)
class PairRows:
    """`order` has the number of the row at each place; all other fields are in that order, but for X."""

    X: Any  # in the order of the input: a net standardizes it, and a large one is copied once at most
    y: FloatArray  # below 0, which means not judged, is 0
    offsets: IntArray
    weight: FloatArray | None  # by row; a pair weighs the product of its documents'
    order: IntArray
    query_weight: FloatArray | None = None  # of each query in this order; the weights of its rows have it in them

    @cached_property
    def has_pairs(self) -> BoolArray:
        """Of each query, whether its documents differ in their labels."""
        starts = self.offsets[:-1]
        return np.asarray(np.minimum.reduceat(self.y, starts) < np.maximum.reduceat(self.y, starts))

    @property
    def features(self) -> Any:
        """The features in this order; a copy, unless they are in it already."""
        if np.array_equal(self.order, np.arange(self.X.shape[0])):
            return self.X
        return self.X.take(self.order, axis=0) if isinstance(self.X, np.ndarray) else self.X[self.order]

    @property
    def counted(self) -> PairRows:
        """The same without rows of weight 0, which are in no pair that counts."""
        if self.weight is None:
            return self
        counted = self.weight > 0.0
        weight = self.weight[counted]
        if not MIN_WEIGHT <= weight.min(initial=MAX_WEIGHT) <= weight.max(initial=MIN_WEIGHT) <= MAX_WEIGHT:
            raise DataError(
                f"weights of rows must be 0 or from {MIN_WEIGHT:g} to {MAX_WEIGHT:g}, got {weight.min():g} to "
                f"{weight.max():g}; scale them"
            )
        sizes = np.add.reduceat(counted, self.offsets[:-1], dtype=np.int64)
        rows = replace(
            self,
            y=self.y[counted],
            offsets=np.append(0, np.cumsum(sizes[sizes > 0])),
            weight=weight,
            order=self.order[counted],
            query_weight=None if self.query_weight is None else self.query_weight[sizes > 0],
        )
        _check_pairs(rows, " and weights above 0")
        return rows


def pair_rows(
    name: str,
    features: Any,
    y: ArrayLike,
    qid: ArrayLike | None,
    sample_weight: ArrayLike | None,
    query_weight: ArrayLike | None,
) -> PairRows:
    """Check labels, queries and weights of these features, which must have been checked."""
    if y is None:
        raise DataError(f"{name} requires y to be passed, but the target y is None; pass the labels")
    labels = as_vector("labels", y)
    rows = features.shape[0]
    groups = QueryGroups.single(labels.size) if qid is None else QueryGroups.from_qid(qid)
    if labels.size != rows or groups.n_rows != rows:
        raise ShapeError(f"X, y and qid must have one entry per row, got {rows}, {labels.size} and {groups.n_rows}")
    grouped = np.maximum(groups.grouped(labels), 0.0)
    by_row = check_weights("sample_weight", sample_weight, rows, "row")
    by_query = check_weights("query_weight", query_weight, groups.n_queries, "query")
    weight = _pair_weights(groups, by_row, by_query)
    order, offsets = _content_order(features, grouped, groups, weight)
    if by_query is not None:
        by_query = by_query[np.repeat(np.arange(groups.n_queries), groups.sizes)[order[offsets[:-1]]]]
    ordered = PairRows(
        X=features,
        y=grouped[order],
        offsets=offsets,
        weight=None if weight is None else weight[order],
        order=order if groups.order is None else groups.order[order],
        query_weight=by_query,
    )
    _check_pairs(ordered)
    return ordered


def _check_pairs(rows: PairRows, also: str = "") -> None:
    if not rows.has_pairs.any():
        raise DataError(
            f"no query has documents of different labels{also}, so there is nothing to learn; check y and qid"
        )


def _content_order(
    X: Any, grades: FloatArray, groups: QueryGroups, weight: FloatArray | None
) -> tuple[IntArray, IntArray]:
    """Grouped rows by what stands in them, and where queries then start: neither names nor the input's order matter."""
    keys = groups.grouped(row_hashes(X))
    starts, sizes = groups.offsets[:-1], groups.sizes
    query_keys = np.add.reduceat(keys, starts)
    by_key = np.argsort(query_keys, kind="stable")
    weights = np.zeros(grades.size) if weight is None else weight
    if (np.diff(query_keys[by_key]) == 0).any():  # the same documents, perhaps with other labels or weights
        judgements = seeded_hashes(row_hashes(np.column_stack((grades, weights))), 0).view(np.uint64)
        judged = seeded_hashes(keys + judgements, 0).view(np.uint64)
        by_key = np.lexsort((np.add.reduceat(judged, starts), query_keys))
    offsets = np.append(0, np.cumsum(sizes[by_key]))
    moved = np.arange(grades.size) + np.repeat(starts[by_key] - offsets[:-1], sizes[by_key])
    return _order_in_queries(keys, grades, weights, groups.offsets)[moved], offsets


def _order_in_queries(keys: AnyArray, grades: FloatArray, weights: FloatArray, offsets: IntArray) -> IntArray:
    """Rows of each query by key, then by grade, then by weight: what `np.lexsort` gives, several times as fast."""
    leading = -(keys >> np.uint64(11)).astype(np.float64)  # as many bits as a float holds
    order = descending_order(leading, offsets)
    ranked = leading.take(order)
    ties = np.append(False, ranked[1:] == ranked[:-1])  # with the row before
    ties[offsets[:-1]] = False
    if ties.any():  # few, as they are alike in all features
        tied = np.flatnonzero(ties | np.append(ties[1:], False))
        rows, run = order[tied], np.cumsum(~ties[tied])
        order[tied] = rows[np.lexsort((rows, weights[rows], grades[rows], keys[rows], run))]
    return order


def _pair_weights(groups: QueryGroups, rows: FloatArray | None, queries: FloatArray | None) -> FloatArray | None:
    """A weight for each grouped row, whose products over pairs are the weights of pairs."""
    if rows is None and queries is None:
        return None
    weight = np.ones(groups.n_rows) if rows is None else groups.grouped(rows)
    return weight if queries is None else weight * np.repeat(np.sqrt(queries), groups.sizes)
