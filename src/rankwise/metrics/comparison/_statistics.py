"""Is one system better than another, or was it luck? Tests and intervals over the values of the queries.

All are paired: entry q of `a` and entry q of `b` are the values of two systems on the same query.
The caller drops queries that have no value. Fewer than two queries give NaN, equal systems p = 1. No p-value is 0:
where the t-test would say so, because all queries differ by the same, it is that of the randomization test, 2^(1 − n).

Written here although scipy.stats has most of it, for reasons measured on one core of a shared machine:

- Importing scipy.stats takes 0.5 s beyond `import rankwise.metrics` (0.47 to 0.60 in seven runs), which every printed
  evaluation would wait for, since it shows intervals. Tukey's test alone imports it, when it is called.
- `permutation_test` takes 335 ms for 10,000 samples of 784 queries and 5.3 s of 10,000 queries, ours 5 and 94 ms.
- `bootstrap` takes 16 ms for 2,000 samples of 784 values and, with weights, 33 ms; ours 14 and 21 ms.
- `ttest_rel` knows no weights (see `linearized`), and gives NaN for equal systems.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray

VALUE_ROUNDING = 1e-12
"""Two values of a metric nearer to each other than this are the same value computed in another order."""

MAX_ENUMERATED_SIGNS = 14
"""Up to this many non-zero differences all sign patterns are tried: about as many as are drawn otherwise."""

MIN_SCALED_WEIGHT = 1e-290
"""What a weight counts at least beside one of about 1: too little to be seen, but not nothing."""

BLOCK_NUMBERS = 2_000_000
"""Random numbers drawn at a time, so that memory does not grow with the number of samples."""


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided p-value of the paired t-test: t = √n · mean(d) / sd(d), d = a − b, n − 1 degrees of freedom.

    >>> round(paired_t([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.8, 0.4]), 4)
    0.0917
    """
    n, mean, deviation = _moments(a, b)
    if n < 2:
        return math.nan
    if deviation <= VALUE_ROUNDING:
        return 1.0 if abs(mean) <= VALUE_ROUNDING else _least_p(n)
    return max(float(2 * special.stdtr(n - 1, -abs(mean / (deviation / math.sqrt(n))))), sys.float_info.min)


def fisher_randomization(
    a: ArrayLike, b: ArrayLike, samples: int = 10_000, random_state: int = 0, weight: ArrayLike | None = None
) -> float:
    """Two-sided p-value of Fisher's randomization test: how often random signs of d = a − b reach |Σ d|.

    If the systems are alike, each query could as well have had its two values exchanged. Up to 14 non-zero
    differences are enumerated and p is exact; else p = (hits + 1) / (samples + 1).
    With weights, d is w·(a − b).

    >>> fisher_randomization([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.8, 0.4])
    0.25
    """
    difference = _differences(a, b)
    if difference.size < 2:
        return math.nan
    if weight is not None:
        difference = difference * scaled_weights(np.asarray(weight, dtype=np.float64))
    difference = difference[difference != 0]
    # Sums of the same numbers in another order differ by rounding, and must count as equal.
    reached = abs(float(difference.sum())) - VALUE_ROUNDING * float(np.abs(difference).sum())
    if difference.size <= MAX_ENUMERATED_SIGNS:
        return float(np.mean(np.abs(_signed_sums(difference)) >= reached))
    # Eight signs are one random byte, which looks up the sum of eight signed differences.
    padded = np.pad(difference, (0, -difference.size % 8))
    tables = np.stack([_signed_sums(eight) for eight in padded.reshape(-1, 8)])
    first = np.arange(len(tables)) * 256
    rng = np.random.default_rng(random_state)
    hits = 0
    for count in blocks(samples, len(tables)):
        signs = rng.integers(256, size=(count, len(tables)), dtype=np.uint8)
        hits += int(np.count_nonzero(np.abs(tables.take(signs + first).sum(axis=1)) >= reached))
    return (hits + 1) / (samples + 1)


