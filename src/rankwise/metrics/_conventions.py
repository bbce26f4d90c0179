"""How other programs evaluate, as presets: what they do about ties, empty queries and each metric's small print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from rankwise.errors import MetricError
from rankwise.metrics._base import Metric
from rankwise.metrics._ranking import Ties
from rankwise.metrics.catalogue._auc import AUC
from rankwise.metrics.catalogue._aucpr import AUCPR
from rankwise.metrics.catalogue._average_precision import AveragePrecision
from rankwise.metrics.catalogue._dcg import DCG
from rankwise.metrics.catalogue._ndcg import NDCG
from rankwise.metrics.catalogue._precision import Precision

Empty = Literal["skip", "0", "1", "error"]


@dataclass(frozen=True)
class Convention:
    """What a program does where the textbooks leave a choice."""

    name: str
    about: str
    ties: Ties
    empty: Empty
    single_precision: bool = False  # scores are compared as float32
    variants: Mapping[type[Metric], Callable[[Metric], Metric]] = field(default_factory=dict)
    empty_for: Mapping[type[Metric], Empty] = field(default_factory=dict)  # where one metric differs from `empty`

    def apply(self, metric: Metric) -> Metric:
        """The metric as this program computes it."""
        change = self.variants.get(type(metric))
        return metric if change is None else change(metric)

    def empty_of(self, metric: Metric) -> Empty:
        """What this program reports for a query that the metric is not defined for."""
        return self.empty_for.get(type(metric), self.empty)


def _with(**flags: bool) -> Callable[[Metric], Metric]:
    return lambda metric: replace(metric, **flags)


def _by_threshold(metric: Metric) -> Metric:
    return AUCPR() if metric == AveragePrecision() else metric


CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention("standard", "textbook definitions, exact ties, undefined queries left out", "expected", "skip"),
        Convention(
            "letor4",
            "LETOR 4.0's evaluation script: its own discounts, NDCG@k of fewer than k documents is 0",
            "input",
            "0",
            variants={NDCG: _with(letor=True)},
        ),
        Convention(
            "trec",
            "trec_eval: linear gain, ties by falling document id, scores as float32",
            "docid",
            "0",
            single_precision=True,
            variants=dict.fromkeys((NDCG, DCG), _with(linear=True)),
        ),
        Convention(
            "lightgbm",
            "LightGBM's ndcg, map and auc: ties in row order, a query without relevant documents is perfect",
            "input",
            "1",
            variants={AveragePrecision: _with(capped=True)},
        ),
        Convention(
            "xgboost",
            "XGBoost's ndcg, map and pre: ties in row order, a query without relevant documents is perfect",
            "input",
            "1",
            single_precision=True,
            variants=dict.fromkeys((AveragePrecision, Precision), _with(capped=True)),
        ),
        Convention(
            "sklearn",
            "scikit-learn's ndcg_score, dcg_score, average_precision_score and roc_auc_score",
            "expected",
            "0",
            variants=dict.fromkeys((NDCG, DCG), _with(linear=True)) | {AveragePrecision: _by_threshold},
            empty_for={AUC: "skip"},
        ),
    )
}
"""Conventions by name: whose rules for ties, empty queries and small print `evaluate` follows."""


def convention_named(name: str) -> Convention:
    """The preset of this name."""
    if name not in CONVENTIONS:
        raise MetricError(f"there is no convention {name!r}; use one of {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]
