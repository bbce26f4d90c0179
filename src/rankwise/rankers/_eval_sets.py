"""What `fit` of every ranker is given besides rows and labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._validation import as_vector
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, evaluate
from rankwise.objectives.lambdas._position_bias import MAX_POSITIONS
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class EvalSet:
    """Rows that a model is judged on while it learns."""

    X: Any
    y: FloatArray
    qid: NDArray[Any] | None

    def value(self, metric: Metric, scores: FloatArray) -> float:
        """The metric itself, as `rankwise.evaluate` has it."""
        value = evaluate(self.y, scores, self.qid, metric)[metric]
        if math.isnan(value):
            raise DataError(f"no query of eval_set has {metric.needs}, which {metric} needs; pass other queries")
        return value


def list_eval_sets(eval_set: Any) -> Sequence[Any]:
    """One eval_set or a list of them as a list; RankingData brings its labels and queries."""
    listed = [] if eval_set is None else eval_set if isinstance(eval_set, list) else [eval_set]
    return [(rows, rows.y, rows.qid) if isinstance(rows, RankingData) else rows for rows in listed]


def make_eval_set(given: Any, prepared: Callable[[Any], Any]) -> EvalSet:
    """An eval_set, checked; its features by way of `prepared`."""
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise DataError(f"eval_set must be RankingData, (X, y, qid) or a list of these, got {type(given).__name__}")
    X, y, qid = (*given, None)[:3]
    features, labels = prepared(X), as_vector("labels of eval_set", y)
    groups = None if qid is None else np.asarray(qid)
    for name, entries in (("y", labels), ("qid", groups)):
        if entries is not None and len(entries) != features.shape[0]:
            raise ShapeError(
                f"{name} of eval_set must have one entry per row: got {len(entries)} for {features.shape[0]}"
            )
    return EvalSet(features, labels, groups)


def check_weights(name: str, given: ArrayLike | None, count: int, what: str) -> FloatArray | None:
    """Weights of rows or queries, checked; None where there are none."""
    if given is None:
        return None
    weights = as_vector(name, given)
    if weights.size != count:
        raise ShapeError(f"{name} must have one entry per {what}: got {weights.size} for {count}")
    if (weights < 0).any() or not weights.any():
        raise DataError(f"{name} must be 0 or more and not all zero, got a lowest of {weights.min():g}")
    return weights


def check_positions(given: ArrayLike | None, labels: FloatArray) -> IntArray | None:
    """Where each document was shown, checked; None where that is not known."""
    if given is None:
        return None
    positions = as_vector("position", given)
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
