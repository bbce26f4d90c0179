"""LambdaMART that starts from a plain loss, from scores, or from trees."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
import pytest

from rankwise.errors import DataError
from rankwise.rankers import LambdaMART
from tests.rankers.factories import EVAL_SET, TRAIN, VALID, long_list
from tests.rankers.trees.factories import fitted


@pytest.mark.parametrize("init", ["logloss", "l2"])
def test_a_plain_start_is_never_left_for_worse(init) -> None:
    data, valid = long_list(2000), long_list(1000, seed=1)
    model = LambdaMART("auc", init=init, n_estimators=15, random_state=0, n_jobs=1)
    model.fit(data.X, data.y, eval_set=(valid.X, valid.y))
    history = model.evals_result_["valid_0"]["auc"]
    assert model.best_score_ == max(history) > 0.85
    assert model.best_iteration_ == 1 + history.index(max(history))


def test_a_fitted_model_is_continued() -> None:
    first = fitted(n_estimators=5)
    second = fitted(fit={"init_model": first}, n_estimators=5)
    assert second.boosters_[0].num_trees() == 10
    assert np.array_equal(list(second.staged_predict(VALID.X))[4], first.predict(VALID.X))
    for init in ("auto", None):
        again = fitted(fit={"init_model": first.boosters_[0]}, init=init, n_estimators=5)
        assert np.array_equal(again.predict(VALID.X), second.predict(VALID.X))
    theirs = lgb.LGBMRegressor(n_estimators=3, verbose=-1).fit(TRAIN.X, TRAIN.y)
    assert fitted(fit={"init_model": theirs}, n_estimators=5).boosters_[0].num_trees() == 8


def test_an_init_score_is_added_to() -> None:
    scores = TRAIN.y * 100.0  # nothing is left to learn
    model = fitted(fit={"init_score": scores})
    assert np.abs(model.predict(TRAIN.X)).max() < 1e-3
    with pytest.raises(DataError, match="eval_set=\\(X, y, qid, scores\\)"):
        fitted(fit={"init_score": scores}, eval_set=EVAL_SET)
    perfect = fitted(fit={"init_score": scores}, eval_set=(*EVAL_SET, VALID.y))
    assert perfect.best_score_ == pytest.approx(1.0)


def test_one_list_that_starts_from_scores_or_trees_turns_to_the_metric_at_once() -> None:
    data = long_list(500)
    model = LambdaMART("auc", n_estimators=3, random_state=0, n_jobs=1)
    assert model.fit(data.X, data.y).boosters_[0].num_trees() == 6
    assert model.fit(data.X, data.y, init_score=np.zeros(500)).boosters_[0].num_trees() == 3
    first = model.fit(data.X, data.y).boosters_[0]
    assert model.fit(data.X, data.y, init_model=first).boosters_[0].num_trees() == 9


def test_a_model_on_top_of_scores_is_continued_on_top_of_them() -> None:
    scores = np.random.default_rng(0).normal(size=len(TRAIN))
    first = fitted(fit={"init_score": scores}, n_estimators=3)
    second = fitted(fit={"init_score": scores, "init_model": first}, n_estimators=3)
    total = fitted(fit={"init_score": scores + first.predict(TRAIN.X)}, n_estimators=3, learning_rate=0.1 * 0.2)
    assert np.allclose(second.predict(VALID.X), first.predict(VALID.X) + total.predict(VALID.X))


def test_one_list_of_two_kinds_starts_from_the_log_loss() -> None:
    data = long_list(400)
    fit: dict[str, Any] = {"n_estimators": 5, "random_state": 0}
    auto, plain, zero = (LambdaMART("auc", init=init, **fit).fit(data.X, data.y) for init in ("auto", "logloss", None))
    assert np.array_equal(auto.predict(data.X), plain.predict(data.X))
    assert not np.array_equal(auto.predict(data.X), zero.predict(data.X))
    assert (auto.max_rounds(data.y), zero.max_rounds(data.y)) == (10, 5)
    auto, zero = (
        LambdaMART("ndcg@5", init=init, **fit).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid) for init in ("auto", None)
    )
    assert np.array_equal(auto.predict(TRAIN.X), zero.predict(TRAIN.X))
