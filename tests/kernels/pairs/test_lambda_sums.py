"""λ's and Hessians of one ranked list: by gains, by factors and by two sweeps, against a table of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels._compile import specialize
from rankwise.kernels.pairs import _lambda_sums as lambda_sums
from rankwise.kernels.pairs._expansions import plain_terms
from rankwise.kernels.pairs._lambda_loops import level_weights, sweep_weights

N, RNG = 40, np.random.default_rng(0)
CLASSES, SHARE = RNG.integers(0, 4, N).astype(np.int32), RNG.uniform(0.5, 2, N)
LEVELS, HEIGHT = np.sort(RNG.random(4)), np.sort(RNG.random(N))[::-1].copy()


@pytest.mark.parametrize("spread", [1.0, 500.0])
@pytest.mark.parametrize("c", [0.0, 0.01])
def test_all_ways_are_the_definition(c: float, spread: float) -> None:
    scores = np.sort(RNG.normal(size=N) * spread)[::-1].copy()
    gain, gap = LEVELS[CLASSES], scores[:, None] - scores
    delta = np.abs(gain[:, None] - gain) * np.abs(HEIGHT[:, None] - HEIGHT) * SHARE[:, None] * SHARE
    delta /= c + np.abs(gap) if c else 1.0
    better = np.sign(CLASSES[:, None] - CLASSES)
    z = np.exp(-np.abs(gap))
    miss = np.where(better * gap > 0, z, 1.0) / (1.0 + z)
    lambdas, hessians = (better * delta * miss).sum(axis=1), (delta * z / (1 + z) ** 2).sum(axis=1)
    heights, weights = HEIGHT.reshape(1, -1), level_weights(LEVELS)

    by_gain, by_factors, by_sweeps = np.zeros((3, 2, N))
    lambda_sums.all_pairs_by_gain(scores, CLASSES, gain, HEIGHT, c, SHARE, *by_gain)
    lambda_sums.all_pairs(scores, CLASSES, heights, weights, c, SHARE, *by_factors)
    for sums in (by_gain, by_factors):
        np.testing.assert_allclose(sums, (lambdas, hessians), rtol=1e-9, atol=1e-13 * np.abs(lambdas).max())
    if c == 0.0:
        terms = plain_terms()
        sweep = specialize(lambda_sums.sweep, FACTORS=1, CLASSES=4, VECTORS=terms.vectors, BETWEEN=0)
        decays = lambda_sums.decays(scores, terms.slowest)
        for down in (True, False):
            tables = sweep_weights(weights, terms, down)
            sweep(decays, CLASSES, heights, *tables, SHARE, down, *by_sweeps)
        np.testing.assert_allclose(by_sweeps, (lambdas, hessians), atol=1e-7 * np.abs(lambdas).max())
