"""What `trade_off` gives back: two metrics of models that were trained on mixtures of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankwise.metrics._evaluation import finite_or_none, format_table
from rankwise.metrics.comparison._compare import Comparison, PairTest
from rankwise.metrics.comparison._statistics import VALUE_ROUNDING, format_p_value
from rankwise.types import FloatArray, JsonObject


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Two metrics, and the models that were trained on each and on sums of them; `print` shows a table.

    Parameters
    ----------
    metrics : tuple of str
        The two metrics.
    weights : tuple of float
        The weight of the first in what each model was trained on, from 1 down to 0; that of the second is the rest.
    comparison : Comparison
        All models on the test data by both metrics, each under the name of what it was trained on.
    scores : dict of str to ndarray
        What each model gives the test data.
    models : list of Ranker
        The fitted models, in the order of the weights.
    notes : tuple of str, default=()
        What a reader of the values should know.
    """

    metrics: tuple[str, str]
    weights: tuple[float, ...]
    comparison: Comparison
    scores: dict[str, FloatArray]
    models: Sequence[Any]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """What each model was trained on."""
        return list(self.scores)

    @property
    def means(self) -> list[tuple[float, float]]:
        """The values of both metrics, by weight."""
        first, second = self.metrics
        return [(evaluation[first], evaluation[second]) for evaluation in self.comparison.evaluations.values()]

    @property
    def on_front(self) -> list[bool]:
        """Whether no other model is better on one metric and at least as good on the other, by weight."""
        return [not any(_dominates(other, mean) for other in self.means) for mean in self.means]

    def difference(self, name: str, end: str, metric: str) -> PairTest | None:
        """Return the paired difference of one model and another over the queries of the test data.

        Parameters
        ----------
        name : str
            What the one was trained on.
        end : str
            What the other was trained on, such as one of `metrics`.
        metric : str
            What both are evaluated by.

        Returns
        -------
        PairTest or None
            The first less the second; None for a model and itself, or where there is one query.
        """
        for test in self.comparison.tests:
            if test.metric == metric and {test.a, test.b} == {name, end} and name != end:
                return test if test.a == name else _reversed(test)
        return None

    def to_dict(self) -> JsonObject:
        """Return all of it but the models in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            A point for each weight, with values, intervals and the differences to both ends.
        """
        return {
            "metrics": list(self.metrics),
            "level": self.comparison.level,
            "points": [
                {
                    "weight": weight,
                    "trained_on": name,
                    "on_front": on_front,
                    "values": {metric: self._value(name, metric) for metric in self.metrics},
                    "differences": {
                        end: {metric: self._plain_difference(name, end, metric) for metric in self.metrics}
                        for end in self.metrics
                    },
                }
                for weight, name, on_front in zip(self.weights, self.names, self.on_front, strict=True)
            ],
            "notes": list(self.notes),
        }

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the table that is printed.

        Returns
        -------
        tuple
            The header, and a row for each weight.
        """
        first, second = self.metrics
        columns = [(metric, "interval", f"− trained on {metric}", "p") for metric in self.metrics]
        header = (f"weight of {first}", *columns[0], *columns[1], "front")
        rows = []
        for weight, name, on_front in zip(self.weights, self.names, self.on_front, strict=True):
            cells = [cell for metric in (first, second) for cell in self._cells(name, metric)]
            rows.append((f"{weight:g}", *cells, "yes" if on_front else ""))
        return header, rows

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([format_table([header, *rows]), *(f"note: {note}" for note in self.notes)])

    # A notebook shows the table too, not arrays of thousands of scores.
    __repr__ = __str__

    def _cells(self, name: str, metric: str) -> tuple[str, str, str, str]:
        """Value, interval, and the difference to the model that was trained on this metric alone."""
        evaluation = self.comparison.evaluations[name]
        low, high = evaluation.interval(metric, self.comparison.level)
        test = self.difference(name, metric, metric)
        return (
            f"{evaluation[metric]:.4f}",
            f"{low:.4f}–{high:.4f}" if low <= high else "–",
            "" if test is None else f"{test.difference:+.4f}",
            "" if test is None else format_p_value(test.fisher_p),
        )

    def _value(self, name: str, metric: str) -> JsonObject:
        evaluation = self.comparison.evaluations[name]
        ends = evaluation.interval(metric, self.comparison.level)
        return {"mean": finite_or_none(evaluation[metric]), "interval": [finite_or_none(end) for end in ends]}

    def _plain_difference(self, name: str, end: str, metric: str) -> JsonObject | None:
        test = self.difference(name, end, metric)
        if test is None:
            return None
        keys = ("difference", "interval", "t_p", "fisher_p", "wins", "ties", "losses")
        return {key: value for key, value in test.to_dict().items() if key in keys}


def _dominates(other: tuple[float, float], mean: tuple[float, float]) -> bool:
    no_worse = all(theirs >= ours - VALUE_ROUNDING for theirs, ours in zip(other, mean, strict=True))
    return no_worse and any(theirs > ours + VALUE_ROUNDING for theirs, ours in zip(other, mean, strict=True))


def _reversed(test: PairTest) -> PairTest:
    """The same test seen from the other model."""
    low, high = test.interval
    return replace(
        test,
        a=test.b,
        b=test.a,
        mean_a=test.mean_b,
        mean_b=test.mean_a,
        difference=-test.difference,
        interval=(-high, -low),
        effect_size=-test.effect_size,
        wins=test.losses,
        losses=test.wins,
    )
