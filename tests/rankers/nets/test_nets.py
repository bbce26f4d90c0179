"""LambdaRank and RankNet: what they learn, from what, and what they refuse."""

from __future__ import annotations

import logging
from typing import Any, Never

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch

import rankwise as rw
from rankwise.data import RankingData, polynomial
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, RankwiseError, ShapeError
from rankwise.rankers import LambdaRank, RankNet
from rankwise.rankers._features import training_rows
from rankwise.rankers.nets import _training as net_training
from tests.rankers.factories import EVAL_SET, TRAIN, VALID, long_list
from tests.rankers.nets.factories import KINDS, SMALL, fitted


@pytest.mark.slow
@pytest.mark.parametrize("cls", KINDS)
@pytest.mark.parametrize("options", [
    {"hidden": ()}, {"hidden": (10,)}, {"hidden": (16, 8), "dropout": 0.1, "activation": "tanh"},
    {"optimizer": "burges2006", "learning_rate": 0.002},
    {"optimizer": "burges2006", "learning_rate": 0.002, "hidden": (), "batch_queries": None},
])  # fmt: skip
def test_nets_learn(cls, options) -> None:
    model = fitted(cls, **{"epochs": 30, "early_stopping_rounds": None, **options})
    before = rw.evaluate(VALID.y, VALID.X[:, 0], VALID.qid, "ndcg@10")["ndcg@10"]
    assert model.score(VALID.X, VALID.y, VALID.qid) > 0.7 > before + 0.1


@pytest.mark.slow
def test_each_descends_its_own_cost() -> None:
    """RankNet gets pairs right, LambdaRank the top: on data that a linear net cannot fit, both cannot be had."""
    data = polynomial(queries=150, documents=50, features=10, seed=5)
    options: dict[str, Any] = {"hidden": (), "epochs": 30, "random_state": 0, "learning_rate": 0.03}
    found = {
        cls.__name__: rw.evaluate(
            data.y, cls("ndcg@1", **options).fit(data.X, data.y, qid=data.qid).predict(data.X), data.qid, "ndcg@1 pairs"
        )
        for cls in KINDS
    }
    assert found["LambdaRank"]["ndcg@1"] > found["RankNet"]["ndcg@1"]
    assert found["LambdaRank"]["pairs"] < found["RankNet"]["pairs"]


@pytest.mark.parametrize("metric", ["auc", "map", "mauc", "ndcg[linear]@5"])
def test_any_metric(metric) -> None:
    model = fitted(metric=metric)
    assert model.best_score_ == model.score(VALID.X, VALID.y, VALID.qid)
    assert list(model.evals_result_["valid_0"]) == [metric]


@pytest.mark.parametrize("cls", KINDS)
def test_the_best_epoch_is_kept(cls) -> None:
    seen = []
    model = fitted(cls, epochs=30, early_stopping_rounds=3, learning_rate=0.1,
                   callbacks=[lambda number, values: seen.append((number, values["ndcg@10"]))])  # fmt: skip
    history = model.evals_result_["valid_0"]["ndcg@10"]
    assert seen == list(enumerate(history, start=1))
    assert model.best_iteration_ == 1 + int(np.argmax(history)) < len(history)
    assert len(history) == model.best_iteration_ + 3 < 30
    assert model.best_score_ == max(history) == model.score(VALID.X, VALID.y, VALID.qid)
    assert (model.max_rounds(TRAIN.y), model.interrupted_, model.n_features_in_) == (30, False, 6)


def test_without_eval_set_the_last_epoch_is_kept() -> None:
    model = fitted(judged=False)
    assert (model.best_iteration_, model.best_score_, model.evals_result_) == (8, None, {})


@pytest.mark.parametrize("cls", KINDS)
def test_the_same_seed_is_the_same_net(cls) -> None:
    state = torch.random.get_rng_state()
    first, again, other = (fitted(cls, random_state=seed, dropout=0.2) for seed in (0, 0, 1))
    assert torch.equal(state, torch.random.get_rng_state())  # the caller's random numbers go on as they were
    assert np.array_equal(first.predict(VALID.X), again.predict(VALID.X))
    assert not np.array_equal(first.predict(VALID.X), other.predict(VALID.X))