def tukey_hsd(values: ArrayLike) -> FloatArray:
    """p-values of all pairs of systems at once by Tukey's honestly significant difference.

    `values` has a row per query and a column per system. The queries are blocks (Carterette 2012): the noise is
    the residual of value = query effect + system effect, s² = SS_residual / ((n − 1)(m − 1)), and
    |mean_i − mean_j| / (s / √n) follows the studentized range of m systems. A test for independent samples
    (`scipy.stats.tukey_hsd`, ranx) counts the spread between queries as noise and finds almost nothing.
    For two systems this is the paired t-test.

    >>> tukey_hsd([[0.5, 0.4], [0.7, 0.5], [0.9, 0.8], [0.4, 0.4]]).round(4)
    array([[1.    , 0.0917], [0.0917, 1.    ]])
    """
    from scipy.stats import studentized_range  # not above: scipy.stats takes half a second to import

    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ShapeError(f"values must be queries × 2 or more systems, got shape {table.shape}; stack columns")
    n, m = table.shape
    if n < 2:
        return np.full((m, m), math.nan)
    table = table / _power_of_two(table)
    means = table.mean(axis=0)
    residual = table - table.mean(axis=1, keepdims=True) - (means - means.mean())
    freedom = (n - 1) * (m - 1)
    noise = math.sqrt(float(np.sum(residual**2)) / freedom)
    gap = np.abs(means[:, None] - means[None, :])
    if noise <= VALUE_ROUNDING:
        return np.where(gap <= VALUE_ROUNDING, 1.0, _least_p(n))
    p = np.ones((m, m))
    i, j = np.triu_indices(m, 1)
    tails = studentized_range.sf(gap[i, j] / (noise / math.sqrt(n)), m, freedom)
    p[i, j] = p[j, i] = np.clip(tails, sys.float_info.min, 1.0)
    return p


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's correction for several tests: the k-th smallest of m p-values times m − k + 1, never falling.

    A test that was not possible (NaN) stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    corrected = np.full(p.shape, math.nan)
    defined = np.flatnonzero(~np.isnan(p))
    ascending = defined[np.argsort(p[defined], kind="stable")]
    factors = np.arange(defined.size, 0, -1)
    corrected[ascending] = np.minimum(np.maximum.accumulate(p[ascending] * factors), 1.0)
    return corrected


def cohens_d(a: ArrayLike, b: ArrayLike) -> float:
    """Effect size of a paired difference: mean(d) / sd(d), d = a − b; infinite if d is constant, but not 0.

    >>> round(cohens_d([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.8, 0.4]), 3)
    1.225
    """
    _, mean, deviation = _moments(a, b)
    if deviation <= VALUE_ROUNDING:
        return 0.0 if abs(mean) <= VALUE_ROUNDING else math.copysign(math.inf, mean)
    return mean / deviation


def wins_ties_losses(a: ArrayLike, b: ArrayLike, tolerance: float = VALUE_ROUNDING) -> tuple[int, int, int]:
    """Number of queries on which `a` is better than, equal to and worse than `b`.

    >>> wins_ties_losses([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 1.0, 0.4])
    (2, 1, 1)
    """
    difference = _differences(a, b, tolerance)
    wins, losses = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    return wins, difference.size - wins - losses, losses


def t_interval(values: ArrayLike, weight: ArrayLike | None = None, level: float = 0.95) -> tuple[float, float]:
    """Interval of the (weighted) mean by Student's t: mean ± t · sd / √n.

    >>> low, high = t_interval([0.4, 0.6, 0.5, 0.5])
    >>> round(low, 3), round(high, 3)
    (0.37, 0.63)
    """
    check_level(level)
    terms = linearized(values, weight)
    if terms.size < 2:
        return math.nan, math.nan
    unit = _power_of_two(terms)
    terms = terms / unit
    mean = float(terms.mean())
    half = float(special.stdtrit(terms.size - 1, (1 + level) / 2)) * float(terms.std(ddof=1)) / math.sqrt(terms.size)
    return (mean - half) * unit, (mean + half) * unit


