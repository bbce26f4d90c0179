"""Scores by LightGBM's C interface are those of its `predict`, bit for bit."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
import pytest

from rankwise.rankers.trees._predict import average_scores, is_plain, raw_scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 5))
X[RNG.random(X.shape) < 0.1] = np.nan
X[:, 4] = RNG.integers(0, 9, size=300)


def booster(rounds: int, seed: int = 0) -> Any:
    data = lgb.Dataset(X, RNG.normal(size=300) + np.nan_to_num(X[:, 0]), categorical_feature=[4])
    return lgb.train({"objective": "regression", "verbose": -1, "num_threads": 1, "seed": seed}, data, rounds)


def test_scores_are_those_of_predict() -> None:
    model = booster(12)
    for rows in (X, X[:1], np.full((3, 5), np.nan), np.array([[1e300, -1e300, 5e-324, 0.0, 99.0]])):
        assert raw_scores(model, rows, 1).tolist() == model.predict(rows, raw_score=True).tolist()
    model.best_iteration = 5
    assert raw_scores(model, X, 1).tolist() == model.predict(X, raw_score=True).tolist()
    assert raw_scores(model, X, 1).tolist() != model.predict(X, raw_score=True, num_iteration=12).tolist()


def test_what_does_not_lie_in_memory_as_needed_is_left_to_predict() -> None:
    one, two = booster(4), booster(3, seed=1)
    expected = (one.predict(X, raw_score=True) + two.predict(X, raw_score=True)) / 2
    for given, plain in ((X, True), (np.asfortranarray(X), False), (np.repeat(X, 2, axis=0)[::2], False)):
        assert is_plain(given) == plain
        assert average_scores([one, two], given, 1).tolist() == expected.tolist()
    assert not is_plain(X.astype(np.float32))
    assert not is_plain(X[0])
    leaves = average_scores([one], X, 1, pred_leaf=True)
    assert leaves.shape == (300, 4)


def test_another_number_of_columns_is_an_error() -> None:
    with pytest.raises(lgb.basic.LightGBMError, match="number of features"):
        raw_scores(booster(2), np.ones((2, 4)), 1)
