"""What `local_optimum` gives back: a metric along random directions, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.analysis._held_out import HeldOutImprovement
from rankwise.metrics._evaluation import format_table
from rankwise.metrics.certification._certify import lower_bound, share_interval
from rankwise.metrics.comparison._statistics import VALUE_ROUNDING
from rankwise.types import BoolArray, FloatArray, JsonObject


@dataclass(frozen=True, eq=False)
class LocalOptimum:
    """A metric of a model, and of models in random directions from it; `print` shows a table and what follows.

    Parameters
    ----------
    metric : str
        What was evaluated.
    value : float
        Of the model itself.
    parameters : str
        What was moved, and how many numbers that are.
    n_queries : int
        Queries that enter the mean.
    steps : ndarray of shape (n_steps,)
        How far scores were moved, as a share of their spread within queries.
    values : ndarray of shape (n_directions, n_steps)
        The metric at each step along each direction.
    held_out : HeldOutImprovement or None
        What the mean of all directions, weighted by gains on half of the queries, improves on the other half, with its
        interval and tests; None where there are fewer than four queries.
    confidence : float, default=0.95
        Of the intervals.

    Examples
    --------
    >>> optimum = LocalOptimum("auc", 0.9, "2 weights", 20, np.array([0.1]), np.array([[0.85], [0.9], [0.89]]), None)
    >>> print(optimum)
    auc 0.9000 on 20 queries, along 3 random directions of 2 weights
    step  improving  mean change  largest change
    0.1   0          -0.0200      +0.0000
    none of 3 directions improves auc: with 95% confidence fewer than 63.2% of all directions do
    """

    metric: str
    value: float
    parameters: str
    n_queries: int
    steps: FloatArray
    values: FloatArray
    held_out: HeldOutImprovement | None
    confidence: float = 0.95

    @property
    def changes(self) -> FloatArray:
        """By how much each step along each direction changes the metric; 0 for what may be rounding."""
        changes = self.values - self.value
        return np.where(np.abs(changes) <= VALUE_ROUNDING, 0.0, changes)

    @property
    def improving(self) -> BoolArray:
        """Whether each direction improves the metric at any step."""
        return np.asarray((self.changes > 0.0).any(axis=1))

    @property
    def interval(self) -> tuple[float, float]:
        """In which the share of improving directions among all lies with the confidence."""
        improving, tried = int(self.improving.sum()), len(self.values)
        if improving == 0:  # all of the doubt is on one side: 1 − δ^(1/n)
            return 0.0, 1.0 - lower_bound(tried, tried, self.confidence)
        return share_interval(improving, tried, self.confidence)

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            The counts and the interval, each step, the largest improvement, and all values.
        """
        return {
            "metric": self.metric,
            "value": self.value,
            "parameters": self.parameters,
            "queries": self.n_queries,
            "directions": len(self.values),
            "improving": int(self.improving.sum()),
            "interval": list(self.interval),
            "confidence": self.confidence,
            "steps": [
                {"step": step, "improving": improving, "mean_change": mean, "largest_change": largest}
                for step, improving, mean, largest in self._by_step()
            ],
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
            "values": self.values.tolist(),
        }

    def step_table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the table that is printed.

        Returns
        -------
        tuple
            The header, and a row for each step.
        """
        rows: list[tuple[str, ...]] = [
            (f"{step:g}", f"{improving:,}", f"{mean:+.4f}", f"{largest:+.4f}")
            for step, improving, mean, largest in self._by_step()
        ]
        return ("step", "improving", "mean change", "largest change"), rows

    def statements(self) -> list[str]:
        """Return what follows, in sentences.

        Returns
        -------
        list of str
            On the share of directions that improve the metric, and on what they improve together.
        """
        improving, tried = int(self.improving.sum()), len(self.values)
        low, high = self.interval
        sure = f"with {self.confidence:.0%} confidence"
        if improving == 0:
            share = f"fewer than {high:.1%} of all directions do"
            return [f"none of {tried:,} directions improves {self.metric}: {sure} {share}"]
        share = f"{low:.1%} to {high:.1%} of all directions do"
        lines = [f"{improving:,} of {tried:,} directions improve {self.metric}: {sure} {share}"]
        lines.append(f"the largest improvement along one of them is {self.changes.max():+.4f}")
        if self.held_out is None:
            return [*lines, "there are too few queries to tell improvements from noise between them"]
        noise = "more than" if self.held_out.interval[0] > 0.0 else "no more than"
        how = "along their mean, weighted by what each gains on half of the queries,"
        return [*lines, f"{how} the other half changes by {self.held_out}: {noise} noise between queries"]

    def __str__(self) -> str:
        header, rows = self.step_table()
        first = f"{self.metric} {self.value:.4f} on {self.n_queries:,} queries"
        along = f"along {len(self.values):,} random directions of {self.parameters}"
        return "\n".join([f"{first}, {along}", format_table([header, *rows]), *self.statements()])

    # A notebook shows the table too, not arrays of hundreds of values.
    __repr__ = __str__

    def _by_step(self) -> list[tuple[float, int, float, float]]:
        """Each step: directions that improve the metric there, mean and largest change."""
        return [
            (float(step), int((change > 0.0).sum()), float(change.mean()), float(change.max()))
            for step, change in zip(self.steps, self.changes.T, strict=True)
        ]
