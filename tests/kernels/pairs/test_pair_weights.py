"""Weights of documents from the factors of pairs' weights, against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels.pairs import _pair_weights as kernels


@pytest.mark.parametrize("shift", [0.0, 1e4, -1e4])
def test_weights_are_sums_over_pairs(shift: float) -> None:
    """Two queries by rising grade: the first of three grades, the second of two."""
    rng = np.random.default_rng(0)
    f, weight = rng.normal(size=12) * 3, rng.uniform(0.5, 2, 12)
    runs, queries = np.array([0, 2, 5, 7, 10, 12]), np.array([0, 3, 5])
    grade, query = np.array([0, 0, 1, 1, 1, 2, 2, 0, 0, 0, 1, 1]), np.repeat([0, 1], [7, 5])
    as_better, as_worse, u = np.empty((3, 12))
    log_better, log_worse, log_sum = np.empty(5), np.empty(5), np.empty(2)
    out = (as_better, as_worse, log_better, log_worse)
    kernels.factor_sums(f + shift, weight, runs, queries, 0, 2, *out, log_sum)
    kernels.pair_weights(*out, 0.0, runs, 0, 5, u)
    pair = (query[:, None] == query) & (grade[:, None] > grade)
    table = np.where(pair, weight[:, None] * weight * np.exp(-(f[:, None] - f)), 0.0)
    np.testing.assert_allclose(u, table.sum(axis=1) - table.sum(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(log_sum), [table[query == q].sum() for q in (0, 1)], rtol=1e-9)
