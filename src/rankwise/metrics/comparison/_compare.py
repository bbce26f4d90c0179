"""Several systems judged on the same queries, and how sure one can be of the differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import DataError
from rankwise.metrics._base import Metric
from rankwise.metrics._conventions import Empty
from rankwise.metrics._evaluate import DEFAULT_METRICS, evaluate
from rankwise.metrics._evaluation import Evaluation, finite_or_none, format_table
from rankwise.metrics._ranking import Ties
from rankwise.metrics.comparison import _statistics as statistics
from rankwise.types import BoolArray, FloatArray


@dataclass(frozen=True)
class PairTest:
    """System `a` against system `b` on the queries where both have a value of the metric.

    `difference` is mean_a − mean_b with its t interval; p-values are two-sided. `tukey_p` accounts for all
    pairs of systems by itself, the `_holm` ones are corrected for the pairs of this metric.
    """

    metric: str
    a: str
    b: str
    queries: int
    mean_a: float
    mean_b: float
    difference: float
    interval: tuple[float, float]
    t_p: float
    fisher_p: float
    tukey_p: float
    t_p_holm: float
    fisher_p_holm: float
    effect_size: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` gives back: the evaluation of every system, and a test of every pair and metric."""

    evaluations: dict[str, Evaluation]
    tests: list[PairTest]
    level: float = 0.95
    notes: tuple[str, ...] = ()

    @property
    def metrics(self) -> list[str]:
        """The metrics, spelled as they were asked for."""
        return list(next(iter(self.evaluations.values())).per_query)

    def best(self, metric: object) -> str:
        """Name of the system with the highest mean; the first of equals."""
        means = {name: evaluation[metric] for name, evaluation in self.evaluations.items()}
        return max(means, key=lambda name: -math.inf if math.isnan(means[name]) else means[name])

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain Python types that `json.dumps` takes; a value that is not known is None."""
        return {
            "level": self.level,
            "systems": {name: evaluation.to_dict() for name, evaluation in self.evaluations.items()},
            "tests": [{key: _plain(value) for key, value in asdict(test).items()} for test in self.tests],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        parts = [format_table(self._table_of_means()) + "\n* best"]
        if self.tests:
            parts.append(
                format_table(self._table_of_tests()) + "\nt and Fisher: Holm-corrected for the pairs of one metric"
            )
        return "\n\n".join(parts + [f"note: {note}" for note in self.notes])

    # A notebook shows the tables too, not arrays of thousands of values.
    __repr__ = __str__

    def _table_of_means(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("metric", *self.evaluations)]
        for metric in self.metrics:
            best = self.best(metric)
            means = {name: f"{evaluation[metric]:.4f}" for name, evaluation in self.evaluations.items()}
            rows.append((metric, *(mean + "*" * (name == best) for name, mean in means.items())))
        return rows

    def _table_of_tests(self) -> list[tuple[str, ...]]:
        interval = f"{self.level:.0%} interval"
        rows: list[tuple[str, ...]] = [
            (
                "metric",
                "pair",
                "difference",
                interval,
                "p t",
                "p Fisher",
                "p Tukey",
                "effect",
                "wins/ties/losses",
            )
        ]
        for test in self.tests:
            low, high = test.interval
            rows.append(
                (
                    test.metric,
                    f"{test.a} − {test.b}",
                    f"{test.difference:+.4f}",
                    f"{low:+.4f} to {high:+.4f}",
                    *(format_p_value(p) for p in (test.t_p_holm, test.fisher_p_holm, test.tukey_p)),
                    f"{test.effect_size:+.2f}",
                    f"{test.wins}/{test.ties}/{test.losses}",
                )
            )
        return rows


def compare(
    y: ArrayLike,
    scores: Mapping[str, ArrayLike],
    qid: ArrayLike | None = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    convention: str = "standard",
    ties: Ties | None = None,
    empty: Empty | None = None,
    weight: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Evaluate two or more systems, `{name: scores}`, and test every pair of them on every metric.

    The arguments are those of `evaluate`; `level` is that of the intervals, `seed` that of Fisher's test.
    With weights the tests are of the weighted means; the effect size and the wins count each query once.

    >>> y, qid = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    >>> result = compare(y, {"good": [3, 2, 1, 3, 2, 1], "bad": [2, 3, 1, 1, 3, 2]}, qid, ["mrr"])
    >>> result.best("mrr"), round(result.tests[0].difference, 3)
    ('good', 0.583)
    """
    if len(scores) < 2:
        got = ", ".join(map(repr, scores)) or "none"
        raise DataError(f"there must be two or more systems to compare, got {got}; use evaluate for a single one")
    asked = metrics if isinstance(metrics, str | Metric) else list(metrics)
    evaluations = {
        name: evaluate(
            y,
            system,
            qid,
            asked,
            convention=convention,
            ties=ties,
            empty=empty,
            weight=weight,
            doc_ids=doc_ids,
        )
        for name, system in scores.items()
    }
    first = next(iter(evaluations.values()))
    # Notes about a system's values (how exact they are) are the same sentence for most systems: say it once.
    notes = list(dict.fromkeys(note for evaluation in evaluations.values() for note in evaluation.notes))
    if len(first.qids) < 2:
        notes.append("there is only one query, so there is no spread between queries to test a difference with")
        return Comparison(evaluations, [], level, tuple(notes))
    tests = [test for metric in first.per_query for test in _tests_of(metric, evaluations, level, seed)]
    return Comparison(evaluations, tests, level, tuple(notes))


