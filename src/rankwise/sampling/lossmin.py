"""LossMin (P4): label the documents that weigh most in the expected hinge rank loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from rankwise.errors import DataError
from rankwise.rankers.saved_values import is_number
from rankwise.sampling.base import Sampler
from rankwise.sampling.pool import Array, Pool, QueryOrder, Rows

__all__ = ["LossMin", "calibrated", "largest_gaps"]


@dataclass(frozen=True)
class LossMin(Sampler):
    """Documents with the largest expected hinge rank loss, normalised on each side of a rank threshold (P4 (7)).

    The threshold lies in the largest gap between neighbouring scores of the query's unlabelled documents; the score
    below it calibrates the posterior. `weight` is P4's λ: above .5, documents that may stand too high count more.
    """

    weight: float = 0.6

    kind: ClassVar[str] = "lossmin"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (is_number(self.weight) and 0 < self.weight < 1):
            raise DataError(f"weight must be between 0 and 1, got {self.weight!r}; P4 has 0.6")

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Array:
        """P4 (7)."""
        order = pool.rising
        below = largest_gaps(order)  # place of the last document below the threshold
        threshold = (below - order.starts + 1.5)[order.query]  # P4 figure 2: θ̄ = i + ½, ranks from 1
        positive = calibrated(order)
        distance = order.ranks - threshold
        r_max = order.sizes[order.query]
        too_low = np.maximum(0.5 - distance, 0) / np.abs(1 - threshold)
        too_high = np.maximum(0.5 + distance, 0) / np.abs(r_max - threshold)
        loss = positive * too_low * (1 - self.weight) + (1 - positive) * too_high * self.weight
        return order.back(loss)


def calibrated(order: QueryOrder) -> Array:
    """P(relevant) at each place: a sigmoid of the score above that below the largest gap (P4 (8), figure 2).

    P4 writes 1/(1 + exp(−y·f + f_θ)), whose values for y = 1 and −1 do not add up to 1; −y·(f − f_θ) is meant.
    """
    return np.asarray(expit(order.scores - order.scores[largest_gaps(order)[order.query]]))


def largest_gaps(order: QueryOrder) -> Rows:
    """For each query the place below its largest gap between neighbouring scores, the lowest of equal ones."""
    gaps = np.full(order.scores.size, -1.0)
    if gaps.size:
        within = order.query[1:] == order.query[:-1]
        gaps[:-1][within] = np.diff(order.scores)[within]
    # The first place that holds its query's maximum.
    largest = np.full(order.sizes.size, -1.0)
    filled = np.flatnonzero(order.sizes)
    if filled.size:
        largest[filled] = np.maximum.reduceat(gaps, order.starts[filled])
    holds = np.flatnonzero(gaps == largest[order.query])
    _, first = np.unique(order.query[holds], return_index=True)
    found = order.starts.copy()
    found[order.query[holds[first]]] = holds[first]
    return found
