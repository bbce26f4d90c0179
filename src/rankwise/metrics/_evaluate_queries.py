"""All metrics on all queries: each metric's few lines compiled into a loop, or called one query at a time."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels.sorting._ranks import run_starts
from rankwise.metrics._base import Metric
from rankwise.metrics._hooks import N_SHUFFLES
from rankwise.metrics._ranking import Ranking
from rankwise.types import FloatArray, IntArray

log = logging.getLogger(__name__)


def evaluate_queries(metrics: Mapping[str, Metric], ranking: Ranking) -> tuple[dict[str, FloatArray], list[str]]:
    """Values of every metric on every query (NaN where it is not defined), and notes on how exact they are."""
    results: dict[str, FloatArray] = {}
    notes, tasks, slow = [], [], []
    for text, metric in metrics.items():
        view = ranking if metric.takes_unjudged else ranking.judged
        if metric.ranks_everything:
            view = view.complete
        values = results[text] = np.full(len(ranking.offsets) - 1, np.nan)
        loop = metric.query_loop()
        if loop is None:
            log.info("%s is plain Python and so called once per query; mark its methods @compiled for speed", text)
            slow.append((text, metric, view, np.arange(len(values)), values))
            continue
        arrays = (view.labels, view.scores, view.ideal, view.offsets, view.retrieved, view.tied)
        tasks += [partial(loop.run, *arrays, low, high, values) for low, high in threads.chunks(view.offsets)]
        if not loop.handles_ties and view.tied.any():
            slow.append((text, metric, view, np.flatnonzero(view.tied), values))
    threads.run(tasks)
    for text, metric, view, queries, values in slow:
        error = _call_per_query(metric, view, queries, values)
        if error > 0:
            exactness = f"standard error up to {error:.1g}"
            notes.append(f"{text}: tied scores are averaged over {N_SHUFFLES} seeded orders per query, {exactness}")
    return results, notes


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
