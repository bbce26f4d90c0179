"""What `fit` of every ranker is given besides rows and labels."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_ids, as_vector
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, evaluate
from rankwise.objectives.lambdas._position_bias import MAX_POSITIONS
from rankwise.types import AnyArray, FloatArray, IntArray

log = logging.getLogger(__name__)
LONG_LIST = 50
"""A list of so many times the cut-off of its metric is worth a word."""


@dataclass(frozen=True)
class EvalSet:
    """Rows that a model is evaluated on while it learns."""

    X: Any  # as the ranker prepared it
    y: FloatArray
    qid: AnyArray | None
    init_score: FloatArray | None = None

    def value(self, metric: Metric, scores: FloatArray) -> float:
        """The metric itself, as `rankwise.evaluate` has it."""
        value = evaluate(self.y, scores, self.qid, metric)[metric]
        if math.isnan(value):
            raise DataError(f"no query of eval_set has {metric.needs}, which {metric} needs; pass other queries")
        return value


def list_eval_sets(eval_set: object, n_queries: int) -> list[Any]:
    """One eval_set or a list of them as a list; RankingData brings its labels and queries.

    A model that learns from several queries is not evaluated on rows without any, as LightGBM's (X, y) would have it:
    all rows would be one list, and training would stop by chance.
    """
    listed = [] if eval_set is None else eval_set if isinstance(eval_set, list) else [eval_set]
    for rows in listed:
        if isinstance(rows, tuple) and (len(rows) == 2 or (len(rows) > 2 and rows[2] is None)):
            check_qid("eval_set", None, n_queries, "as (X, y, qid)")
    return [(rows, rows.y, rows.qid) if isinstance(rows, RankingData) else rows for rows in listed]


def check_qid(name: str, qid: object, n_queries: int, how: str) -> None:
    """Refuse rows without queries for a model of several; `how` says how queries are passed."""
    if qid is None and n_queries > 1:
        raise DataError(
            f"{name} has no qid, so all of its rows would be one list, but the model learns from {n_queries} queries; "
            f"pass the query of each row {how}, or zeros if they are one list"
        )


def unpack_eval_set(eval_set: object, size: int, forms: str) -> list[Any]:
    """X, y and what else a tuple of at most `size` entries has, None for what it lacks; `forms` are for the message."""
    if not isinstance(eval_set, tuple) or not 2 <= len(eval_set) <= size:
        raise DataError(f"eval_set must be {forms}, got {type(eval_set).__name__}")
    return [*eval_set, *[None] * (size - len(eval_set))]


def make_eval_set(
    eval_set: object,
    prepare: Callable[[Any], Any],
    *,
    forms: str = "RankingData, (X, y, qid) or a list of these",
    takes_scores: bool = False,
) -> EvalSet:
    """An eval_set, checked; `prepare` checks its features. With `takes_scores`, (X, y, qid, scores) is one too."""
    X, y, qid, scores = [*unpack_eval_set(eval_set, 4 if takes_scores else 3, forms), None][:4]
    features = prepare(X)
    checked = EvalSet(
        features,
        as_vector("labels of eval_set", y),
        None if qid is None else as_ids("qid of eval_set", qid),
        None if scores is None else as_vector("scores of eval_set", scores),
    )
    for name, entries in (("y", checked.y), ("qid", checked.qid), ("scores", checked.init_score)):
        if entries is not None and len(entries) != features.shape[0]:
            raise ShapeError(
                f"{name} of eval_set must have one entry per row: got {len(entries)} for {features.shape[0]}"
            )
    return checked


def warn_of_one_list(metric: Metric, n_rows: int, n_queries: int) -> None:
    """Say so where one list is so long that a metric of the first few ranks can hardly have been meant for it."""
    cut_off = getattr(metric, "k", None)
    if n_queries == 1 and cut_off is not None and cut_off * LONG_LIST < n_rows:
        log.warning(
            "all %d rows are one list, of which %s counts the first %d alone; pass qid if they are of several queries",
            n_rows, metric, cut_off,
        )  # fmt: skip


def check_weights(name: str, weights: ArrayLike | None, count: int, unit: str) -> FloatArray | None:
    """Weights of rows or queries, checked; None where there are none."""
    if weights is None:
        return None
    vector = as_vector(name, weights)
    if vector.size != count:
        raise ShapeError(f"{name} must have one entry per {unit}: got {vector.size} for {count}")
    if (vector < 0).any() or not vector.any():
        raise DataError(f"{name} must be 0 or more and not all zero, got a lowest of {vector.min():g}")
    return vector


def check_positions(position: ArrayLike | None, labels: FloatArray) -> IntArray | None:
    """Where each document was shown, checked; None where that is not known."""
    if position is None:
        return None
    positions = as_vector("position", position)
    if positions.size != labels.size:
        raise ShapeError(f"position must have one entry per row: got {positions.size} for {labels.size}")
    if (positions < 0).any() or (positions % 1 != 0).any():
        odd = positions[(positions < 0) | (positions % 1 != 0)][0]
        raise DataError(f"position must have whole numbers of 0 or more, got {odd:g}; leave out rows that nobody saw")
    count = np.unique(positions).size
    if count > MAX_POSITIONS:
        raise DataError(
            f"position must have at most {MAX_POSITIONS} different numbers, got {count}; "
            "let deep positions share one, as np.minimum(position, 100) does"
        )
    if not (labels > 0).any():
        raise DataError("position is for labels that are clicks, got none above 0; pass 1 for a click")
    return positions.astype(np.int64)
