"""Weights of runs that do best by a metric: `fit_fusion`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import check_choice
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._trec_objects import DocumentNumbers, names_documents
from rankwise.errors import DataError
from rankwise.fusion._fuse import check_normalization
from rankwise.fusion._methods import WEIGHTED, Method, Normalization, run_values
from rankwise.fusion._runs import aligned_runs
from rankwise.metrics import Metric, evaluate, parse
from rankwise.metrics._evaluate import labelled_rows
from rankwise.metrics._judged_runs import joined_runs
from rankwise.types import FloatArray

SHARES = np.linspace(0.0, 1.0, 21)  # of a run, that are tried


def fit_fusion(
    y: ArrayLike | RankingData | DocumentNumbers,
    runs: Mapping[str, ArrayLike | DocumentNumbers],
    qid: ArrayLike | None = None,
    *,
    metric: str | Metric = "ndcg@10",
    method: Method = "combsum",
    normalize: Normalization | None = None,
    k: float = 60,
) -> dict[str, float]:
    """Find the weights of runs with which the fused ranking is best by a metric.

    Parameters
    ----------
    y : array-like of shape (n_rows,), RankingData, dict or frame
        Labels of validation rows, which no system was trained on; or judgements `{query: {document: grade}}`.
    runs : dict of str to array-like of shape (n_rows,), dict or frame
        By name of the system, the score of each row; or, beside judgements, runs `{query: {document: score}}`.
    qid : array-like of shape (n_rows,), optional
        The query of each row. By default all rows are one list.
    metric : str or Metric, default="ndcg@10"
        What the weights are chosen by.
    method : {"combsum", "rrf", "borda"}, default="combsum"
        What is weighted; see `fuse`.
    normalize : {"min-max", "z-score", "rank", "none"}, optional
        As for `fuse`.
    k : float, default=60
        As for `fuse`.

    Returns
    -------
    dict of str to float
        By name, weights of sum 1 for `weights=` of `fuse`: on these rows no worse than equal weights or any one run.

    Raises
    ------
    DataError
        If labels and runs do not fit together, or the metric has no value on any query.

    Notes
    -----
    Coordinate ascent from equal weights or the best single run, whichever is better: one run's share is tried at 0,
    0.05, … 1 while the others keep their proportions, run after run, until none gains. With two runs that is a search
    of all 21 mixtures; with more it may end at a local optimum. Weights fit the rows they were chosen on: judge them on
    others.

    Examples
    --------
    >>> y, qid = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    >>> fit_fusion(y, {"noise": [1, 3, 2, 2, 3, 1], "good": [3, 1, 2, 3, 2, 1]}, qid, metric="mrr")
    {'noise': 0.0, 'good': 1.0}
    """
    if check_choice("method", method, Method) not in WEIGHTED:
        raise DataError(f"weights are for {', '.join(WEIGHTED)}, got method={method!r}; choose one of these")
    scale = check_normalization(method, normalize)
    if names_documents(y):
        y, runs = joined_runs(y, runs)
    labels, queries, query_weight, doc_ids = labelled_rows(y, qid)  # type: ignore[arg-type]
    aligned = aligned_runs(runs, queries)
    values = run_values(aligned.grouped, aligned.groups.offsets, method, scale, k)
    judged = parse(metric)

    def value(weights: FloatArray) -> float:
        fused = aligned.groups.ungrouped(values.combined(method, weights))
        rows: dict[str, Any] = {"query_weight": query_weight, "doc_ids": doc_ids}
        return evaluate(labels, fused, queries, judged, **rows)[judged]

    n_runs = len(aligned.names)
    best, weights = max(((value(start), start) for start in (np.full(n_runs, 1 / n_runs), *np.eye(n_runs))), key=_value)
    if np.isnan(best):
        raise DataError(f"{judged} has no value on any query ({judged.needs}); pass rows with labels")
    gained = True
    while gained:
        gained = False
        for run in range(n_runs):
            tried = ((value(mixture), mixture) for mixture in _mixtures(weights, run))
            highest, mixture = max(tried, key=_value)
            if highest > best:
                best, weights, gained = highest, mixture, True
    return dict(zip(aligned.names, weights.tolist(), strict=True))


def _value(tried: tuple[float, FloatArray]) -> float:
    return tried[0]


def _mixtures(weights: FloatArray, run: int) -> list[FloatArray]:
    """The same proportions of the other runs, or equal ones where they count nothing, with each share of this one."""
    others = weights.copy()
    others[run] = 0.0
    if not others.any():
        others[np.arange(others.size) != run] = 1.0
    alone = np.eye(weights.size)[run]
    return [(1.0 - share) * others / others.sum() + share * alone for share in SHARES]
