"""Judgements and runs that name queries and documents, as rows with labels and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.data.io._trec import join_runs
from rankwise.data.io._trec_objects import by_query
from rankwise.errors import DataError
from rankwise.metrics._base import Metric
from rankwise.types import FloatArray

MetricNames = str | Metric | Iterable[str | Metric]


def joined_runs(judgements: Any, runs: Mapping[str, Any]) -> tuple[RankingData, dict[str, FloatArray]]:
    """Documents that are judged or that any run retrieved, and each run's scores of them; see `read_runs`."""
    grades = by_query("the judgements", judgements, "grade")
    return join_runs(grades, {name: by_query(name, run, "score") for name, run in runs.items()}, [])


def third_as_metrics(third: ArrayLike | None, metrics: MetricNames, default: MetricNames) -> Any:
    """Metrics, which come third beside judgements: those name their queries themselves."""
    if third is None:
        return metrics
    if metrics is not default:
        raise DataError("judgements name their queries themselves, got qid too; pass judgements, runs and metrics")
    return third
