"""Adapters give what the libraries themselves give on the same rows, and stop on the metric."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import rankwise as rw
from rankwise.data import web
from rankwise.errors import DataError
from rankwise.rankers._pair_rows import pair_rows
from rankwise.selection.peers import CatBoostRanker, LightGBMRanker, LogisticRanker, XGBoostRanker
from tests.rankers.factories import long_list

DATA = web(queries=30, documents=15, features=5, seed=1)
TRAIN, VALID = DATA.rows(DATA.qid < 20), DATA.rows(DATA.qid >= 20)
SMALL: dict[str, Any] = {"n_estimators": 12, "num_leaves": 6, "min_child_samples": 5, "random_state": 0, "n_jobs": 1}


@pytest.mark.parametrize("objective", ["lambdarank", "rank_xendcg", "binary", "regression"])
def test_trees_are_those_of_lightgbm(objective: Any) -> None:
    model = LightGBMRanker("ndcg@5", objective=objective, **SMALL).fit(TRAIN)
    rows = pair_rows("", np.asarray(TRAIN.X), TRAIN.y, TRAIN.qid, None, None)
    y = rows.y > 0 if objective == "binary" else rows.y
    ranks = objective in ("lambdarank", "rank_xendcg")
    parameters = {
        "objective": objective, "num_leaves": 6, "min_data_in_leaf": 5, "num_threads": 1, "verbosity": -1,
        "deterministic": True, "force_row_wise": True, "boost_from_average": False,
        "seed": int(np.random.RandomState(0).randint(2**31 - 1)),
    }  # fmt: skip
    dataset = lgb.Dataset(rows.features, y, group=np.diff(rows.offsets) if ranks else None)
    expected: Any = lgb.train(parameters, dataset, 12).predict(TRAIN.X, raw_score=True)
    assert np.array_equal(model.predict(TRAIN), expected)


def test_training_stops_on_the_metric() -> None:
    model = LightGBMRanker("ndcg@5", objective="binary", **SMALL | {"n_estimators": 60, "early_stopping_rounds": 10})
    model.fit(TRAIN, eval_set=VALID)
    history = model.evals_result_["valid_0"]["ndcg@5"]
    assert model.best_iteration_ == int(np.argmax(history)) + 1
    assert len(history) in (60, model.best_iteration_ + 10)
    assert model.best_score_ == max(history) == pytest.approx(model.score(VALID))


def test_lightgbm_wants_grades() -> None:
    with pytest.raises(
        DataError, match=r"lambdarank of LightGBM needs labels that are whole numbers up to 30, got 0\.5"
    ):
        LightGBMRanker(**SMALL).fit(TRAIN.X, TRAIN.y + 0.5 * (TRAIN.y == 0), qid=TRAIN.qid)


@pytest.mark.parametrize("sparse", [False, True])
def test_logistic_weights_minimize_the_stated_objective(sparse: bool) -> None:
    data = long_list(300)
    scale = 1.0 / data.X.std(axis=0, dtype=np.float64)
    X, sign = data.X * scale, np.where(data.y > 0, 1.0, -1.0)

    def objective(w: Any) -> Any:
        margins = sign * (X @ w[:-1] + w[-1])
        residual = -sign / (1.0 + np.exp(margins))
        value = 0.5 * w[:-1] @ w[:-1] + 30.0 * np.mean(np.logaddexp(0.0, -margins))
        return value, np.append(w[:-1] + 30.0 * X.T @ residual / sign.size, 30.0 * residual.mean())

    solved = minimize(objective, np.zeros(5), jac=True, method="BFGS", options={"gtol": 1e-9})
    rows = sp.csr_matrix(data.X) if sparse else data.X
    model = LogisticRanker(C=30.0).fit(rows, data.y)
    assert np.allclose(model.coef_ / scale, solved.x[:-1], atol=1e-5)
    assert np.allclose(model.predict(rows), data.X @ model.coef_)


@pytest.mark.parametrize("cls", [XGBoostRanker, CatBoostRanker])
def test_rankers_of_other_libraries_take_part(cls: Any, tmp_path: Any) -> None:
    pytest.importorskip(cls.__name__.removesuffix("Ranker").lower())
    model = cls("ndcg@5", n_estimators=30, early_stopping_rounds=5, n_jobs=1)
    result = rw.cross_validate(model, DATA, "ndcg@5", folds=3)
    assert all(1 <= chosen["n_estimators"] <= 30 for chosen in result.chosen)
    fitted = model.fit(TRAIN)
    assert fitted.best_iteration_ == 30
    assert fitted.score(TRAIN) > 0.7
    order = np.random.default_rng(0).permutation(len(TRAIN))
    again = cls(**model.get_params()).fit(TRAIN.X[order], TRAIN.y[order], qid=TRAIN.qid[order])
    assert np.allclose(again.predict(TRAIN.X), fitted.predict(TRAIN.X))
    with pytest.raises(DataError, match=f"save takes a model of rankwise, got {cls.__name__}"):
        rw.save(fitted, tmp_path / "m.rw")
    with pytest.raises(DataError, match="saved by its own library"):
        fitted.to_saved()