def test_rows_and_weights_come_in_any_order() -> None:
    order, weight = np.random.default_rng(0).permutation(800), np.arange(1.0, 801.0)
    by_query = np.arange(1.0, 41.0)
    first_seen = TRAIN.qid[order][np.sort(np.unique(TRAIN.qid[order], return_index=True)[1])]
    one = LambdaRank(**SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, sample_weight=weight, query_weight=by_query)
    other = LambdaRank(**SMALL).fit(
        TRAIN.X[order], TRAIN.y[order], qid=TRAIN.qid[order], sample_weight=weight[order],
        query_weight=by_query[first_seen],
    )  # fmt: skip
    assert np.array_equal(one.predict(VALID.X), other.predict(VALID.X))


def test_sparse_features_are_filled_in() -> None:
    X = np.where(TRAIN.X > 0, TRAIN.X, 0.0)
    dense, sparse = (LambdaRank(**SMALL).fit(each, TRAIN.y, qid=TRAIN.qid) for each in (X, sp.csr_array(X)))
    assert np.array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))


def test_long_lists_go_through_in_pieces(monkeypatch) -> None:
    data = long_list(3_000)

    def scores(dropout: float) -> np.ndarray:
        return LambdaRank("auc", epochs=3, dropout=dropout, random_state=0).fit(data.X, data.y).predict(data.X)

    whole = scores(0.0)
    monkeypatch.setattr(net_training, "PIECE_ROWS", 500)
    kept, dropped = scores(0.0), scores(0.5)
    assert kept == pytest.approx(whole, abs=1e-4)
    monkeypatch.setattr(
        net_training, "MAX_GRAPH_SIZE", 20_000
    )  # some pieces keep their graph, the others go through again
    assert np.array_equal(scores(0.0), kept)
    assert np.array_equal(scores(0.5), dropped)


def test_weights_of_queries_and_rows() -> None:
    """A query of weight 0 might as well have other labels."""
    y = TRAIN.y.copy()
    y[:400] = y[:400][::-1]
    queries, rows = np.repeat([0.0, 1.0], 20), np.repeat([0.0, 1.0], 400)
    for weights in ({"query_weight": queries}, {"sample_weight": rows}):
        one, other = (LambdaRank(**SMALL).fit(TRAIN.X, labels, qid=TRAIN.qid, **weights) for labels in (TRAIN.y, y))  # type: ignore[arg-type]
        assert np.array_equal(one.predict(VALID.X), other.predict(VALID.X))
    plain = LambdaRank(**SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    assert not np.array_equal(one.predict(VALID.X), plain.predict(VALID.X))


def test_features_are_standardized() -> None:
    X = TRAIN.X.astype(np.float64)
    moved = X * [1e-6, 1, 1e6, 1, 1, 1] + [0, 1e9, 0, 0, 0, 0]
    whole: dict[str, Any] = SMALL | {"batch_queries": 40}  # rows in another order would be other batches
    one, other = (LambdaRank(**whole).fit(each, TRAIN.y, qid=TRAIN.qid) for each in (X, moved))
    assert other.predict(moved) == pytest.approx(one.predict(X), abs=1e-2)
    assert one.standardizer_.apply(X).mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-6)
    assert one.standardizer_.apply(X).std(axis=0) == pytest.approx(np.ones(6), abs=1e-5)
    raw = LambdaRank(**SMALL, standardize=False).fit(X, TRAIN.y, qid=TRAIN.qid)
    assert np.array_equal(raw.standardizer_.apply(X), X.astype(np.float32))


def test_constant_features_are_safe() -> None:
    X = np.column_stack([TRAIN.X, np.full(800, 1e6 + 0.1), np.zeros(800)])
    model = LambdaRank(**SMALL).fit(X, TRAIN.y, qid=TRAIN.qid)
    X[:, 6:] = 12.0
    assert np.array_equal(model.predict(X), model.predict(np.column_stack([TRAIN.X, X[:, 6:] * 7])))
    assert Standardizer.of(np.full((3, 1), 1e300)).scale == [0.0]
    with pytest.raises(DataError, match="too large to standardize"):
        Standardizer.of(np.array([[1e300], [-1e300]]))


def test_frames_and_names() -> None:
    frame = pd.DataFrame(TRAIN.X, columns=list("abcdef"))
    model = LambdaRank(**SMALL).fit(frame, TRAIN.y, qid=TRAIN.qid)
    assert list(model.feature_names_in_) == list("abcdef")
    assert np.array_equal(model.predict(frame), fitted(judged=False).predict(TRAIN.X))