def format_p_value(p: float) -> str:
    """A p-value as it is printed: never 0, which no finite number of queries can show."""
    if math.isnan(p):
        return "–"
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _tests_of(metric: str, evaluations: dict[str, Evaluation], level: float, seed: int) -> list[PairTest]:
    """All pairs of systems on one metric."""
    names = list(evaluations)
    values = np.column_stack([evaluation.per_query[metric] for evaluation in evaluations.values()])
    weight = next(iter(evaluations.values())).weight
    counted = np.ones(len(values), dtype=bool) if weight is None else weight > 0
    everywhere = counted & ~np.isnan(values).any(axis=1)
    tukey = statistics.tukey_hsd(_linearized_columns(values[everywhere], _part(weight, everywhere)))
    pairs = list(combinations(range(len(names)), 2))
    found = []
    for i, j in pairs:
        both = counted & ~np.isnan(values[:, i]) & ~np.isnan(values[:, j])
        found.append(_pair(values[both, i], values[both, j], _part(weight, both), level, seed))
    t_p_holm = statistics.holm([pair["t_p"] for pair in found])
    fisher_p_holm = statistics.holm([pair["fisher_p"] for pair in found])
    return [
        PairTest(
            metric=metric,
            a=names[i],
            b=names[j],
            tukey_p=float(tukey[i, j]),
            t_p_holm=float(t_p_holm[index]),
            fisher_p_holm=float(fisher_p_holm[index]),
            **found[index],
        )
        for index, (i, j) in enumerate(pairs)
    ]


def _pair(
    a: FloatArray,
    b: FloatArray,
    weight: FloatArray | None,
    level: float,
    seed: int,
) -> dict[str, Any]:
    """What one pair shows by itself, before the other pairs are accounted for."""
    wins, ties, losses = statistics.wins_ties_losses(a, b)
    mean_a, mean_b = (float(np.average(v, weights=weight)) if v.size else math.nan for v in (a, b))
    return {
        "queries": a.size,
        "mean_a": mean_a,
        "mean_b": mean_b,
        "difference": mean_a - mean_b,
        "interval": statistics.t_interval(a - b, weight, level),
        "t_p": statistics.paired_t(statistics.linearized(a, weight), statistics.linearized(b, weight)),
        "fisher_p": statistics.fisher_randomization(a, b, seed=seed, weight=weight),
        "effect_size": statistics.cohens_d(a, b),
        "wins": wins,
        "ties": ties,
        "losses": losses,
    }


def _linearized_columns(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    return np.column_stack([statistics.linearized(column, weight) for column in values.T])


def _part(weight: FloatArray | None, rows: BoolArray) -> FloatArray | None:
    return None if weight is None else weight[rows]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return finite_or_none(value) if isinstance(value, float) else value
