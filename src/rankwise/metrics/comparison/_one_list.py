"""How sure one can be of the metrics of one list, which has no queries to draw from: intervals over its rows.

They are for the mean value over other lists of as many rows of each label. AUC has DeLong's standard error; of other
metrics, percentiles over lists whose rows are drawn with replacement, label by label (of long lists, which are drawn
less often, the deviation). A metric that looks at the
first few rows alone has no interval: a sample has those very rows or the next ones, which says little of others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankwise.errors import MetricError
from rankwise.metrics._base import Metric
from rankwise.metrics._ranking import Ranking, Ties, descending_order, tie_key
from rankwise.metrics.catalogue._auc import AUC
from rankwise.metrics.catalogue._err import ERR
from rankwise.metrics.catalogue._rbp import RBP
from rankwise.metrics.catalogue._reciprocal_rank import ReciprocalRank
from rankwise.metrics.catalogue._success import Success
from rankwise.metrics.catalogue._wta import WTA
from rankwise.metrics.comparison._delong import auc_covariance, normal_interval
from rankwise.metrics.comparison._row_samples import RowSamples
from rankwise.metrics.comparison._statistics import check_level
from rankwise.types import AnyArray, FloatArray, IntArray

MIN_CUTOFF = 10
"""Of ndcg@k and its like: from here on simulated intervals cover what they say (`benchmarks/one_list.py`)."""

MIN_PERCENTILE_SAMPLES = 1000
"""Fewer say little of the ends of a distribution; lists that long have values that are nearly normal."""

SampleValues = Callable[[Ranking, Sequence[str]], Mapping[str, FloatArray]]


@dataclass(eq=False)
class OneList:
    """The rows of one list in the order of the input, and how the requested metrics are computed.

    `sample_values` gives, of some metrics, the value of each query of a ranking; its queries are samples of this list.
    """

    labels: FloatArray
    scores: FloatArray
    ties: Ties
    doc_ids: AnyArray | None
    metrics: Mapping[str, Metric]
    sample_values: SampleValues
    _sampled: dict[tuple[int, int], dict[str, FloatArray]] = field(default_factory=dict, repr=False)

    @cached_property
    def order(self) -> IntArray:
        """The rows from the top down."""
        key = tie_key(self.ties, self.labels, self.doc_ids)
        return descending_order(self.scores, np.array([0, self.labels.size]), key)

    @cached_property
    def samples(self) -> RowSamples:
        """Other lists like this one."""
        return RowSamples(self.labels)

    @cached_property
    def auc_and_error(self) -> tuple[float, float]:
        """AUC and its standard error by DeLong."""
        (auc,), ((variance,),) = auc_covariance(self.labels > 0, [self.heights()])
        return float(auc), math.sqrt(variance)

    def why_not(self, metric: str) -> str:
        """Why there is no interval of a metric; nothing where there is one."""
        if self.samples.n_labels < 2:
            return "all rows have one label"
        if self.samples.smallest < 2:
            return "a label has one row only"
        if any(_sees_few_rows(part) for _, part in self.metrics[metric].terms()):
            return "it sees the first few rows alone"
        return ""

    def has_delong(self, metric: str) -> bool:
        """Whether DeLong's method is for this metric."""
        return isinstance(self.metrics[metric], AUC)

    def interval(
        self, metric: str, level: float, method: str | None, samples: int, random_state: int
    ) -> tuple[float, float, str]:
        """Both ends, and what made them, or why they are NaN."""
        reason = self.why_not(metric)
        if reason:
            return math.nan, math.nan, f"none: {reason}"
        if method == "delong" or (method is None and self.has_delong(metric)):
            low, high = self.delong_interval(metric, level)
            return low, high, "none: the classes do not overlap" if math.isnan(low) else "DeLong"
        low, high = self.bootstrap_interval(metric, level, samples, random_state)
        if not low < high:
            return math.nan, math.nan, "none: all samples have the same value"
        return low, high, f"bootstrap of rows, {self.samples.allowed(samples):,} samples"

    def delong_interval(self, metric: str, level: float) -> tuple[float, float]:
        """AUC ± z · its standard error, within 0 and 1; NaN where the classes are apart, which leaves no spread."""
        if not self.has_delong(metric):
            raise MetricError(f"method='delong' is for auc, got {metric}; use 'bootstrap'")
        low, high = normal_interval(*self.auc_and_error, level)
        return (low, high) if math.isnan(low) else (max(low, 0.0), min(high, 1.0))

    def bootstrap_interval(self, metric: str, level: float, samples: int, random_state: int) -> tuple[float, float]:
        """Percentiles of the values of the samples; of few samples, the mean of all ± z · their deviation."""
        check_level(level)
        values = self.values(samples, random_state)[metric]
        if values.size < min(samples, MIN_PERCENTILE_SAMPLES):
            return normal_interval(float(values.mean()), float(values.std(ddof=1)), level)
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def values(self, samples: int, random_state: int) -> dict[str, FloatArray]:
        """By metric with an interval, its value on each sample; drawn once for all metrics and kept."""
        key = (self.samples.allowed(samples), random_state)
        if key not in self._sampled:
            tied = self.ties == "expected" and bool(np.unique(self.scores).size < self.scores.size)
            wanted = [metric for metric in self.metrics if not self.why_not(metric)]
            parts: dict[str, list[FloatArray]] = {}
            for ranking in self.samples.rankings(self.order, self.labels, self.scores, tied, *key):
                for metric, values in self.sample_values(ranking, wanted).items():
                    parts.setdefault(metric, []).append(values)
            self._sampled[key] = {metric: np.concatenate(values) for metric, values in parts.items()}
        return self._sampled[key]

    def heights(self) -> FloatArray:
        """Numbers that rank the rows as they were ranked: equal ones where ties are averaged."""
        if self.ties == "expected":
            return self.scores
        heights = np.empty(self.scores.size)
        heights[self.order] = np.arange(self.scores.size, 0.0, -1.0)
        return heights


def _sees_few_rows(metric: Metric) -> bool:
    depth = getattr(metric, "k", None) or math.inf
    if isinstance(metric, RBP):
        depth = min(depth, 1.0 / (1.0 - metric.p))  # what a reader sees on average
    return isinstance(metric, ReciprocalRank | ERR | WTA | Success) or depth < MIN_CUTOFF
