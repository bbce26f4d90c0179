"""Whose λ's are descended to be good at a metric."""

from __future__ import annotations

from rankwise.metrics import Metric, parse

Surrogate = str | Metric  # "auto", "swap" or a metric


def surrogate_metric(surrogate: Surrogate, metric: Metric, n_rows: int | None = None) -> Metric:
    """The metric that "auto" (what trains `metric` best), "swap" (`metric` itself) or a metric stands for."""
    if surrogate == "auto":
        return metric.for_training(n_rows)
    return metric if surrogate == "swap" else parse(surrogate)
