"""LossMin (Donmez 2009): label the documents that weigh most in the expected hinge rank loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise._validation import is_finite_number
from rankwise.errors import DataError
from rankwise.kernels._threads import by_queries
from rankwise.kernels.sorting import _rising_lists as rising_lists
from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool, QueryOrder
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class LossMin(Sampler):
    """Documents with the largest expected hinge rank loss, normalized on each side of a rank threshold.

    The loss is that of Donmez (2009), equation (7).

    The threshold lies in the largest gap between neighbouring scores of the query's unlabelled documents; the score
    below it calibrates the posterior.

    Parameters
    ----------
    trade_off : float, default=0.6
        The λ of Donmez (2009), between 0 and 1: above .5, documents that may stand too high count more.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).

    References
    ----------
    Donmez & Carbonell (2009). Active sampling for rank learning via optimizing the area under the ROC curve. ECIR.
    """

    trade_off: float = 0.6

    kind: ClassVar[str] = "lossmin"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (is_finite_number(self.trade_off) and 0 < self.trade_off < 1):
            raise DataError(f"trade_off must be between 0 and 1, got {self.trade_off!r}; Donmez (2009) has 0.6")

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """Donmez 2009 (7)."""
        order = pool.ascending
        losses, below, positive = np.empty(order.rows.size), largest_gaps(order), relevance_chances(order)
        by_queries(
            lambda low, high: rising_lists.expected_rank_losses(
                order.ranks, positive, order.offsets, below, self.trade_off, low, high, losses
            ),
            order.offsets,
        )
        return order.by_candidate(losses)


def relevance_chances(order: QueryOrder) -> FloatArray:
    """P(relevant) at each place: a sigmoid of the score above that below the largest gap (Donmez 2009 (8), figure 2).

    Donmez 2009 writes 1/(1 + exp(−y·f + f_θ)), whose values for y = 1 and −1 do not add up to 1; −y·(f − f_θ) is meant.
    """
    chances, below = np.empty(order.rows.size), largest_gaps(order)
    by_queries(
        lambda low, high: rising_lists.posteriors(order.scores, order.offsets, below, low, high, chances),
        order.offsets,
    )
    return chances


def largest_gaps(order: QueryOrder) -> IntArray:
    """For each query the place below its largest gap between neighbouring scores, the lowest of equal ones."""
    below = np.empty(order.offsets.size - 1, dtype=np.int64)
    by_queries(
        lambda low, high: rising_lists.largest_gaps(order.scores, order.offsets, low, high, below), order.offsets
    )
    return below
