"""LossMin (Donmez 2009): label the documents that weigh most in the expected hinge rank loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise._validation import is_finite_number
from rankwise.errors import DataError
from rankwise.kernels._threads import by_queries
from rankwise.kernels.sorting import _rising_lists as rising_lists
from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool, QueryOrder
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class LossMin(Sampler):
    """Documents with the largest expected hinge rank loss, normalized on each side of a rank threshold.

    The loss is that of Donmez (2009), equation (7).

    The threshold lies in the largest gap between neighbouring scores of the query's unlabelled documents; the score
    below it calibrates the posterior. Where labels have more than two grades there are as many thresholds as borders
    between grades, in the largest gaps, and the losses add up: each threshold asks whether the grade is above a border.

    Parameters
    ----------
    trade_off : float, default=0.6
        The λ of Donmez (2009), between 0 and 1: above .5, documents that may stand too high count more.
    thresholds : int, default=None
        Thresholds per query, at most one in each gap; None for one less than the labels so far have grades.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).

    References
    ----------
    Donmez & Carbonell (2009). Active sampling for rank learning via optimizing the area under the ROC curve. ECIR.
    """

    trade_off: float = 0.6
    thresholds: int | None = None

    kind: ClassVar[str] = "lossmin"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (is_finite_number(self.trade_off) and 0 < self.trade_off < 1):
            raise DataError(f"trade_off must be between 0 and 1, got {self.trade_off!r}; Donmez (2009) has 0.6")
        if self.thresholds is not None:
            check_count("thresholds", self.thresholds, 1, example=1)

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """Donmez 2009 (7), added up over the thresholds."""
        order = pool.ascending
        count = self.thresholds or max(1, np.unique(pool.y[pool.labelled]).size - 1)
        losses = np.zeros(order.rows.size)
        for below in largest_gaps(order, count):
            self._add_losses(order, below, losses)
        return losses

    def _add_losses(self, order: QueryOrder, below: IntArray, losses: FloatArray) -> None:
        by_queries(
            lambda low, high: rising_lists.add_expected_rank_losses(
                order.scores, order.rows, order.offsets, below, self.trade_off, low, high, losses
            ),
            order.offsets,
        )


def relevance_chances(order: QueryOrder) -> FloatArray:
    """P(relevant) at each place: a sigmoid of the score above that below the largest gap (Donmez 2009 (8), figure 2).

    Donmez 2009 writes 1/(1 + exp(−y·f + f_θ)), whose values for y = 1 and −1 do not add up to 1; −y·(f − f_θ) is meant.
    """
    (below,) = largest_gaps(order)
    chances = np.empty(order.rows.size)
    by_queries(
        lambda low, high: rising_lists.posteriors(order.scores, order.offsets, below, low, high, chances),
        order.offsets,
    )
    return chances


def largest_gaps(order: QueryOrder, count: int = 1) -> IntArray:
    """For each query (by column) the places below its largest gaps between neighbouring scores, one gap per row.

    Of equal gaps the lowest comes first. A query without so many has −1 in the rows beyond; its only document is below
    a gap of its own.
    """
    n_gaps = int(np.diff(order.offsets).max(initial=1)) - 1
    below = np.empty((min(count, max(n_gaps, 1)), order.offsets.size - 1), dtype=np.int64)
    by_queries(
        lambda low, high: rising_lists.largest_gaps(order.scores, order.offsets, low, high, below), order.offsets
    )
    return below
