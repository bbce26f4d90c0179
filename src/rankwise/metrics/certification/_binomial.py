"""Exact bounds for shares: k of n independent rows have a property, so what may its chance be?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from rankwise.types import FloatArray


def tail(hits: ArrayLike, trials: ArrayLike, share: float) -> FloatArray:
    """P(Binomial(trials, share) ≥ hits): the p-value of "the chance is below `share`" where hits were seen.

    Counts need not be whole, which is how one asks for the number of rows that would suffice.

    >>> tail([3, 2, 0], [3, 3, 0], 0.5)
    array([0.125, 0.5  , 1.   ])
    """
    k, n = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    return np.where(k > 0, special.betainc(np.maximum(k, 1e-300), n - k + 1, share), 1.0)


def lower_bound(hits: int, trials: int, confidence: float) -> float:
    """The chance is at least this, with the confidence (Clopper & Pearson 1934, one-sided).

    >>> round(lower_bound(59, 59, 0.95), 4)  # the rule of three: 59 hits without a miss prove 0.95
    0.9505
    """
    return float(special.betaincinv(hits, trials - hits + 1, 1 - confidence)) if hits else 0.0


def share_interval(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """The two-sided interval of Clopper & Pearson.

    >>> low, high = share_interval(8, 10, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.444, 0.975)
    """
    one_sided = (1 + confidence) / 2
    return lower_bound(hits, trials, one_sided), 1.0 - lower_bound(trials - hits, trials, one_sided)
