"""One metric, all queries: the metric's few lines compiled into a loop, or called one query at a time."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rankwise.kernels import _judge_loops as loops
from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import is_compiled, specialize
from rankwise.kernels.sorting._ranks import run_starts
from rankwise.metrics._base import SHUFFLES, Metric
from rankwise.metrics._ranking import Ranking
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.metrics.catalogue._linear import LinearMetric
from rankwise.types import FloatArray, IntArray

log = logging.getLogger(__name__)


def _loop(metric: Metric) -> Any | None:
    """The compiled loop for a metric; None if its methods are plain Python."""
    cls: Any = type(metric)
    if isinstance(metric, LinearMetric):
        if is_compiled(cls.gains) and is_compiled(cls.discounts) and is_compiled(cls.normalizer):
            hooks = {"gains": cls.gains, "discounts": cls.discounts, "normalizer": cls.normalizer}
            loop = specialize(loops.judge_linear, **hooks)
            return partial(loop, metric.record(), metric.offset)
    elif isinstance(metric, CurveMetric):
        if is_compiled(cls.point):
            return partial(specialize(loops.judge_curve, point=cls.point), metric.record())
    elif is_compiled(cls.value) and is_compiled(cls.tied_value):
        return partial(specialize(loops.judge_tied, value=cls.value, tied_value=cls.tied_value), metric.record())
    elif is_compiled(cls.value):
        return partial(specialize(loops.judge, value=cls.value), metric.record())
    return None


def _averages_shuffles(metric: Metric) -> bool:
    return type(metric).tied_value is Metric.tied_value


def _judge_one_by_one(metric: Metric, ranking: Ranking, queries: IntArray, values: FloatArray) -> float:
    """Fill in these queries by calling the metric's own methods; the largest standard error of averaged ties."""
    worst_error = 0.0
    for q in queries:
        start, end = ranking.offsets[q], ranking.offsets[q] + ranking.retrieved[q]
        labels, ideal = ranking.labels[start:end], ranking.ideal[start : ranking.offsets[q + 1]]
        if not ranking.tied[q]:
            values[q] = metric.value(labels, ideal=ideal)
            continue
        runs = run_starts(ranking.scores[start:end])
        if _averages_shuffles(metric):
            values[q], error = metric._shuffled(labels, runs, ideal)
            worst_error = max(worst_error, error)
        else:
            values[q] = metric.tied_value(labels, runs, ideal)
    return worst_error


def judge(metrics: Mapping[str, Metric], ranking: Ranking) -> tuple[dict[str, FloatArray], list[str]]:
    """Values of every metric on every query (NaN where it is not defined), and notes on how exact they are."""
    results: dict[str, FloatArray] = {}
    notes, tasks, slow = [], [], []
    for text, metric in metrics.items():
        seen = ranking if metric.takes_unjudged else ranking.judged
        if metric.ranks_everything:
            seen = seen.complete
        values = results[text] = np.full(len(ranking.offsets) - 1, np.nan)
        loop = _loop(metric)
        every = np.arange(len(values))
        if loop is None:
            log.info(
                "%s is plain Python and so judged one query at a time; mark its methods @compiled for speed",
                text,
            )
            slow.append((text, metric, seen, every, values))
            continue
        arrays = (seen.labels, seen.scores, seen.ideal, seen.offsets, seen.retrieved, seen.tied)
        tasks += [partial(loop, *arrays, low, high, values) for low, high in threads.chunks(seen.offsets)]
        if _averages_shuffles(metric) and seen.tied.any():
            slow.append((text, metric, seen, np.flatnonzero(seen.tied), values))
    threads.run(tasks)
    for text, metric, seen, queries, values in slow:
        error = _judge_one_by_one(metric, seen, queries, values)
        if error > 0:
            exactness = f"standard error up to {error:.1g}"
            notes.append(f"{text}: tied scores are averaged over {SHUFFLES} seeded orders a query, {exactness}")
    return results, notes
