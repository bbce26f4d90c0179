"""RankingEntropy (Rajaram et al. 2007): label the documents that take part in most bipartite ranking errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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
        p = relevance_chances(order)
        first, last = order.tie_bounds
        relevant, others = (np.append(0.0, np.cumsum(chance)) for chance in (p, 1 - p))
        starts, ends = order.offsets[:-1][order.query], order.offsets[1:][order.query]
        below = relevant[first] - relevant[starts]
        above = others[ends] - others[last + 1]
        tied = 0.5 * (p * (others[last + 1] - others[first]) + (1 - p) * (relevant[last + 1] - relevant[first]))
        tied -= p * (1 - p)  # a document makes no pair with itself
        return order.by_candidate(p * above + (1 - p) * below + tied)
