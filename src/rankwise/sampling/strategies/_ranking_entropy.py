"""RankingEntropy (Rajaram et al. 2007): label the documents that take part in most bipartite ranking errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._threads import by_queries
from rankwise.kernels.sorting import _rising_lists as rising_lists
from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.sampling.strategies._lossmin import relevance_chances
from rankwise.types import FloatArray


@dataclass(frozen=True)
class RankingEntropy(Sampler):
    """Documents with the largest expected bipartite ranking error: relevant below irrelevant ones, or the reverse.

    With P(relevant) = p, as LossMin calibrates it, document i is expected to be in p_i Σ_above (1 − p_j) +
    (1 − p_i) Σ_below p_j wrong pairs. Sums over a sorted list need one pass, where all pairs need n².

    Parameters
    ----------
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).

    References
    ----------
    Rajaram, Dagli, Petrovic & Huang (2007). Diverse active ranking for multimedia search. CVPR Workshops.
    """

    kind: ClassVar[str] = "entropy"

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The expected number of wrong pairs; a pair of equal scores is half wrong."""
        order = pool.ascending
        chances = relevance_chances(order)
        relevant, others = np.zeros((2, chances.size + 1))
        np.cumsum(chances, out=relevant[1:])
        np.cumsum(1 - chances, out=others[1:])
        pairs = np.empty(chances.size)
        by_queries(
            lambda low, high: rising_lists.expected_wrong_pairs(
                order.scores, order.rows, order.offsets, chances, relevant, others, low, high, pairs
            ),
            order.offsets,
        )
        return pairs
