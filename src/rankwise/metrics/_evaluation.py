"""What `evaluate` gives back: the value of every query, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankwise.errors import MetricError
from rankwise.metrics._conventions import Empty
from rankwise.metrics._names import parse
from rankwise.metrics._ranking import Ties
from rankwise.metrics.comparison._statistics import bootstrap_interval, t_interval
from rankwise.types import AnyArray, FloatArray, JsonObject


@dataclass(frozen=True)
class LeftOut:
    """How many queries a metric has no value for, and why."""

    count: int = 0
    why: str = ""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values of metrics by query; `evaluation["ndcg@10"]` is the mean over the queries not left out.

    Parameters
    ----------
    qids : ndarray of shape (n_queries,)
        The queries, in order of first appearance.
    per_query : dict of str to ndarray
        By metric, the value of each query; NaN where it was left out.
    left_out : dict of str to LeftOut
        By metric, how many queries have no value, and why.
    query_weight : ndarray of shape (n_queries,) or None
        What each query weighs in the means; None if all weigh the same.
    convention : str
        The program whose rules were followed.
    ties : str
        How equal scores were ordered.
    empty : str
        What a query counted that a metric is not defined for.
    notes : tuple of str, default=()
        What a reader of the values should know, such as how exact they are.

    Examples
    --------
    >>> evaluation = Evaluation(
    ...     qids=np.array([7, 3, 9]),
    ...     per_query={"auc": np.array([0.5, np.nan, 1.0])},
    ...     left_out={"auc": LeftOut(1, "no relevant document")},
    ...     query_weight=None, convention="standard", ties="expected", empty="skip",
    ... )
    >>> evaluation["auc"]
    0.75
    >>> print(evaluation)
    metric  mean    95% interval    queries  left out
    auc     0.7500  0.5000–1.0000   2        1: no relevant document
    """

    qids: AnyArray
    per_query: Mapping[str, FloatArray]
    left_out: Mapping[str, LeftOut]
    query_weight: FloatArray | None
    convention: str
    ties: Ties
    empty: Empty
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
        random_state: int = 0,
    ) -> tuple[float, float]:
        """Return the interval in which the mean would lie if other queries had been drawn.

        Parameters
        ----------
        metric : str or Metric
            A metric that was evaluated.
        level : float, default=0.95
            The confidence of the interval.
        method : {"bootstrap", "t"}, default="bootstrap"
            Percentiles of means over queries drawn with replacement, or Student's t.
        samples : int, default=2000
            How often the bootstrap draws.
        random_state : int, default=0
            Seed of the bootstrap.

        Returns
        -------
        tuple of float
            Both ends, NaN where fewer than two queries count.
        """
        values, weight = self._counted(metric)
        if method == "bootstrap":
            return bootstrap_interval(values, weight, level, samples, random_state)
        if method == "t":
            return t_interval(values, weight, level)
        raise MetricError(f"method must be 'bootstrap' or 't', got {method!r}; pass one of these")

    def queries_counted(self, metric: object) -> int:
        """Return the number of queries that enter the mean.

        Parameters
        ----------
        metric : str or Metric
            A metric that was evaluated.

        Returns
        -------
        int
            The queries with a value and a weight above 0.
        """
        return int(self._counted(metric)[0].size)

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            Means with their intervals, and the values of every query; None for a value that is not defined.
        """
        return {
            "convention": self.convention,
            "ties": self.ties,
            "empty": self.empty,
            "metrics": {metric: self._summary(metric) for metric in self.per_query},
            "qids": [qid if isinstance(qid, int | str) else str(qid) for qid in self.qids.tolist()],
            "query_weight": None if self.query_weight is None else self.query_weight.tolist(),
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
            raise MetricError(
                f"{metric} was not evaluated, got {', '.join(self.per_query)}; add it to metrics= of evaluate"
            )
        counted = ~np.isnan(values)
        if self.query_weight is None:
            return values[counted], None
        counted &= self.query_weight > 0
        return values[counted], self.query_weight[counted]

    def _summary(self, metric: str) -> JsonObject:
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
