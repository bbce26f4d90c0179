"""How large the best of many changes is on queries that did not choose it: the best of many is good by chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rankwise.metrics._evaluation import finite_or_none
from rankwise.metrics.comparison._compare import format_p_value
from rankwise.metrics.comparison._statistics import (
    VALUE_ROUNDING,
    fisher_randomization,
    linearized,
    paired_t,
    t_interval,
)
from rankwise.types import FloatArray, JsonObject

FOLDS = 5


@dataclass(frozen=True)
class HeldOutImprovement:
    """The mean over queries of an improvement that was chosen without them, with its interval and two-sided tests.

    Parameters
    ----------
    difference : float
        The mean.
    interval : tuple of float
        By Student's t.
    t_p, fisher_p : float
        p-values of the paired t-test and of Fisher's randomization test.
    """

    difference: float
    interval: tuple[float, float]
    t_p: float
    fisher_p: float

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes; None for a value that is not defined."""
        ends = [finite_or_none(end) for end in self.interval]
        return {name: finite_or_none(value) for name, value in asdict(self).items() if name != "interval"} | {
            "interval": ends
        }

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.difference:+.4f} (interval {low:+.4f} to {high:+.4f}, p {format_p_value(self.fisher_p)})"


def held_out_improvement(
    changes: FloatArray, weight: FloatArray | None, level: float, random_state: int
) -> HeldOutImprovement:
    """Choose the best of some changes on four fifths of the queries, measure it on the others, and so on for all.

    `changes` has a row for each change and a column for each of two or more queries. Where none is an improvement on
    the queries that choose, nothing is changed.
    """
    weights = np.ones(changes.shape[1]) if weight is None else weight
    fold = np.random.default_rng(random_state).permutation(np.arange(changes.shape[1]) % FOLDS)
    held_out = np.zeros(changes.shape[1])
    for number in range(FOLDS):
        inside = fold != number
        means = changes[:, inside] @ weights[inside] / weights[inside].sum()
        best = int(np.argmax(means))
        if means[best] > VALUE_ROUNDING:
            held_out[~inside] = changes[best, ~inside]
    nothing = np.zeros(held_out.size)
    return HeldOutImprovement(
        float(np.average(held_out, weights=weights)),
        t_interval(held_out, weight, level),
        paired_t(linearized(held_out, weight), nothing),
        fisher_randomization(held_out, nothing, random_state=random_state, weight=weight),
    )
