"""Judge scores against labels: `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector, check_choice
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._base import Metric
from rankwise.metrics._conventions import Empty, convention_named
from rankwise.metrics._evaluate_queries import evaluate_queries
from rankwise.metrics._evaluation import Evaluation, LeftOut
from rankwise.metrics._names import parse_all
from rankwise.metrics._ranking import Ties, rank
from rankwise.types import FloatArray

DEFAULT_METRICS = ("ndcg@10", "map", "mrr", "auc")


def evaluate(
    y: ArrayLike,
    scores: ArrayLike,
    qid: ArrayLike | None = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    convention: str = "standard",
    ties: Ties | None = None,
    empty: Empty | None = None,
    weight: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
) -> Evaluation:
    """Judge `scores` by the labels `y`, query by query; rows may come in any order, `qid=None` is one list.

    `convention` sets how ties and queries without a relevant document are handled, and each metric's small print;
    `ties` and `empty` override it. A label below 0 means "not judged", a score of −inf "not retrieved".
    `weight` has one entry per query, in order of first appearance, and weighs the means only.

    >>> result = evaluate([1, 0, 0, 2], [0.9, 0.1, 0.5, 0.4], ["a", "a", "b", "b"], ["ndcg@10", "mrr"])
    >>> result["mrr"], result.per_query["mrr"]
    (0.75, array([1. , 0.5]))
    """
    preset = convention_named(convention)
    tie_rule = check_choice("ties", ties or preset.ties, Ties)
    labels = as_vector("labels", y)
    values = as_vector("scores", scores, low=-np.inf)
    if values.size != labels.size:
        raise ShapeError(f"y and scores must have one entry per row, got {labels.size} and {values.size}")
    if preset.single_precision:
        values = values.astype(np.float32).astype(np.float64)
    ids = None if doc_ids is None else np.asarray(doc_ids)
    if ids is not None and len(ids) != labels.size:
        raise ShapeError(f"doc_ids must have one entry per row: got {len(ids)} for {labels.size} rows")
    groups = QueryGroups.of_rows(qid, labels.size)
    asked = parse_all(metrics)
    grades = np.maximum(labels, 0.0) if labels.min() < 0 else labels
    judged = {text: preset.apply(metric).for_labels(grades) for text, metric in asked.items()}
    per_query, notes = evaluate_queries(judged, rank(labels, values, groups, tie_rule, ids))
    left_out = {}
    for text, metric in asked.items():
        rule = check_choice("empty", empty or preset.empty_of(metric), Empty)
        left_out[text] = _settle(text, metric, per_query[text], rule, groups)
    return Evaluation(
        qids=groups.qids,
        per_query=per_query,
        left_out=left_out,
        weight=_query_weights(weight, groups),
        convention=convention,
        ties=tie_rule,
        empty=empty or preset.empty,
        notes=tuple(notes),
    )


def _settle(text: str, metric: Metric, values: FloatArray, rule: Empty, groups: QueryGroups) -> LeftOut:
    """Apply the rule for queries that the metric is not defined for, in place."""
    undefined = np.isnan(values)
    count = int(undefined.sum())
    if count and rule == "error":
        query = groups.qids[np.flatnonzero(undefined)[0]]
        raise DataError(f"{text} needs {metric.needs}, which query {query} lacks; drop it or use empty='skip'")
    if rule != "skip":
        values[undefined] = float(rule)
        count = 0
    return LeftOut(count, f"needs {metric.needs}" if count else "")


def _query_weights(weight: ArrayLike | None, groups: QueryGroups) -> FloatArray | None:
    if weight is None:
        return None
    weights = as_vector("weights", weight)
    if weights.size != groups.n_queries:
        raise ShapeError(f"weight must have one entry per query: got {weights.size} for {groups.n_queries} queries")
    if (weights < 0).any() or not weights.any():
        raise DataError("weights must be 0 or more and not all 0; drop the queries that should not count")
    return weights
