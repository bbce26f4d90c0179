"""What `evaluate` gives back: the value of every query, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import MetricError
from rankwise.metrics._names import parse
from rankwise.metrics.comparison._statistics import bootstrap_interval, t_interval
from rankwise.types import FloatArray


@dataclass(frozen=True)
class LeftOut:
    """How many queries a metric has no value for, and why."""

    count: int = 0
    why: str = ""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values of metrics by query; `evaluation["ndcg@10"]` is the mean over the queries not left out.

    >>> evaluation = Evaluation(
    ...     qids=np.array([7, 3, 9]),
    ...     per_query={"auc": np.array([0.5, np.nan, 1.0])},
    ...     left_out={"auc": LeftOut(1, "no relevant document")},
    ...     weight=None, convention="standard", ties="expected", empty="skip",
    ... )
    >>> evaluation["auc"]
    0.75
    >>> print(evaluation)
    metric  mean    95% interval    queries  left out
    auc     0.7500  0.5000–1.0000   2        1: no relevant document
    """

    qids: NDArray[Any]
    per_query: Mapping[str, FloatArray]
    left_out: Mapping[str, LeftOut]
    weight: FloatArray | None
    convention: str
    ties: str
    empty: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, metric: object) -> float:
        values, weight = self._counted(metric)
        if values.size == 0:
            return math.nan
        return float(np.average(values, weights=weight))

    @property
    def means(self) -> dict[str, float]:
        """The mean of every metric."""
        return {metric: self[metric] for metric in self.per_query}

    def interval(
        self,
        metric: object,
        level: float = 0.95,
        method: Literal["bootstrap", "t"] = "bootstrap",
        samples: int = 2000,
        seed: int = 0,
    ) -> tuple[float, float]:
        """Interval of the mean if other queries had been drawn; NaN where fewer than two queries count."""
        values, weight = self._counted(metric)
        if method == "bootstrap":
            return bootstrap_interval(values, weight, level, samples, seed)
        if method == "t":
            return t_interval(values, weight, level)
        raise MetricError(f"method must be 'bootstrap' or 't', got {method!r}; pass one of these")

    def queries_counted(self, metric: object) -> int:
        """Number of queries that enter the mean."""
        return int(self._counted(metric)[0].size)

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain Python types that `json.dumps` takes; a value that is not known is None."""
        return {
            "convention": self.convention,
            "ties": self.ties,
            "empty": self.empty,
            "metrics": {metric: self._summary(metric) for metric in self.per_query},
            "qids": [qid if isinstance(qid, int | str) else str(qid) for qid in self.qids.tolist()],
            "weight": None if self.weight is None else self.weight.tolist(),
            "per_query": {
                metric: [finite_or_none(value) for value in values.tolist()]
                for metric, values in self.per_query.items()
            },
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        rows = [("metric", "mean", "95% interval", "queries", "left out")]
        for metric in self.per_query:
            low, high = self.interval(metric)
            interval = "–" if math.isnan(low) else f"{low:.4f}–{high:.4f}"
            left_out = self.left_out[metric]
            reason = f"{left_out.count}: {left_out.why}" if left_out.count else "0"
            rows.append((metric, f"{self[metric]:.4f}", interval, str(self.queries_counted(metric)), reason))
        return "\n".join([format_table(rows), *(f"note: {note}" for note in self.notes)])

    # A notebook shows the table too, not arrays of thousands of values.
    __repr__ = __str__

    def _counted(self, metric: object) -> tuple[FloatArray, FloatArray | None]:
        """Values and weights of the queries that enter the mean of a metric."""
        values = self.per_query.get(str(metric))
        if values is None:
            with suppress(MetricError):  # another spelling of the same
                values = self.per_query.get(str(parse(str(metric))))
        if values is None:
            there = ", ".join(self.per_query)
            raise MetricError(f"{metric} was not evaluated, got {there}; add it to metrics= of evaluate")
        counted = ~np.isnan(values)
        if self.weight is None:
            return values[counted], None
        counted &= self.weight > 0
        return values[counted], self.weight[counted]

    def _summary(self, metric: str) -> dict[str, Any]:
        left_out = self.left_out[metric]
        return {
            "mean": finite_or_none(self[metric]),
            "interval": [finite_or_none(end) for end in self.interval(metric)],
            "queries": self.queries_counted(metric),
            "left_out": {"count": left_out.count, "why": left_out.why},
        }


def finite_or_none(value: float) -> float | None:
    """JSON has no word for NaN and infinity."""
    return value if math.isfinite(value) else None


def format_table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of text as columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
