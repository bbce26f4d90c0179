"""RankNet's λ's and cost of one ranked list, against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels.pairs import _ranknet as ranknet
from rankwise.kernels.pairs._expansions import plain_terms
from rankwise.kernels.pairs._lambda_costs import log_terms


def test_pairs_and_sweeps_are_the_definition() -> None:
    rng = np.random.default_rng(0)
    scores = np.sort(rng.normal(size=40) * 3)[::-1].copy()
    scores[5:9] = scores[5]
    classes, share = rng.integers(0, 4, 40), rng.uniform(0.5, 2, 40)
    better = classes[:, None] > classes
    gap, weight = scores[:, None] - scores, share[:, None] * share * better
    push = weight / (1 + np.exp(gap))
    lambdas, cost = push.sum(axis=1) - push.sum(axis=0), (weight * np.logaddexp(0, -gap)).sum()
    by_pairs, by_sweeps = np.zeros((2, 40))
    assert ranknet.ranknet_pairs(scores, classes, share, by_pairs) == pytest.approx(cost, rel=1e-12)
    np.testing.assert_allclose(by_pairs, lambdas, atol=1e-12)
    terms = (4, share, plain_terms().right, log_terms())
    assert ranknet.ranknet_sweep(scores, classes, *terms, True, by_sweeps) == pytest.approx(cost, rel=1e-8)
    ranknet.ranknet_sweep(scores, classes, *terms, False, by_sweeps)
    np.testing.assert_allclose(by_sweeps, lambdas, atol=1e-7)
