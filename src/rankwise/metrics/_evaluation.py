"""What `evaluate` gives back: the value of every query, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankwise.errors import MetricError
from rankwise.metrics._conventions import Empty
from rankwise.metrics._markup import latex_table, markdown_table
from rankwise.metrics._names import parse
from rankwise.metrics._ranking import Ties
from rankwise.metrics.comparison._statistics import bootstrap_interval, scaled_weights, t_interval
from rankwise.types import AnyArray, FloatArray, JsonObject

if TYPE_CHECKING:
    from rankwise.metrics.comparison._one_list import OneList


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
    one_list : OneList or None, default=None
        Where all rows are one list, its rows: intervals are then over rows drawn again.

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
    one_list: OneList | None = None

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
        method: Literal["bootstrap", "t", "delong"] | None = None,
        samples: int = 2000,
        random_state: int = 0,
    ) -> tuple[float, float]:
        """Return the interval in which the mean would lie if other queries had been drawn.

        Where all rows are one list, it is that if other rows of each label had been drawn.

        Parameters
        ----------
        metric : str or Metric
            A metric that was evaluated.
        level : float, default=0.95
            The confidence of the interval.
        method : {"bootstrap", "t", "delong"}, optional
            Percentiles of means over queries drawn with replacement (of one list, of values over its rows drawn with
            replacement, label by label), Student's t over queries, or DeLong's standard error of the AUC of one list.
            By default "delong" for the AUC of one list, and "bootstrap" elsewhere.
        samples : int, default=2000
            How often the bootstrap draws; one list of more than 10,000 rows is drawn less often, down to 50 times.
        random_state : int, default=0
            Seed of the bootstrap.

        Returns
        -------
        tuple of float
            Both ends, NaN where fewer than two queries count, or where one list does not tell (see `interval_method`).
        """
        return self._interval(metric, level, method, samples, random_state)[:2]

    def interval_method(self, metric: object) -> str:
        """Return what makes the interval of a metric by default, in words.

        Parameters
        ----------
        metric : str or Metric
            A metric that was evaluated.

        Returns
        -------
        str
            "bootstrap of queries", "bootstrap of rows, 2,000 samples", "DeLong", or "none" with the reason.
        """
        return self._interval(metric, 0.95, None, 2000, 0)[2]

    def _interval(
        self, metric: object, level: float, method: str | None, samples: int, random_state: int
    ) -> tuple[float, float, str]:
        values, weight = self._counted(metric)
        if method not in (None, "bootstrap", "t", "delong"):
            raise MetricError(f"method must be 'bootstrap', 't' or 'delong', got {method!r}; pass one of these")
        if method == "t":
            return *t_interval(values, weight, level), "Student's t over queries"
        if self.one_list is not None and values.size == 1:
            return self.one_list.interval(self._name(metric), level, method, samples, random_state)
        if method == "delong":
            raise MetricError(f"method='delong' is for one list, got {len(self.qids)} queries; use 'bootstrap' or 't'")
        if values.size < 2:
            return math.nan, math.nan, "none: fewer than two queries"
        return *bootstrap_interval(values, weight, level, samples, random_state), "bootstrap of queries"

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

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the table that is printed.

        Returns
        -------
        tuple
            The header, and a row for each metric; of one list, each says what made its interval.
        """
        header = ("metric", "mean", "95% interval", "queries", "left out")
        rows: list[tuple[str, ...]] = []
        for metric in self.per_query:
            low, high, how = self._interval(metric, 0.95, None, 2000, 0)
            interval = "–" if math.isnan(low) else f"{low:.4f}–{high:.4f}"
            left_out = self.left_out[metric]
            reason = f"{left_out.count}: {left_out.why}" if left_out.count else "0"
            row = (metric, format_value(self[metric]), interval, str(self.queries_counted(metric)), reason)
            rows.append(row if self.one_list is None else (*row, how))
        return (header if self.one_list is None else (*header, "interval by")), rows

    def to_latex(self) -> str:
        r"""Return the table that is printed in LaTeX, with `\usepackage{booktabs}`.

        Returns
        -------
        str
            A `table` whose caption says how the values were made.
        """
        return latex_table(*self.table(), self._caption())

    def to_markdown(self) -> str:
        """Return the table that is printed in Markdown.

        Returns
        -------
        str
            The table, and below it how the values were made.
        """
        return markdown_table(*self.table(), self._caption())

    def _caption(self) -> str:
        over = "Values on one list" if self.one_list else f"Means over {len(self.qids):,} queries"
        by = "" if self.one_list else " by the bootstrap of queries"
        rules = f"convention {self.convention}, ties {self.ties}, queries without a value {self.empty}"
        return "; ".join([f"{over} with 95% intervals{by}; {rules}", *self.notes]) + "."

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([format_table([header, *rows]), *(f"note: {note}" for note in self.notes)])

    # A notebook shows the table too, not arrays of thousands of values.
    __repr__ = __str__

    def _name(self, metric: object) -> str:
        """A metric as it was requested, by any spelling of it."""
        name = str(metric)
        if name not in self.per_query:
            with suppress(MetricError):  # another spelling of the same
                name = str(parse(name))
        if name not in self.per_query:
            raise MetricError(
                f"{metric} was not evaluated, got {', '.join(self.per_query)}; add it to metrics= of evaluate"
            )
        return name

    def _counted(self, metric: object) -> tuple[FloatArray, FloatArray | None]:
        """Values and weights of the queries that enter the mean of a metric."""
        values = self.per_query[self._name(metric)]
        counted = ~np.isnan(values)
        if self.query_weight is None:
            return values[counted], None
        counted &= self.query_weight > 0
        return values[counted], scaled_weights(self.query_weight[counted])

    def _summary(self, metric: str) -> JsonObject:
        left_out = self.left_out[metric]
        low, high, how = self._interval(metric, 0.95, None, 2000, 0)
        return {
            "mean": finite_or_none(self[metric]),
            "interval": [finite_or_none(low), finite_or_none(high)],
            **({} if self.one_list is None else {"interval_method": how}),
            "queries": self.queries_counted(metric),
            "left_out": {"count": left_out.count, "why": left_out.why},
        }


def finite_or_none(value: float) -> float | None:
    """JSON has no word for NaN and infinity."""
    return value if math.isfinite(value) else None


def format_value(value: float) -> str:
    """A value as tables show it."""
    return "no value" if math.isnan(value) else f"{value:.4f}"


def plain(value: object) -> object:
    """A value of a result as JSON has it."""
    if isinstance(value, tuple):
        return [plain(end) for end in value]
    return finite_or_none(value) if isinstance(value, float) else value


def format_table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of text as columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
