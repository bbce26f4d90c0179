"""Capped weights: what a block weighs, and soft margins against a linear program."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from rankwise.kernels.pairs import _capped_weights as kernels

RNG = np.random.default_rng(0)


def test_both_sides_of_a_block_weigh_its_share_and_no_row_more_than_its_cap() -> None:
    f, weight, u = RNG.normal(size=20) * 4, RNG.uniform(0.5, 2, 20), np.empty(20)
    starts, middles, stops, shares = np.array([0]), np.array([12]), np.array([20]), np.array([0.7])
    scratch, blocks = np.empty(20), np.array([0, 1])
    kernels.capped_weights(f, 2.0, weight, starts, middles, stops, shares, 3.0, blocks, 0, 1, scratch, u)
    for rows, sign in ((slice(0, 12), -1), (slice(12, 20), 1)):
        np.testing.assert_allclose(u[rows].sum(), sign * 0.7, rtol=1e-12)
        assert (sign * u[rows] <= 0.7 * 3.0 * weight[rows] / weight[rows].sum() * (1 + 1e-12)).all()
        below_cap = sign * u[rows] < 0.7 * 3.0 * weight[rows] / weight[rows].sum() * (1 - 1e-9)
        factors = u[rows][below_cap] / weight[rows][below_cap] * np.exp(sign * 2.0 * f[rows][below_cap])
        np.testing.assert_allclose(factors, factors[0], rtol=1e-9)  # below the cap weights are exponential


def test_soft_margins_are_the_worst_that_capped_weights_leave() -> None:
    f, weight = RNG.normal(size=15), RNG.uniform(0.5, 2, 15)
    starts, middles, stops, nu = np.array([0]), np.array([8]), np.array([15]), 0.4
    value, margin, right = np.empty(1), np.empty(1), np.empty(1)
    kernels.soft_margins(f, weight, starts, middles, stops, nu, 0, 1, value, margin, right)
    lowest = 0.0
    for rows, sign in ((slice(0, 8), -1.0), (slice(8, 15), 1.0)):
        caps = weight[rows] / (nu * weight[rows].sum())
        lowest += linprog(sign * f[rows], A_eq=np.ones((1, caps.size)), b_eq=[1.0], bounds=[(0, c) for c in caps]).fun  # type: ignore[operator]
    np.testing.assert_allclose(value[0], lowest / 2, rtol=1e-9)
    far = f[8:, None] - f[:8] >= 2 * margin[0]
    pairs = weight[8:, None] * weight[:8]
    np.testing.assert_allclose(right[0], pairs[far].sum() / pairs.sum(), rtol=1e-9)
