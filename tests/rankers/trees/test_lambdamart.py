"""LambdaMART: what it accepts, what it learns, and that the same is the same."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import lightgbm as lgb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise import models
from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.rankers import LambdaMART
from rankwise.rankers.trees._objectives import ScaledLambdas, SquaredLoss
from tests.rankers.factories import EVAL_SET, TRAIN, VALID, long_list


def fitted(metric="ndcg@10", data=TRAIN, eval_set=None, fit=None, **parameters):
    parameters = {"n_estimators": 8, "num_leaves": 7, "random_state": 0, "n_jobs": 1, **parameters}
    return LambdaMART(metric, **parameters).fit(data.X, data.y, qid=data.qid, eval_set=eval_set, **(fit or {}))


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


# --- what it accepts ---


def test_labels_may_be_real_many_and_negative() -> None:
    rng = np.random.default_rng(0)
    y = TRAIN.X[:, 0].astype(float) + 0.1 * rng.normal(size=len(TRAIN))  # below 0: not judged
    model = LambdaMART("ndcg[linear]", n_estimators=10, random_state=0, n_jobs=1).fit(TRAIN.X, y, qid=TRAIN.qid)
    assert np.corrcoef(model.predict(VALID.X), VALID.X[:, 0])[0, 1] > 0.8
    many = np.argsort(np.argsort(y)) % 50.0
    assert np.ptp(LambdaMART("pairs", n_estimators=2, n_jobs=1).fit(TRAIN.X, many, qid=TRAIN.qid).predict(VALID.X)) > 0


def test_one_list_of_20000_rows() -> None:
    train, test = long_list(20_000), long_list(5_000, seed=1)
    model = LambdaMART("auc", n_estimators=10, random_state=0, n_jobs=1).fit(train.X, train.y)
    assert model.score(test.X, test.y) > 0.85


def test_queries_of_one_document_are_no_trouble() -> None:
    qid = np.where(np.arange(len(TRAIN)) < 400, np.arange(len(TRAIN)) + 1000, TRAIN.qid)
    assert np.isfinite(LambdaMART(n_estimators=2, n_jobs=1).fit(TRAIN.X, TRAIN.y, qid=qid).predict(VALID.X)).all()


def test_sparse_rows_are_dense_rows() -> None:
    X = np.where(np.abs(TRAIN.X) < 0.7, 0.0, TRAIN.X)
    dense = LambdaMART(n_estimators=5, random_state=0, n_jobs=1).fit(X, TRAIN.y, qid=TRAIN.qid)
    for form in (sp.csr_array, sp.csr_matrix, sp.csc_matrix):
        model = LambdaMART(n_estimators=5, random_state=0, n_jobs=1, early_stopping_rounds=None)
        model.fit(form(X), TRAIN.y, qid=TRAIN.qid, eval_set=(form(VALID.X), VALID.y, VALID.qid))  # type: ignore[arg-type]
        assert np.array_equal(model.predict(form(X)), dense.predict(X))  # type: ignore[arg-type]


def test_tables_of_three_kinds_give_the_same_model_with_names() -> None:
    frame = pd.DataFrame(TRAIN.X, columns=[f"a [b] {{c}}: {k}" for k in range(6)])  # LightGBM refuses such names
    polars = pytest.importorskip("polars")
    for table in (frame, pa.Table.from_pandas(frame), polars.from_pandas(frame)):
        named = LambdaMART(n_estimators=8, num_leaves=7, random_state=0, n_jobs=1).fit(table, TRAIN.y, qid=TRAIN.qid)
        assert list(named.feature_names_in_) == list(frame.columns)
        assert np.array_equal(named.predict(table), fitted().predict(TRAIN.X))
        assert named.explain(table, 0, 1).features == list(frame.columns)
        assert "a [b]" in str(named.explain(table, 0, 1))
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(frame.rename(columns={frame.columns[0]: "other"}))


def test_missing_values_are_learnt() -> None:
    X = TRAIN.X.copy()
    X[:, 0] = np.where(TRAIN.y > 0, np.nan, 1.0)
    model = LambdaMART("auc", n_estimators=3, random_state=0, n_jobs=1).fit(X, TRAIN.y, qid=TRAIN.qid)
    assert model.score(X, TRAIN.y, TRAIN.qid) > 0.99


def test_categories_by_number_by_name_and_by_type() -> None:
    rng = np.random.default_rng(0)
    code = rng.permutation(np.arange(len(TRAIN)) % 8)
    y = np.isin(code, [1, 4, 6]).astype(float)
    frame = pd.DataFrame({"noise": rng.normal(size=len(y)), "kind": pd.Categorical.from_codes(code, list("abcdefgh"))})
    plain = frame.assign(kind=code)
    options: dict[str, Any] = {
        "n_estimators": 1,
        "num_leaves": 2,
        "min_child_samples": 5,
        "random_state": 0,
        "n_jobs": 1,
    }
    models = [
        LambdaMART("auc", **options).fit(frame, y, qid=TRAIN.qid),
        LambdaMART("auc", categorical_feature=["kind"], **options).fit(plain, y, qid=TRAIN.qid),
        LambdaMART("auc", categorical_feature=[1], **options).fit(plain.to_numpy(), y, qid=TRAIN.qid),
    ]
    for one, X in zip(models, (frame, plain, plain.to_numpy()), strict=True):
        assert one.score(X, y, TRAIN.qid) == 1.0  # one split, which a threshold could not make
    shuffled = frame.assign(kind=frame["kind"].cat.reorder_categories(list("hgfedcba")))
    assert np.array_equal(models[0].predict(shuffled), models[0].predict(frame))


@pytest.mark.parametrize("constraints", [[1, 0, 0, 0, 0, 0], {0: 1}])
def test_monotone_constraints_hold(constraints) -> None:
    model = fitted(monotone_constraints=constraints, n_estimators=20)
    X = np.repeat(VALID.X[:50], 9, axis=0)
    X[:, 0] = np.tile(np.linspace(-1, 1, 9), 50)
    assert (np.diff(model.predict(X).reshape(50, 9), axis=1) >= 0).all()


# --- weights, bags, starts ---


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


# --- stopping and errors ---


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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_leaves": 1}, "num_leaves must be a whole number from 2"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"n_estimators": 2.5}, "n_estimators must be a whole number"),
        ({"norm": "other"}, 'norm must be "gap" or None'),
        ({"init": "hinge"}, "init must be .auto., None"),
        ({"init": [1.0]}, "init must be .auto., None"),
        ({"fit": {"init_score": [1.0]}}, "init_score must have one score per row: got 1 for 800"),
        ({"fit": {"init_model": LambdaMART()}}, "init_model must be fitted trees, got LambdaMART, fitted or not"),
        ({"fit": {"init_model": "m.rw"}}, "init_model must be fitted trees, got str"),
        ({"init": "l2", "fit": {"init_score": np.zeros(800)}}, "or from a plain loss, got init='l2' too; leave init"),
        ({"monotone_constraints": [1]}, "one entry per feature, got 1 for 6"),
        ({"monotone_constraints": {"x": 1}}, "the feature 'x', which X does not have"),
        ({"monotone_constraints": {0: 3}}, "must be -1"),
        ({"categorical_feature": [6]}, "from 0 to 5, got 6"),
    ],
)
def test_wrong_parameters_are_named(parameters, message) -> None:
    with pytest.raises(DataError, match=message):
        fitted(**parameters)


def test_wrong_data_is_named() -> None:
    with pytest.raises(MetricError, match="did you mean"):
        fitted("ndgc@10")
    with pytest.raises(ShapeError, match="got 800, 10 and 800"):
        LambdaMART().fit(TRAIN.X, TRAIN.y[:10], qid=TRAIN.qid)
    with pytest.raises(DataError, match="nothing to learn"):
        LambdaMART().fit(TRAIN.X, np.ones(len(TRAIN)), qid=TRAIN.qid)
    with pytest.raises(DataError, match="no query of eval_set has"):
        fitted(eval_set=(VALID.X, np.zeros(len(VALID)), VALID.qid))
    with pytest.raises(DataError, match="eval_set must be"):
        fitted(eval_set={"X": VALID.X})
    with pytest.raises(DataError, match="column 'when' must hold numbers, truth values, texts or"):
        LambdaMART().fit(pd.DataFrame({"when": pd.to_datetime(["2026"] * len(TRAIN))}), TRAIN.y, qid=TRAIN.qid)
    with pytest.raises(DataError, match='init="logloss" needs labels'):
        LambdaMART(init="logloss").fit(TRAIN.X, TRAIN.y + 1, qid=TRAIN.qid)
    with pytest.raises(ShapeError, match="query_weight must have one entry per query: got 3"):
        fitted(fit={"query_weight": [1, 1, 1]})


def test_features_without_information_are_named() -> None:
    for X in (np.ones_like(TRAIN.X), np.arange(len(TRAIN))[:, None] < 5):
        with pytest.raises(DataError, match="no feature splits the 800 rows"):
            LambdaMART(n_jobs=1).fit(X, TRAIN.y, qid=TRAIN.qid)


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
