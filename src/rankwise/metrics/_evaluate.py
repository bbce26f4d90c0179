"""From scores to the values of metrics: `evaluate`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_ids, as_vector, check_aligned, check_choice
from rankwise.data._groups import QueryGroups
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._trec_objects import DocumentNumbers, names_documents
from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.kernels import _threads as threads
from rankwise.kernels.sorting._ranks import run_starts
from rankwise.metrics._base import Metric
from rankwise.metrics._conventions import Empty, convention_named
from rankwise.metrics._evaluation import Evaluation, LeftOut
from rankwise.metrics._hooks import N_SHUFFLES
from rankwise.metrics._judged_runs import joined_runs, third_as_metrics
from rankwise.metrics._names import parse_all
from rankwise.metrics._ranking import Ranking, Ties, rank
from rankwise.metrics._remarks import remarks
from rankwise.metrics.comparison._one_list import OneList
from rankwise.types import FloatArray, IntArray

BLOCK_ROWS = 1_000_000
"""Rows that are ranked at a time, by whole queries: what is made of them takes some 40 bytes per row."""

DEFAULT_METRICS = ("ndcg@10", "map", "mrr", "auc")

log = logging.getLogger(__name__)


def evaluate(
    y: ArrayLike | RankingData | DocumentNumbers,
    scores: ArrayLike | DocumentNumbers,
    qid: ArrayLike | None = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    convention: str = "standard",
    ties: Ties | None = None,
    empty: Empty | None = None,
    query_weight: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
) -> Evaluation:
    """Evaluate scores against labels, query by query.

    Parameters
    ----------
    y : array-like of shape (n_rows,), RankingData, dict or frame
        Labels, in any order of the rows; below 0 means "not judged". RankingData brings its queries, query weights and
        document ids along. Judgements that name documents are dictionaries `{query: {document: grade}}`, or frames with
        columns such as `q_id`, `doc_id` and `score`.
    scores : array-like of shape (n_rows,), dict or frame
        The higher, the better the rank; −inf means "not retrieved". Beside judgements, a run `{query: {document:
        score}}`, or a frame.
    qid : array-like of shape (n_rows,), optional
        The query of each row. By default all rows are one list. Beside judgements, the third argument is `metrics`.
    metrics : str, Metric or iterable of them, default=("ndcg@10", "map", "mrr", "auc")
        Metrics or their names; a text may hold several, with spaces or commas between.
    convention : {"standard", "letor4", "trec", "lightgbm", "xgboost", "sklearn"}, default="standard"
        The program whose rules for ties, undefined queries and the metrics' small print are followed.
    ties : {"expected", "worst", "best", "input", "docid"}, optional
        How equal scores are ordered; overrides the convention.
    empty : {"skip", "0", "1", "error"}, optional
        What a query counts that a metric is not defined for; overrides the convention.
    query_weight : array-like of shape (n_queries,), optional
        One number per query, in order of first appearance; it weighs the means and nothing else.
    doc_ids : array-like of shape (n_rows,), optional
        Document ids, which `ties="docid"` orders by.

    Returns
    -------
    Evaluation
        The values of every query, and their means.

    Raises
    ------
    DataError
        If the arrays cannot be ranked, or do not fit together.
    MetricError
        If a metric, a convention or a rule is not known.

    Examples
    --------
    >>> result = evaluate([1, 0, 0, 2], [0.9, 0.1, 0.5, 0.4], ["a", "a", "b", "b"], ["ndcg@10", "mrr"])
    >>> result["mrr"], result.per_query["mrr"]
    (0.75, array([1. , 0.5]))

    RankingData has labels and queries already.

    >>> data = RankingData([[0.9], [0.1], [0.5], [0.4]], [1, 0, 0, 2], ["a", "a", "b", "b"])
    >>> evaluate(data, [0.9, 0.1, 0.5, 0.4], metrics="mrr")["mrr"]
    0.75

    Judgements and a run that name documents; one that is not judged counts as irrelevant.

    >>> evaluate({"q1": {"d1": 1, "d2": 2}}, {"q1": {"d3": 0.9, "d2": 0.4}}, "mrr recall@5").means
    {'mrr': 0.5, 'r@5': 0.5}
    """
    if names_documents(y):
        data, runs = joined_runs(y, {"the run": scores})
        result = evaluate(
            data,
            runs["the run"],
            metrics=third_as_metrics(qid, metrics, DEFAULT_METRICS),
            convention=convention,
            ties=ties,
            empty=empty,
            query_weight=query_weight,
            doc_ids=doc_ids,
        )
        return replace(result, notes=(*result.notes, *data.notes))
    preset = convention_named(convention)
    tie_rule = check_choice("ties", ties or preset.ties, Ties)
    y, qid, query_weight, doc_ids = labelled_rows(y, qid, query_weight, doc_ids)  # type: ignore[arg-type]
    check_aligned(y=y, scores=scores, qid=qid, doc_ids=doc_ids)
    labels = as_vector("labels", y)
    values = as_vector("scores", scores, low=-np.inf)
    if values.size != labels.size:
        raise ShapeError(f"y and scores must have one entry per row, got {labels.size} and {values.size}")
    if preset.single_precision:
        # Finite scores stay so: −inf would mean that a document was not retrieved.
        limit = float(np.finfo(np.float32).max)
        clipped = np.where(np.isfinite(values), np.clip(values, -limit, limit), values)
        values = clipped.astype(np.float32).astype(np.float64)
    ids = None if doc_ids is None else as_ids("doc_ids", doc_ids)
    if ids is not None and len(ids) != labels.size:
        raise ShapeError(f"doc_ids must have one entry per row: got {len(ids)} for {labels.size} rows")
    groups = QueryGroups.of_rows(qid, labels.size)
    requested = parse_all(metrics)
    grades = np.maximum(labels, 0.0) if labels.min() < 0 else labels
    parts = [part for metric in requested.values() for _, part in metric.terms()]
    variants = {part: preset.apply(part).for_labels(grades) for part in parts}
    values_of, errors = _no_values(variants, groups.n_queries), dict.fromkeys(variants, 0.0)
    tells_apart = bool((np.diff(groups.offsets) < 2).all())
    for first, last, rows, block in _blocks(groups):
        ranking = rank(labels[rows], values[rows], block, tie_rule, None if ids is None else ids[rows])
        tells_apart = tells_apart or ranking.tells_apart
        _evaluate_queries(variants, ranking, {part: of[first:last] for part, of in values_of.items()}, errors)
    notes = [_how_exact(part, error) for part, error in errors.items() if error > 0]
    if not tells_apart:
        notes.append("all rows of a query have the same score, in every query, so this is no ranking but a tie")
    notes += remarks(labels, values, groups, parts)
    for part in variants:
        rule = check_choice("empty", empty or preset.empty_of(part), Empty)
        _apply_empty_rule(part, values_of[part], rule, groups)
    per_query = {text: _weighted_sum(metric, values_of) for text, metric in requested.items()}
    for text, by_query in per_query.items():
        _check_finite(text, by_query, groups)
    left_out = {text: _count_left_out(metric, per_query[text]) for text, metric in requested.items()}
    return Evaluation(
        qids=groups.qids,
        per_query=per_query,
        left_out=left_out,
        query_weight=_query_weights(query_weight, groups),
        convention=convention,
        ties=tie_rule,
        empty=empty or preset.empty,
        notes=tuple(notes),
        one_list=None
        if groups.n_queries > 1
        else OneList(labels, values, tie_rule, ids, requested, partial(_values_of_samples, requested, variants)),
    )


def _values_of_samples(
    requested: Mapping[str, Metric], variants: Mapping[Metric, Metric], ranking: Ranking, texts: Sequence[str]
) -> dict[str, FloatArray]:
    """The values of some of the metrics on samples of one list, which are the queries of a ranking."""
    parts = [part for text in texts for _, part in requested[text].terms()]
    chosen = {part: variants[part] for part in parts}
    values_of = _no_values(chosen, ranking.offsets.size - 1)
    _evaluate_queries(chosen, ranking, values_of, dict.fromkeys(chosen, 0.0))
    return {text: _weighted_sum(requested[text], values_of) for text in texts}


def labelled_rows(
    y: ArrayLike | RankingData,
    qid: ArrayLike | None,
    query_weight: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
) -> tuple[ArrayLike, ArrayLike | None, ArrayLike | None, ArrayLike | None]:
    """Labels, queries, query weights and document ids; RankingData brings along those that it has."""
    if not isinstance(y, RankingData):
        return y, qid, query_weight, doc_ids
    for name, value in (("qid", qid), ("query_weight", query_weight), ("doc_ids", doc_ids)):
        if value is not None and getattr(y, name) is not None:
            raise DataError(
                f"RankingData brings its {name} along, got {name} too; pass the data alone, and metrics as metrics="
            )
    weight, ids = y.query_weight, y.doc_ids
    return y.y, y.qid, query_weight if weight is None else weight, doc_ids if ids is None else ids


def _no_values(variants: Mapping[Metric, Metric], n_queries: int) -> dict[Metric, FloatArray]:
    return {part: np.full(n_queries, np.nan) for part in variants}


def _blocks(groups: QueryGroups) -> Iterator[tuple[int, int, IntArray | slice, QueryGroups]]:
    """Queries with up to `BLOCK_ROWS` rows together, or one with more: from which to which, their rows, and groups."""
    offsets, first = groups.offsets, 0
    while first < groups.n_queries:
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK_ROWS, side="right")) - 1
        last = max(last, first + 1)
        start, stop = int(offsets[first]), int(offsets[last])
        rows = slice(start, stop) if groups.order is None else groups.order[start:stop]
        yield first, last, rows, QueryGroups(groups.qids[first:last], offsets[first : last + 1] - start)
        first = last


def _evaluate_queries(
    variants: Mapping[Metric, Metric],
    ranking: Ranking,
    results: Mapping[Metric, FloatArray],
    errors: dict[Metric, float],
) -> None:
    """Fill in the values of every metric, as its variant has them, on every query (NaN where it is not defined), and
    the largest standard error of averaged ties.
    """
    tasks, slow = [], []
    for requested, metric in variants.items():
        view = ranking if metric.takes_unjudged else ranking.unjudged_as_irrelevant
        if metric.ranks_everything:
            view = view.complete
        values = results[requested]
        loop = metric.query_loop()
        if loop is None:
            log.info("%s is plain Python and so called once per query; mark its methods @compiled for speed", requested)
            slow.append((requested, metric, view, np.arange(len(values)), values))
            continue
        arrays = (view.labels, view.scores, view.ideal, view.offsets, view.retrieved, view.tied)
        tasks += [partial(loop.run, *arrays, low, high, values) for low, high in threads.chunks(view.offsets)]
        if not loop.handles_ties and view.tied.any():
            slow.append((requested, metric, view, np.flatnonzero(view.tied), values))
    threads.run(tasks)
    for requested, metric, view, queries, values in slow:
        errors[requested] = max(errors[requested], _call_per_query(metric, view, queries, values))


def _how_exact(metric: Metric, error: float) -> str:
    exactness = f"standard error up to {error:.1g}"
    return f"{metric}: tied scores are averaged over {N_SHUFFLES} seeded orders per query, {exactness}"


def _call_per_query(metric: Metric, ranking: Ranking, queries: IntArray, values: FloatArray) -> float:
    """Fill in these queries by calling the metric's methods; the largest standard error of averaged ties."""
    max_error = 0.0
    for q in queries:
        start, end = ranking.offsets[q], ranking.offsets[q] + ranking.retrieved[q]
        labels, ideal = ranking.labels[start:end], ranking.ideal[start : ranking.offsets[q + 1]]
        if ranking.tied[q]:
            runs = run_starts(ranking.scores[start:end])
            values[q], error = metric.tied_value_and_error(labels, runs, ideal)
            max_error = max(max_error, error)
        else:
            values[q] = metric.value(labels, ideal)
    return max_error


