"""What many directions gain together, on queries that did not weigh them: the best of many is good by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from rankwise.metrics._evaluation import finite_or_none
from rankwise.metrics.comparison._statistics import (
    VALUE_ROUNDING,
    fisher_randomization,
    format_p_value,
    linearized,
    paired_t,
    t_interval,
)
from rankwise.types import FloatArray, JsonObject

MIN_QUERIES = 4  # to weigh directions by one half and test them on the other


@dataclass(frozen=True)
class HeldOutImprovement:
    """The mean over queries of an improvement that was found without them, with its interval and two-sided tests.

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
    changes: FloatArray,
    weight: FloatArray | None,
    along_mean: Callable[[FloatArray], FloatArray],
    level: float,
    random_state: int,
) -> HeldOutImprovement:
    """Follow the mean of some directions, weighted by gains on half of the queries; measure it on the other half.

    `changes` has those of each direction, step and query (four or more). `along_mean` follows the mean of all
    directions by these weights, and gives the change at each step of each query. Where no step of it is an improvement
    on the queries that weigh, nothing is changed. Both halves in turn would tell more, but their results depend on each
    other, and noise would be called improvement three times as often as the interval says.
    """
    n_queries = changes.shape[2]
    weights = np.ones(n_queries) if weight is None else weight
    inside = np.random.default_rng(random_state).permutation(np.arange(n_queries) % 2 == 0)
    share = weights[inside] / weights[inside].sum()
    followed = along_mean(_gains(changes[:, :, inside] @ share))
    means = followed[:, inside] @ share
    best = int(np.argmax(means))
    held_out = followed[best, ~inside] * (means[best] > VALUE_ROUNDING)
    others, nothing = None if weight is None else weight[~inside], np.zeros(held_out.size)
    return HeldOutImprovement(
        float(np.average(held_out, weights=others)),
        t_interval(held_out, others, level),
        paired_t(linearized(held_out, others), nothing),
        fisher_randomization(held_out, nothing, random_state=random_state, weight=others),
    )


def _gains(means: FloatArray) -> FloatArray:
    """What each direction gains above the others, all steps counting alike."""
    apart = means - means.mean(axis=0)
    deviation = means.std(axis=0)
    moves = deviation > VALUE_ROUNDING
    return np.asarray((apart[:, moves] / deviation[moves]).sum(axis=1))
