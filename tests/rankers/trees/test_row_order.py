"""The same rows in any order, on any number of threads, are the same model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from rankwise.rankers import LambdaMART
from rankwise.rankers.trees import _lightgbm
from tests.rankers.factories import TRAIN, long_list


@pytest.mark.parametrize("kind", ["dense", "sparse", "table"])
@pytest.mark.parametrize(
    "options",
    [
        {"split_noise": 0.0},
        {"colsample_bytree": 0.5, "query_subsample": 0.5, "bags": 2, "split_noise": 0.0},
        {"split_noise": 1.5, "ranking_noise": 0.2},
        {"grow_policy": "symmetric"},
        {"grow_policy": "symmetric", "colsample_bytree": 0.5, "query_subsample": 0.5, "bags": 2},
    ],
)
def test_any_order_of_rows_and_any_number_of_threads_give_the_same_model(kind, options) -> None:
    """Also with rows sorted by label, and with documents that are alike but for their labels."""
    X, y, qid = TRAIN.X.copy(), TRAIN.y, TRAIN.qid
    X[: X.shape[0] // 2] = X[: X.shape[0] // 2].round(0)
    given = {"dense": np.asarray, "sparse": sp.csr_matrix, "table": pd.DataFrame}[kind]
    expected = None
    for order, threads in (
        (np.arange(y.size), 1),
        (np.argsort(y, kind="stable"), 2),
        (np.argsort(-y), 1),
        (np.random.default_rng(0).permutation(y.size), 2),
    ):
        model = LambdaMART("ndcg@5", n_estimators=10, num_leaves=15, random_state=0, n_jobs=threads, **options)
        scores = model.fit(given(X[order]), y[order], qid=qid[order]).predict(given(X))
        expected = scores if expected is None else expected
        assert np.array_equal(scores, expected)


def test_any_order_of_one_list_and_of_more_rows_than_bins_are_found_from(monkeypatch) -> None:
    monkeypatch.setattr(_lightgbm, "BINNING_ROWS", 300)
    data = long_list(1000)
    X, y = data.X, data.y
    order = np.argsort(y, kind="stable")
    models = [
        LambdaMART("auc", n_estimators=5, bags=2, random_state=0).fit(X[rows], y[rows])
        for rows in (np.arange(y.size), order)
    ]
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