def _apply_empty_rule(metric: Metric, values: FloatArray, rule: Empty, groups: QueryGroups) -> None:
    """Apply the rule for queries that the metric is not defined for, in place."""
    undefined = np.isnan(values)
    if rule == "error" and undefined.any():
        query = groups.qids[np.flatnonzero(undefined)[0]]
        raise DataError(f"{metric} needs {metric.needs}, which query {query} lacks; drop it or use empty='skip'")
    if rule in ("0", "1"):
        values[undefined] = float(rule)


def _weighted_sum(metric: Metric, values_of: Mapping[Metric, FloatArray]) -> FloatArray:
    """The values of a metric by those of its parts; a metric that is no sum is its own part."""
    terms = metric.terms()
    if len(terms) == 1:
        return values_of[metric]
    with np.errstate(over="ignore"):  # `_check_finite` refuses what is infinite
        return np.asarray(sum(weight * values_of[part] for weight, part in terms))


def _check_finite(metric: str, values: FloatArray, groups: QueryGroups) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        query = groups.qids[int(np.argmax(infinite))]
        raise MetricError(f"{metric} of query {query} is too large for a number; scale the labels, or the metric")


def _count_left_out(metric: Metric, values: FloatArray) -> LeftOut:
    count = int(np.isnan(values).sum())
    return LeftOut(count, f"needs {metric.needs}" if count else "")


def _query_weights(query_weight: ArrayLike | None, groups: QueryGroups) -> FloatArray | None:
    if query_weight is None:
        return None
    weights = as_vector("weights", query_weight)
    if weights.size != groups.n_queries:
        raise ShapeError(
            f"query_weight must have one entry per query: got {weights.size} for {groups.n_queries} queries"
        )
    if (weights < 0).any() or not weights.any():
        raise DataError("weights must be 0 or more and not all 0; drop the queries that should not count")
    return weights
