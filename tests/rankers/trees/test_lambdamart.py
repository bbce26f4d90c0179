"""LambdaMART: what it learns, and that the same is the same."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise import models
from rankwise.errors import DataError
from rankwise.rankers import LambdaMART
from rankwise.rankers.trees._objectives import ScaledLambdas, SquaredLoss
from tests.rankers.factories import EVAL_SET, TRAIN, VALID, long_list
from tests.rankers.trees.factories import fitted


@pytest.fixture(scope="module")
def model():
    return fitted(eval_set=EVAL_SET)


@pytest.mark.parametrize("metric", ["ndcg@10", "auc", "map"])
def test_learns_every_metric_from_few_rounds(metric) -> None:
    before = rw.evaluate(VALID.y, np.zeros(len(VALID)), VALID.qid, metric)[metric]
    assert fitted(metric, n_estimators=20).score(VALID.X, VALID.y, VALID.qid) > before + 0.1


def test_learns_real_data(shared_data) -> None:
    *parts, valid = (rw.read(shared_data / "MQ2008" / f"S{k}.txt") for k in (1, 2, 3, 4))
    train = rw.RankingData(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid")))  # type: ignore[arg-type]
    model = fitted(data=train, eval_set=(valid.X, valid.y, valid.qid), n_estimators=50)
    single = [rw.evaluate(valid.y, valid.X[:, feature], valid.qid, "ndcg@10")["ndcg@10"] for feature in range(46)]
    # Two of the 46 features are tuned retrieval models that rank this small fold better than 50 trees do.
    assert model.best_score_ > sorted(single)[-3] + 0.02


def test_score_is_the_metric_and_weighs_queries(model) -> None:
    scores = model.predict(VALID.X)
    assert model.score(VALID.X, VALID.y, VALID.qid) == rw.evaluate(VALID.y, scores, VALID.qid, "ndcg@10")["ndcg@10"]
    weight = np.where(VALID.qid == VALID.qid[0], 1.0, 0.0)
    first = VALID.rows(weight > 0)
    assert model.score(VALID.X, VALID.y, VALID.qid, weight) == pytest.approx(model.score(first))


def test_stops_on_the_metric_itself_and_keeps_the_best_rounds() -> None:
    model = fitted(
        eval_set=[EVAL_SET, (TRAIN.X, TRAIN.y, TRAIN.qid)], n_estimators=200, early_stopping_rounds=5, learning_rate=0.5
    )
    history = model.evals_result_["valid_0"]["ndcg@10"]
    assert len(history) == model.best_iteration_ + 5 < 200
    assert model.best_score_ == max(history) == history[model.best_iteration_ - 1]
    assert model.best_score_ == model.score(VALID.X, VALID.y, VALID.qid)
    assert len(model.evals_result_["valid_1"]["ndcg@10"]) == len(history)


def test_without_stopping_all_rounds_are_kept() -> None:
    assert fitted(eval_set=EVAL_SET, early_stopping_rounds=None, learning_rate=1.0).best_iteration_ == 8


def test_staged_scores_are_those_that_were_judged(model) -> None:
    stages = list(model.staged_predict(VALID.X))
    assert len(stages) == model.best_iteration_
    assert np.array_equal(stages[-1], model.predict(VALID.X))
    values = [rw.evaluate(VALID.y, scores, VALID.qid, "ndcg@10")["ndcg@10"] for scores in stages]
    assert values == model.evals_result_["valid_0"]["ndcg@10"][: len(stages)]


def test_callbacks_see_every_round() -> None:
    seen = []
    model = fitted(eval_set=EVAL_SET, fit={"callbacks": [lambda *args: seen.append(args)]}, init="l2", bags=2)
    assert model.max_rounds(TRAIN.y, TRAIN.qid) == 32
    assert [number for number, _ in seen] == list(range(1, 33))
    assert seen[0][1] == {"ndcg@10": model.evals_result_["bag_0.valid_0"]["ndcg@10"][0]}


# --- weights and bags ---


def test_a_query_of_weight_zero_teaches_nothing() -> None:
    heavy = np.unique(TRAIN.qid)[:20]
    weight = np.isin(np.unique(TRAIN.qid), heavy).astype(float)
    rows = np.isin(TRAIN.qid, heavy)
    scrambled = np.where(rows, TRAIN.y, np.random.default_rng(0).permutation(TRAIN.y))
    by_query = LambdaMART(n_estimators=5, random_state=0, n_jobs=1).fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid, query_weight=weight
    )
    by_row = LambdaMART(n_estimators=5, random_state=0, n_jobs=1).fit(
        TRAIN.X, scrambled, qid=TRAIN.qid, sample_weight=rows.astype(float)
    )
    assert np.allclose(by_query.predict(VALID.X), by_row.predict(VALID.X))


def test_all_weights_doubled_change_nothing() -> None:
    doubled = fitted(fit={"sample_weight": np.full(len(TRAIN), 2.0)})
    assert np.allclose(doubled.predict(VALID.X), fitted().predict(VALID.X), atol=1e-6)


def test_bags_differ_and_are_averaged() -> None:
    model = fitted(bags=3)
    parts = [booster.predict(VALID.X) for booster in model.boosters_]
    assert np.allclose(model.predict(VALID.X), np.mean(parts, axis=0))
    assert not np.allclose(parts[0], parts[1])
    *_, last = model.staged_predict(VALID.X)
    assert np.array_equal(last, model.predict(VALID.X))


def test_bags_of_one_list_draw_its_rows() -> None:
    data = long_list(500)
    model = LambdaMART("auc", bags=2, n_estimators=3, random_state=0, n_jobs=1).fit(data.X, data.y)
    assert not np.allclose(*(booster.predict(data.X) for booster in model.boosters_))  # type: ignore[arg-type]


def test_each_round_samples_queries() -> None:
    assert not np.allclose(fitted(query_subsample=0.5).predict(VALID.X), fitted().predict(VALID.X))
    with pytest.raises(DataError, match="got one list"):
        LambdaMART("auc", query_subsample=0.5).fit(TRAIN.X, TRAIN.y)


def test_lambdas_have_one_scale_for_all_metrics() -> None:
    for name in ("auc", "ndcg@10", "map"):
        lambdas = ScaledLambdas(
            rw.parse(name),
            TRAIN.y,
            TRAIN.qid,
            None,
            norm=None,
            sigma=2.0,
            tie_keys=np.arange(TRAIN.y.size, dtype=float),
        )
        lambdas.set_global_sums([lambdas.sums])
        assert lambdas.gradients(np.zeros(len(TRAIN)))[1].mean() == pytest.approx(0.25)


# --- the same is the same ---


def test_same_seed_same_model_on_any_number_of_threads() -> None:
    options: dict[str, Any] = {"colsample_bytree": 0.5, "query_subsample": 0.7, "bags": 2}
    scores = [fitted(n_jobs=jobs, **options).predict(VALID.X) for jobs in (None, 1, 2)]
    assert np.array_equal(scores[0], scores[1])
    assert np.array_equal(scores[0], scores[2])
    assert not np.array_equal(scores[0], fitted(random_state=1, **options).predict(VALID.X))


def test_two_threads_train_what_each_trains_alone() -> None:
    def train(seed):
        labels = TRAIN.y * (1 + 9 * seed)  # gains that would show if they were shared, as they are in LightGBM
        return LambdaMART("ndcg@5" if seed else "map", n_estimators=15, random_state=seed, n_jobs=1).fit(
            TRAIN.X, labels, qid=TRAIN.qid, eval_set=EVAL_SET
        )

    alone = [train(seed).predict(VALID.X) for seed in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        together = [model.predict(VALID.X) for model in pool.map(train, [0, 1] * 3)]
    assert all(np.array_equal(alone[k % 2], scores) for k, scores in enumerate(together))


def test_labels_in_sorted_order_do_not_leak() -> None:
    """The first ranking has all scores equal: it must not be the order of the labels, best first or last."""
    scores = []
    for sign in (1, -1, 0):
        order = np.lexsort((sign * TRAIN.y, TRAIN.qid)) if sign else np.random.default_rng(0).permutation(len(TRAIN))
        scores.append(fitted(data=TRAIN.rows(order), n_estimators=20).score(VALID.X, VALID.y, VALID.qid))
    assert np.ptp(scores) < 0.03
    y = np.tile(np.sort(TRAIN.y[:20])[::-1], 500)
    gradient, _ = rw.lambda_gradients("ndcg@5", y, np.zeros(y.size), np.repeat(np.arange(500), 20))
    # Documents of one grade stand in for each other, whatever their place in the file.
    by_place = gradient.reshape(500, 20)[:, y[:20] == 0]
    spread, error = np.ptp(by_place.mean(axis=0)), by_place.std() / np.sqrt(500)
    assert spread < 6 * error


# --- stopping ---


def test_a_model_without_trees_says_so(caplog) -> None:
    with caplog.at_level(logging.WARNING):
        assert not fitted(min_sum_hessian_in_leaf=1e6).best_iteration_
    assert "no tree helped" in caplog.text


def test_interruption_keeps_the_best_rounds(caplog) -> None:
    def interrupt(number, _) -> None:
        if number == 5:
            raise KeyboardInterrupt

    with caplog.at_level(logging.WARNING):
        model = fitted(eval_set=EVAL_SET, fit={"callbacks": [interrupt]}, early_stopping_rounds=None)
    assert model.interrupted_
    assert "interrupted" in caplog.text
    history = model.evals_result_["valid_0"]["ndcg@10"]
    assert len(history) == 5
    assert model.best_iteration_ == 1 + history.index(max(history))
    bagged = fitted(bags=2, fit={"callbacks": [lambda number, _: interrupt(number - 8, None)]})
    assert len(bagged.boosters_) == 1
    assert not fitted().interrupted_


def test_no_split_worth_making_gives_equal_scores(tmp_path) -> None:
    model = fitted(min_sum_hessian_in_leaf=1e9, eval_set=EVAL_SET)
    assert (model.predict(VALID.X) == 0.0).all()
    assert list(model.staged_predict(VALID.X)) == []
    assert model.feature_importances_.sum() == 0.0
    models.save(model, tmp_path / "m.rw")
    assert (models.load(tmp_path / "m.rw").predict(VALID.X) == 0.0).all()


def test_a_round_leaves_the_weights_of_plain_losses_alone() -> None:
    loss = SquaredLoss(TRAIN.y, None)
    loss.gradients(np.zeros(len(TRAIN)))[1][:] = 0.0
    assert loss.gradients(np.zeros(len(TRAIN)))[1].all()