def bootstrap_interval(
    values: ArrayLike,
    weight: ArrayLike | None = None,
    level: float = 0.95,
    samples: int = 2000,
    random_state: int = 0,
) -> tuple[float, float]:
    """Percentile interval of the (weighted) mean Σ w·v / Σ w over queries drawn with replacement.

    >>> low, high = bootstrap_interval([0.4, 0.6, 0.5, 0.5])
    >>> round(low, 3), round(high, 3)
    (0.425, 0.575)
    """
    check_level(level)
    value, w = _weighted(values, weight)
    n = value.size
    if n < 2:
        return math.nan, math.nan
    equal = bool((w == w[0]).all())
    rng = np.random.default_rng(random_state)
    means = []
    for count in blocks(samples, n):
        drawn = rng.integers(n, size=(count, n), dtype=np.uint32)
        if equal:
            means.append(value.take(drawn).mean(axis=1))
        else:
            means.append((value * w).take(drawn).sum(axis=1) / w.take(drawn).sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def linearized(values: ArrayLike, weight: ArrayLike | None = None) -> FloatArray:
    """Values whose plain mean and standard error are those of the weighted mean m: m + n·w·(v − m) / Σ w.

    This is how the tests for plain means serve weighted ones. Queries of weight 0 are dropped.

    >>> linearized([0.0, 1.0], weight=[1.0, 3.0])
    array([0.375, 1.125])
    """
    value, w = _weighted(values, weight)
    if weight is None or value.size == 0:
        return value
    mean = np.average(value, weights=w, axis=0)
    return np.asarray(mean + value.size * w * (value - mean) / w.sum())


def _weighted(values: ArrayLike, weight: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    value = np.asarray(values, dtype=np.float64)
    w = np.ones(value.shape) if weight is None else np.asarray(weight, dtype=np.float64)
    if value.shape != w.shape:
        raise ShapeError(f"weight must have one entry per value, got {w.shape} for {value.shape}; pass equal lengths")
    counted = w > 0
    return value[counted], w[counted] if weight is None else scaled_weights(w[counted])


def scaled_weights(weights: FloatArray) -> FloatArray:
    """Weights in the same proportions, of which the greatest is about 1, so that no sum of them overflows or vanishes.

    >>> scaled_weights(np.array([1e300, 5e299]))
    array([0.74..., 0.37...])
    """
    if weights.size == 0:
        return weights
    exponent = int(np.frexp(weights.max())[1])
    # A power of two, so that ordinary weights give the same bits; in two steps, as 2^1074 is no number.
    scaled = np.ldexp(np.ldexp(weights, -(exponent // 2)), -(exponent - exponent // 2))
    return np.where(weights > 0, np.maximum(scaled, MIN_SCALED_WEIGHT), 0.0)


def _power_of_two(values: FloatArray) -> float:
    """1, or for values above it a power of two that is no less: squares of what is divided by it are numbers."""
    largest = float(np.abs(values).max(initial=0.0))
    return 1.0 if largest <= 1.0 else math.ldexp(1.0, min(math.frexp(largest)[1], 1023))


def _least_p(n: int) -> float:
    """The least p-value that exchanging the values of n queries can give."""
    return max(math.ldexp(1.0, 1 - min(n, 1000)), sys.float_info.min)


def _differences(a: ArrayLike, b: ArrayLike, tolerance: float = VALUE_ROUNDING) -> FloatArray:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ShapeError(
            f"a and b must hold one value per query each, got shapes {first.shape} and {second.shape}; "
            "pass the values of the same queries"
        )
    difference = first - second
    unit = _power_of_two(np.append(first, second))
    return np.where(np.abs(difference) <= tolerance * unit, 0.0, difference)


def _moments(a: ArrayLike, b: ArrayLike) -> tuple[int, float, float]:
    """Number, mean and standard deviation of the differences, over a power of two; NaN for fewer than two."""
    difference = _differences(a, b)
    difference = difference / _power_of_two(difference)
    if difference.size < 2:
        return difference.size, math.nan, math.nan
    return difference.size, float(difference.mean()), float(difference.std(ddof=1))


def _signed_sums(values: FloatArray) -> FloatArray:
    """All 2^k sums of k values with either sign."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def format_p_value(p: float) -> str:
    """A p-value as it is printed: never 0, which no finite number of queries can show."""
    if math.isnan(p):
        return "–"
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def blocks(samples: int, numbers_per_sample: int) -> Iterator[int]:
    """Sizes that add up to `samples`, each of at most `BLOCK_NUMBERS` random numbers."""
    if samples < 1:
        raise DataError(f"samples must be 1 or more, got {samples}; pass a whole number such as 2000")
    block = max(1, BLOCK_NUMBERS // numbers_per_sample)
    for done in range(0, samples, block):
        yield min(block, samples - done)


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise DataError(f"level must lie between 0 and 1, got {level!r}; pass 0.95 for a 95% interval")