class Own(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(6, 1, dtype=torch.float64)

    def forward(self, X):
        return torch.exp(self.layer(X) / 10)


@pytest.mark.slow
def test_your_own_net(tmp_path) -> None:
    torch.manual_seed(0)
    own = Own()
    before = own.layer.weight.detach().clone()
    model = fitted(torch_module=own, epochs=80, learning_rate=0.03)
    assert torch.equal(own.layer.weight, before)  # a copy was trained
    assert isinstance(model.module_, Own)
    assert model.score(VALID.X, VALID.y, VALID.qid) > 0.6
    with pytest.raises(DataError, match="net of your own"):
        rw.save(model, tmp_path / "m.rw")
    with pytest.raises(DataError, match=r"torch_module must be a torch\.nn\.Module or None, got 'Own'"):
        fitted(torch_module="Own")
    with pytest.raises(ShapeError, match="one score per row"):
        fitted(torch_module=torch.nn.Linear(6, 2))


def test_the_rules_of_burges_2006(monkeypatch) -> None:
    """The rate falls by 0.8 in every epoch whose cost is above the last one's, and weights are drawn anew at a halt."""
    monkeypatch.setattr(net_training, "RESTART_EPOCHS", 3)
    states = []
    train = net_training.NetTraining.run

    def run(self, report) -> None:
        def watch(state, present) -> None:
            states.append((state.costs[-1], state.rate, len(state.restarts), present().weights["layers.0.weight"]))
            report(state, present)

        train(self, watch)

    monkeypatch.setattr(net_training.NetTraining, "run", run)
    model = fitted(RankNet, optimizer="burges2006", learning_rate=0.5, epochs=60, early_stopping_rounds=None, hidden=())
    assert states[-1][2] > 0
    rate, lowest, since = 0.5, np.inf, 0
    for k, (cost, found, restarts, weights) in enumerate(states):
        began = k == 0 or states[k - 1][2] != (states[k - 2][2] if k > 1 else 0)
        if began:
            rate, lowest, since = 0.5, np.inf, 0
        if not began and cost > states[k - 1][0]:
            rate *= 0.8
        lowest, since = (cost, 0) if cost < lowest else (lowest, since + 1)
        assert (since >= 3) == (restarts > (states[k - 1][2] if k else 0))
        assert found == pytest.approx(0.5 if since >= 3 else rate)
        if since >= 3:
            assert np.abs(weights).max() <= 1 / np.sqrt(6)  # as torch draws them
    assert model.best_score_ == max(model.evals_result_["valid_0"]["ndcg@10"])


def test_the_cost_of_lambdarank_is_the_metric() -> None:
    plan = LambdaRank("map")._plan(training_rows(TRAIN.X, TRAIN.y, TRAIN.qid), None, seed=0)
    scores = TRAIN.X[:, 0].astype(np.float64)
    cost = LambdaRank("map")._pair_objective(plan).cost(scores, TRAIN.y, TRAIN.qid, None)
    assert cost == -rw.evaluate(TRAIN.y, scores, TRAIN.qid, "map")["map"]


def test_batches_are_whole_queries() -> None:
    plan = LambdaRank(batch_queries=7)._plan(training_rows(TRAIN.X, TRAIN.y, TRAIN.qid), None, seed=0)
    batches = list(plan.batches(0))
    assert sorted(np.concatenate(batches)) == list(range(40))
    assert [len(batch) for batch in batches] == [7, 7, 7, 7, 7, 5]
    assert not np.array_equal(batches[0], next(iter(plan.batches(1))))
    rows, query = plan.rows_of(np.array([1, 3]))
    assert np.array_equal(rows, np.r_[20:40, 60:80])  # type: ignore[arg-type]
    assert np.array_equal(query, np.repeat([0, 1], 20))
    assert plan.rows_of(np.array([4, 5]))[0] == slice(80, 120)


@pytest.mark.parametrize("cls", KINDS)
def test_ctrl_c_keeps_the_best(cls, caplog) -> None:
    def stop(number, _) -> None:
        if number == 5:
            raise KeyboardInterrupt

    with caplog.at_level(logging.WARNING, logger="rankwise"):
        model = fitted(cls, epochs=100, callbacks=[stop])
    assert model.interrupted_
    assert len(model.evals_result_["valid_0"]["ndcg@10"]) == 5
    assert model.best_score_ == model.score(VALID.X, VALID.y, VALID.qid)
    assert "interrupted" in caplog.text


def test_ctrl_c_before_anything_is_learnt_is_ctrl_c(monkeypatch) -> None:
    def stop(*_) -> Never:
        raise KeyboardInterrupt

    monkeypatch.setattr(net_training.NetTraining, "_epoch", stop)
    with pytest.raises(KeyboardInterrupt):
        fitted()


def test_explanations_add_up() -> None:
    model = fitted(hidden=(10, 5))
    told = model.explain(VALID.X, 3, 8)
    scores = model.predict(VALID.X)
    assert told.contributions.sum() == pytest.approx(told.difference, abs=1e-9)
    assert told.difference == pytest.approx(scores[3] - scores[8], abs=1e-5)
    linear = fitted(hidden=())
    weights = linear.module_.layers[0].weight.detach().numpy()[0] * linear.standardizer_.scale
    assert linear.explain(VALID.X, 0, 1).contributions == pytest.approx(weights * (VALID.X[0] - VALID.X[1]), abs=1e-5)
    assert np.array_equal(model.explain(VALID.X, 2, 2).contributions, np.zeros(6))
    with pytest.raises(DataError, match="rows are counted"):
        model.explain(VALID.X, 0, 400)


def with_nan(value):
    X = TRAIN.X.copy()
    X[7, 3] = value
    return X


BAD = [
    (lambda: LambdaRank().fit(with_nan(np.nan), TRAIN.y), "got NaN at row 7, feature 3; impute"),
    (lambda: LambdaRank().fit(with_nan(np.inf), TRAIN.y), "contains infinity"),
    (lambda: fitted().predict(with_nan(np.nan)), "got NaN at row 7"),
    (lambda: LambdaRank().fit(TRAIN.X, TRAIN.y, eval_set=(with_nan(np.nan), TRAIN.y)), "got NaN"),
    (lambda: LambdaRank().fit(TRAIN.X, TRAIN.y[:5]), "one entry per row"),
    (lambda: LambdaRank().fit(TRAIN.X, None), "requires y"),
    (lambda: LambdaRank().fit(TRAIN.X, np.ones(800)), "nothing to learn"),
    (lambda: LambdaRank().fit(TRAIN.X, TRAIN.y, eval_set=TRAIN.X), "eval_set must be"),
    (lambda: LambdaRank().fit(TRAIN.X, TRAIN.y, eval_set=(VALID.X, VALID.y[:3])), "y of eval_set"),
    (lambda: LambdaRank("auc").fit(TRAIN.X, TRAIN.y, eval_set=(VALID.X, VALID.y * 0)), "no query of eval_set has"),
    (lambda: LambdaRank().fit(TRAIN.X, TRAIN.y, sample_weight=-np.ones(800)), "sample_weight must be"),
    (lambda: LambdaRank().fit(TRAIN.X, TRAIN.y, query_weight=np.ones(2)), "query_weight must have"),
    (lambda: fitted(hidden=(0,)), "hidden must be"),
    (lambda: fitted(hidden=10), "hidden must be"),
    (lambda: fitted(hidden=(1.5,)), "hidden must be"),
    (lambda: fitted(epochs=0), "epochs must be"),
    (lambda: fitted(dropout=1.0), "dropout must be"),
    (lambda: fitted(weight_decay=-1), "weight_decay must be"),
    (lambda: fitted(batch_queries=0), "batch_queries must be"),
    (lambda: fitted(optimizer="sgd"), 'optimizer must be "adamw" or "burges2006"'),
    (lambda: fitted(activation=["relu"]), "activation must be"),
    (lambda: fitted(norm="gaps"), 'norm must be "gap" or None'),
    (
        lambda: fitted(learning_rate=1e3, optimizer="burges2006", epochs=50, early_stopping_rounds=None),
        "no longer finite",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_cannot_be_is_said(call, message) -> None:
    with pytest.raises(RankwiseError, match=message):
        call()


def test_negative_labels_are_not_judged() -> None:
    y = np.where(TRAIN.y == 0, -1.0, TRAIN.y)
    one, other = (LambdaRank(**SMALL).fit(TRAIN.X, labels, qid=TRAIN.qid) for labels in (TRAIN.y, y))
    assert np.array_equal(one.predict(VALID.X), other.predict(VALID.X))


def test_several_eval_sets() -> None:
    assert isinstance(VALID, RankingData)
    model = LambdaRank(**SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=[EVAL_SET, (TRAIN.X, TRAIN.y, TRAIN.qid)])
    assert list(model.evals_result_) == ["valid_0", "valid_1"]
