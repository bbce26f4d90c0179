"""The variance of AUCs of one list, and of their differences: DeLong's method by ranks.

With R the rank of a row among all rows and R' that among the rows of its own class (the higher the score, the higher
the rank; equal scores share their middle rank), a positive stands above the share (R − R') / n of the n negatives, and
a negative below the share 1 − (R − R') / m of the m positives. AUC is the mean of either, and its covariance with the
AUC of another system is that of the shares of positives by m and of negatives by n. Ranks make that O(n log n), where
DeLong's sums over pairs are O(m·n).

References
----------
DeLong, DeLong & Clarke-Pearson (1988). Comparing the areas under two or more correlated receiver operating
characteristic curves: a nonparametric approach. Biometrics 44.

Sun & Xu (2014). Fast implementation of DeLong's algorithm. IEEE Signal Processing Letters 21.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from rankwise.metrics.comparison._statistics import VALUE_ROUNDING, check_level
from rankwise.types import BoolArray, FloatArray


def auc_covariance(positive: BoolArray, systems: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """AUC of each system on the same rows, and the covariance of these AUCs; NaN with fewer than two rows of a class.

    >>> aucs, covariance = auc_covariance(np.array([True, False, True, False]), [np.array([4.0, 3.0, 2.0, 1.0])])
    >>> aucs, covariance
    (array([0.75]), array([[0.125]]))
    """
    m, n = int(np.count_nonzero(positive)), int(np.count_nonzero(~positive))
    if min(m, n) < 2:
        return np.full(len(systems), math.nan), np.full((len(systems), len(systems)), math.nan)
    above, below = [], []
    for scores in systems:
        ranks = _midranks(scores)
        above.append((ranks[positive] - _midranks(scores[positive])) / n)
        below.append(1.0 - (ranks[~positive] - _midranks(scores[~positive])) / m)
    covariance = np.atleast_2d(np.cov(above)) / m + np.atleast_2d(np.cov(below)) / n
    return np.mean(above, axis=1), covariance


def normal_interval(value: float, error: float, level: float) -> tuple[float, float]:
    """`value` ± z · standard error; NaN without a spread, for which a normal distribution has no answer.

    >>> low, high = normal_interval(0.5, 0.1, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.304, 0.696)
    """
    check_level(level)
    if not error > VALUE_ROUNDING:
        return math.nan, math.nan
    half = float(special.ndtri((1 + level) / 2)) * error
    return value - half, value + half


def normal_p_value(difference: float, error: float) -> float:
    """Two-sided p-value of a difference with that standard error; equal systems have p = 1.

    >>> round(normal_p_value(0.196, 0.1), 3)
    0.05
    """
    if math.isnan(error):
        return math.nan
    if error <= VALUE_ROUNDING:
        return 1.0 if abs(difference) <= VALUE_ROUNDING else 0.0
    return float(2 * special.ndtr(-abs(difference) / error))


def _midranks(scores: FloatArray) -> FloatArray:
    """Ranks from 1 on, by rising score; equal scores share the middle of theirs."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2.0
    return np.asarray(middle[place], dtype=np.float64)
