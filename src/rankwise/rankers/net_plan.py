"""From what `fit` of a net is given to a plan: everything is checked here, before the first epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, evaluate, parse
from rankwise.metrics.evaluate import rows_of
from rankwise.rankers.features import as_features, as_numbers, is_table
from rankwise.rankers.fit_arguments import eval_sets, weights_of
from rankwise.rankers.parameters import check_parameters
from rankwise.rankers.row_keys import row_keys
from rankwise.rankers.standardiser import ROWS, Standardiser

__all__ = ["JudgedRows", "NetPlan", "make_net_plan", "net_features"]

BATCH_ROWS = 500  # of a batch where `batch_queries` is not given

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class JudgedRows:
    """Rows that the net is judged on after each epoch."""

    X: NDArray[np.float32]
    y: Scores
    qid: NDArray[Any] | None

    def value(self, metric: Metric, scores: Scores) -> float:
        """The metric itself, as `rankwise.evaluate` has it."""
        value = evaluate(self.y, scores, self.qid, metric)[metric]
        if math.isnan(value):
            raise DataError(f"no query of eval_set has {metric.needs}, which {metric} needs; pass other queries")
        return value


@dataclass(frozen=True)
class NetPlan:
    """All that decides what is trained; rows standardised, by query, in an order that is theirs whatever it was."""

    metric: Metric
    X: NDArray[np.float32]
    y: Scores
    offsets: NDArray[np.int64]
    weight: Scores | None  # by row; a pair weighs the product of its documents'
    judged: list[JudgedRows]
    standardiser: Standardiser
    batch_queries: int
    parameters: dict[str, Any]
    seed: int

    @property
    def patience(self) -> int | None:
        """Epochs without a better value before training ends."""
        return self.parameters["early_stopping_rounds"] if self.judged else None

    def batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        """Numbers of the queries of each batch, in an order that the epoch draws."""
        queries = np.random.default_rng([self.seed, epoch]).permutation(self.offsets.size - 1)
        for start in range(0, queries.size, self.batch_queries):
            yield np.sort(queries[start : start + self.batch_queries])

    def rows_of(self, queries: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
        """The rows of some queries, as a slice where they lie together, and the query of each."""
        starts, stops = self.offsets[queries], self.offsets[queries + 1]
        sizes = stops - starts
        of_row = np.repeat(np.arange(queries.size), sizes)
        if queries.size and (queries[1:] == queries[:-1] + 1).all():
            return slice(int(starts[0]), int(stops[-1])), of_row
        before = np.cumsum(sizes) - sizes
        return np.arange(sizes.sum()) + np.repeat(starts - before, sizes), of_row


def make_net_plan(
    model: Any,
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None,
    eval_set: Any,
    sample_weight: ArrayLike | None,
    query_weight: ArrayLike | None,
    seed: int,
) -> NetPlan:
    """Check everything that a net was given, and say what to train."""
    given = model.get_params(deep=False)
    check_parameters(given)
    features = net_features(model, X, fitting=True)
    if y is None:
        raise DataError(f"{type(model).__name__} requires y to be passed, but the target y is None; pass the labels")
    labels = rows_of("labels", y)
    rows = len(features)
    groups = QueryGroups.single(labels.size) if qid is None else QueryGroups.from_qid(qid)
    if labels.size != rows or groups.n_rows != rows:
        raise ShapeError(f"X, y and qid must have one entry a row, got {rows}, {labels.size} and {groups.n_rows}")
    grouped = np.maximum(groups.grouped(labels), 0.0)
    starts = groups.offsets[:-1]
    if (np.minimum.reduceat(grouped, starts) == np.maximum.reduceat(grouped, starts)).all():
        raise DataError("no query has documents of different labels, so there is nothing to learn; check y and qid")
    own, offsets = _own_order(features, labels, groups)
    order = own if groups.order is None else groups.order[own]
    standardiser = Standardiser.of(features, order) if given["standardise"] else Standardiser.none(features.shape[1])
    weight = _pair_weights(groups, sample_weight, query_weight)
    return NetPlan(
        metric=parse(given["metric"]),
        X=standardiser.apply(features, order),
        y=labels[order],
        offsets=offsets,
        weight=None if weight is None else weight[own],
        judged=[_judged(model, one, standardiser) for one in eval_sets(eval_set)],
        standardiser=standardiser,
        batch_queries=_batch_queries(given, groups),
        parameters=given,
        seed=seed,
    )


def net_features(model: Any, X: Any, *, fitting: bool, who: str = "a net", instead: str = "LambdaMART") -> NDArray[Any]:
    """X as numbers, all finite: a net cannot leave out what is missing."""
    found = as_features(model, X, fitting=fitting)
    if is_table(found):
        found = as_numbers(found, who)
    checked: NDArray[Any] = found if isinstance(found, np.ndarray) else found.toarray()
    for start in range(0, len(checked), ROWS):
        bad = ~np.isfinite(checked[start : start + ROWS])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            value = "NaN" if np.isnan(checked[start + row, column]) else "infinity"
            raise DataError(
                f"{who} needs every feature of every row, got {value} at row {start + row}, feature {column}; impute "
                f"it (sklearn.impute.SimpleImputer), or use {instead}, for which NaN is a missing value"
            )
    return checked


def _own_order(X: NDArray[Any], labels: Scores, groups: QueryGroups) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Grouped rows by what stands in them, and where queries then start: neither names nor the input's order matter."""
    keys, grades = groups.grouped(row_keys(X, np.zeros(labels.size))), np.maximum(groups.grouped(labels), 0.0)
    starts = groups.offsets[:-1]
    by_key = np.lexsort((np.add.reduceat(grades, starts), np.add.reduceat(keys, starts)))
    place = np.empty_like(by_key)
    place[by_key] = np.arange(by_key.size)
    order = np.lexsort((grades, keys, np.repeat(place, groups.sizes)))
    return order, np.append(0, np.cumsum(groups.sizes[by_key]))


def _batch_queries(given: dict[str, Any], groups: QueryGroups) -> int:
    if given["batch_queries"] is not None:
        return int(given["batch_queries"])
    if given["optimiser"] == "p2":
        return 1  # P2 section 5: weights are updated after each query
    return max(1, round(BATCH_ROWS * groups.n_queries / groups.n_rows))


def _pair_weights(groups: QueryGroups, by_row: Any, by_query: Any) -> Scores | None:
    """A weight for each grouped row, whose products over pairs are the weights of pairs."""
    rows = weights_of("sample_weight", by_row, groups.n_rows, "row")
    queries = weights_of("query_weight", by_query, groups.n_queries, "query")
    if rows is None and queries is None:
        return None
    weight = np.ones(groups.n_rows) if rows is None else groups.grouped(rows)
    return weight if queries is None else weight * np.repeat(np.sqrt(queries), groups.sizes)


def _judged(model: Any, given: Any, standardiser: Standardiser) -> JudgedRows:
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise DataError(f"eval_set must be (X, y, qid) or a list of these, got {type(given).__name__}")
    X, y, qid = (*given, None)[:3]
    features, labels = net_features(model, X, fitting=False), rows_of("labels of eval_set", y)
    groups = None if qid is None else np.asarray(qid)
    for name, entries in (("y", labels), ("qid", groups)):
        if entries is not None and len(entries) != len(features):
            raise ShapeError(f"{name} of eval_set must have one entry a row: got {len(entries)} for {len(features)}")
    return JudgedRows(standardiser.apply(features), labels, groups)
