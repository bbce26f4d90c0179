"""Costs of one ranked list in one pass, against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels.pairs import _lambda_costs as costs
from rankwise.kernels.pairs._lambda_loops import level_weights

RNG = np.random.default_rng(0)
N = 40
SCORES = np.sort(RNG.normal(size=N) * 3)[::-1].copy()
SCORES[5:9] = SCORES[5]
CLASSES, SHARE = RNG.integers(0, 4, N), RNG.uniform(0.5, 2, N)


def test_the_logarithm_by_powers() -> None:
    z, logs = np.linspace(0, 1, 500), costs.log_terms()
    np.testing.assert_allclose(np.vander(z, logs.size + 1, increasing=True)[:, 1:] @ logs, np.log1p(z), atol=1e-9)
    assert costs.pair_cost(-800.0) == 800.0
    assert costs.pair_cost(1.0) == pytest.approx(np.log1p(np.exp(-1.0)))
    powers = np.empty(7)
    costs.set_powers(0.3, powers)
    np.testing.assert_allclose(powers, 0.3 ** np.arange(1, 8), rtol=1e-12)


def test_pairs_and_sweep_are_the_definition() -> None:
    levels, height = np.sort(RNG.random(4)), np.sort(RNG.random(N))[::-1].copy()
    gains = levels[CLASSES]
    i, j = np.triu_indices(N, 1)
    better = np.sign(CLASSES[i] - CLASSES[j])
    weight = np.abs(gains[i] - gains[j]) * (height[i] - height[j]) * SHARE[i] * SHARE[j]
    expected = (np.abs(better) * weight * np.logaddexp(0, -better * (SCORES[i] - SCORES[j]))).sum()
    by_pairs = costs.weighted_pairs(SCORES, CLASSES, gains, height, SHARE)
    by_sweep = costs.weighted_sweep(
        SCORES, CLASSES, height.reshape(1, -1), level_weights(levels), SHARE, costs.log_terms()
    )
    assert by_pairs == pytest.approx(expected, rel=1e-12)
    assert by_sweep == pytest.approx(expected, rel=1e-8)
