"""LambdaMART: the rows, labels and parameters that it takes, and those that it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.rankers import LambdaMART
from tests.rankers.factories import TRAIN, VALID, long_list
from tests.rankers.trees.factories import fitted


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
