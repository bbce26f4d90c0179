"""Split noise: trees are grown on noisy gradients, and their leaves have the values of the true ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankwise.data._row_hashes import bell_hashes
from rankwise.metrics import parse
from rankwise.rankers import LambdaMART
from rankwise.rankers.trees._objectives import ScaledLambdas
from rankwise.rankers.trees._split_noise import LeafRows
from tests.rankers.factories import EVAL_SET, TRAIN, VALID

OPTIONS: dict[str, Any] = {"n_estimators": 6, "num_leaves": 7, "random_state": 0, "n_jobs": 1, "learning_rate": 0.2}


def true_steps(model):
    """Leaf values of each tree by its rows' own gradients: −rate · ΣG / (ΣH + λ)."""
    objective = ScaledLambdas(
        parse("pairs").for_training(2), TRAIN.y, TRAIN.qid, None, norm=None, sigma=1.0, tie_keys=np.arange(800.0)
    )
    objective.set_global_sums([objective.sums])
    booster, scores = model.boosters_[0], np.zeros(len(TRAIN))
    leaves = booster.predict(TRAIN.X, pred_leaf=True).astype(int)
    for number in range(booster.num_trees()):
        gradient, hessian = objective.gradients(scores)
        tree = leaves[:, number]
        sums = [np.bincount(tree, numbers) for numbers in (gradient, hessian)]
        steps = -0.2 * sums[0] / (sums[1] + model.reg_lambda)
        yield [booster.get_leaf_output(number, leaf) for leaf in range(steps.size)], steps
        scores += steps[tree]


@pytest.mark.parametrize("parameters", [{"split_noise": 2.0}, {"grow_policy": "symmetric", "split_noise": 2.0}])
def test_leaves_have_the_values_of_true_gradients(parameters) -> None:
    model = LambdaMART("pairs", **(OPTIONS | parameters)).fit(TRAIN)
    for found, expected in true_steps(model):
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("parameters", [{}, {"grow_policy": "symmetric"}])
def test_the_noise_is_in_the_splits_and_another_one_for_each_seed(parameters) -> None:
    def scores(noise, seed):
        options = OPTIONS | parameters | {"random_state": seed}
        return LambdaMART("ndcg@10", split_noise=noise, **options).fit(TRAIN, eval_set=EVAL_SET).predict(VALID)

    assert np.array_equal(scores(0.0, 0), scores(0.0, 1))
    assert not np.array_equal(scores(1.0, 0), scores(0.0, 0))
    assert not np.array_equal(scores(1.0, 0), scores(1.0, 1))


def test_what_was_evaluated_is_what_predict_gives() -> None:
    model = LambdaMART("ndcg@10", split_noise=1.0, early_stopping_rounds=None, **OPTIONS).fit(TRAIN, eval_set=EVAL_SET)
    assert model.evals_result_["valid_0"]["ndcg@10"][-1] == model.best_score_ == model.score(VALID)


def test_leaves_of_the_same_value_count_as_one() -> None:
    leaves = LeafRows(np.array([0.5, -1.0, 0.5 + 1e-13, 2.0]))
    assert leaves.place_of_leaf.tolist() == [1, 0, 1, 2]
    before = np.array([10.0, 10.0, -3.0, 0.0])
    assert leaves.places(before, before + np.array([0.5, 2.0, -1.0, 0.5])).tolist() == [1, 2, 0, 1]


def test_draws_are_of_mean_0_and_variance_1() -> None:
    keys = np.random.default_rng(0).integers(2**63, size=100_000).astype(np.uint64)
    draws = bell_hashes(keys, 7)
    assert abs(draws.mean()) < 0.02
    assert abs(draws.var() - 1.0) < 0.02
    assert np.abs(draws).max() <= 2 * 3**0.5
    assert abs(np.corrcoef(draws, bell_hashes(keys, 8))[0, 1]) < 0.02
