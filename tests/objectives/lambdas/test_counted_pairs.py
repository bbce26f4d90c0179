"""λ's of pairs that count alike, by a bounded cost: against all pairs by definition, in any method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.metrics import parse
from rankwise.metrics.catalogue._auc import GRADED_SHARE
from rankwise.objectives import LambdaObjective


def pair_weights(name, y):
    """What each pair weighs, the better document first."""
    better = y[:, None] > y[None, :]
    pairs = better / max(better.sum(), 1)
    if name == "pairs":
        return pairs
    relevant = (y > 0)[:, None] & (y <= 0)[None, :]
    return GRADED_SHARE * pairs + (1 - GRADED_SHARE) * relevant / max(relevant.sum(), 1)


def by_definition(name, y, scores, weight, sigma):
    """Gradient of Σ w (1 − 1/(1 + e^{−σ(s_i − s_j)})), and half its size."""
    chance = 1.0 / (1.0 + np.exp(sigma * (scores[:, None] - scores[None, :])))
    push = pair_weights(name, y) * weight[:, None] * weight[None, :] * chance * (1.0 - chance)
    gradient = sigma * (push.sum(axis=0) - push.sum(axis=1))
    return gradient, 0.5 * sigma**2 * (push.sum(axis=0) + push.sum(axis=1))


@pytest.mark.parametrize("method", ["exact", "linear"])
@pytest.mark.parametrize("name", ["auc", "pairs"])
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), grades=st.integers(2, 5), sigma=st.sampled_from([0.5, 1.0]))
def test_they_are_those_of_all_pairs(name, method, seed, n, grades, sigma) -> None:
    rng = np.random.default_rng(seed)
    y, scores, weight = rng.integers(0, grades, n).astype(float), 3 * rng.normal(size=n), rng.random(n)
    objective = LambdaObjective(
        parse(name).for_training(2), y, method=method, norm="gap", sigma=sigma, sample_weight=weight
    )
    expected = by_definition(name, y, scores, weight, sigma)
    if name == "auc" and not 0 < np.sum(y > 0) < n:
        expected = (np.zeros(n), np.zeros(n))
    for found, by_pairs in zip(objective.gradients(scores), expected, strict=True):
        assert np.allclose(found, by_pairs, rtol=1e-6, atol=1e-9)


def test_the_gradient_is_the_slope_of_the_cost() -> None:
    rng = np.random.default_rng(0)
    y, scores = np.array([2.0, 0, 1, 0, 2]), rng.normal(size=5)

    def cost(at):
        return np.sum(pair_weights("pairs", y) * (1 - 1 / (1 + np.exp(-(at[:, None] - at[None, :])))))

    gradient = LambdaObjective(parse("pairs").for_training(2), y).gradients(scores)[0]
    step = 1e-6 * np.eye(5)
    assert np.allclose(gradient, [(cost(scores + d) - cost(scores - d)) / 2e-6 for d in step], atol=1e-8)


def test_one_long_list_takes_two_threads() -> None:
    rng = np.random.default_rng(0)
    y, scores = (rng.random(120_000) < 0.1).astype(float), rng.normal(size=120_000)
    gradient, _ = LambdaObjective(parse("auc").for_training(2), y).gradients(scores)
    chosen = rng.choice(y.size, 5, replace=False)
    chance = 1.0 / (1.0 + np.exp(scores[chosen, None] - scores[None, :]))
    sign = np.sign(y[chosen, None] - y[None, :])
    expected = -(sign * chance * (1 - chance)).sum(axis=1) / (np.sum(y) * np.sum(1 - y))
    assert np.allclose(gradient[chosen], expected, rtol=1e-6)


def test_few_rows_are_learned_from_by_pairs_that_count_alike() -> None:
    for name in ("ndcg@10", "err@10", "pairs"):
        assert parse(name).for_training(1000) == parse("pairs").for_training(2)
    for name in ("map", "mrr", "p@5", "r@10", "wta", "bpref", "auc"):
        assert parse(name).for_training(1000) == parse("auc").for_training(2)
    assert parse("ndcg@10").for_training() == parse("ndcg@10").for_training(10**6) == parse("ndcg@30")
    assert parse("mrr").for_training(10**6) == parse("map")
    assert parse("r@p=0.9").for_training(1000) == parse("r@p=0.9")
