"""Symmetric trees: one question per depth, the best by brute force, read by LightGBM as they were grown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.models import load, save
from rankwise.rankers import LambdaMART
from rankwise.rankers.trees._symmetric_trees import Borders, grow_symmetric_tree
from tests.rankers.factories import EVAL_SET, TRAIN, VALID

OPTIONS: dict[str, Any] = {
    "n_estimators": 5,
    "grow_policy": "symmetric",
    "num_leaves": 8,
    "random_state": 0,
    "n_jobs": 1,
}
LIMITS: dict[str, Any] = {"num_leaves": 8, "min_data_in_leaf": 3, "min_sum_hessian_in_leaf": 0.5, "lambda_l2": 2.0}


def best_by_brute_force(X, gradient, hessian, leaves, borders):
    """The question with the highest gain over all leaves that it splits into large enough halves."""

    def gain(rows):
        return gradient[rows].sum() ** 2 / (hessian[rows].sum() + LIMITS["lambda_l2"])

    best = (0.0, -1, 0.0)
    for column, thresholds in enumerate(borders):
        for threshold in thresholds:
            right = ~(np.isnan(X[:, column]) | (X[:, column] <= threshold))
            total = 0.0
            for leaf in np.unique(leaves):
                halves = [np.flatnonzero((leaves == leaf) & (right == side)) for side in (False, True)]
                large = min(map(len, halves)) >= LIMITS["min_data_in_leaf"]
                if large and min(hessian[half].sum() for half in halves) >= LIMITS["min_sum_hessian_in_leaf"]:
                    total += sum(map(gain, halves)) - gain(np.flatnonzero(leaves == leaf))
            if total > best[0] + 1e-9:
                best = (total, column, threshold)
    return best


@pytest.mark.parametrize("seed", range(4))
def test_every_question_is_the_best_one(seed) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    gradient, hessian = ((rng.integers(low, 9, 60) / 8).astype(np.float32) for low in (-8, 1))
    borders = Borders(X, 10)
    codes = borders.codes([X[:25], X[25:]], 60)
    tree, leaves = grow_symmetric_tree(codes, borders.n_bins, np.arange(3), gradient, hessian, LIMITS)
    seen = np.zeros(60, dtype=int)
    for depth, (column, cut) in enumerate(zip(tree.columns, tree.cuts, strict=True)):
        total, _, _ = best_by_brute_force(X, gradient, hessian, seen, borders.columns)
        assert tree.gains[depth] == pytest.approx(total)
        threshold, right = borders.columns[column][cut], tree.right[depth]
        goes_right = (X[:, column] > threshold) & (right[seen] >= 0)
        seen = np.where(goes_right, right[seen], seen)
    assert np.array_equal(seen, leaves)
    assert np.array_equal(tree.leaves(codes), leaves)
    assert np.bincount(leaves).min() >= LIMITS["min_data_in_leaf"]


def test_lightgbm_reads_what_was_grown(tmp_path) -> None:
    X = TRAIN.X.copy()
    X[::7, 0] = np.nan
    X[::5, 1] = 0.0
    data = RankingData(X, TRAIN.y, TRAIN.qid)
    model = LambdaMART("ndcg@10", early_stopping_rounds=None, **OPTIONS).fit(data, eval_set=data)
    assert model.evals_result_["valid_0"]["ndcg@10"][-1] == model.score(data)
    trees = model.boosters_[0].trees_to_dataframe()
    splits = trees.dropna(subset=["split_feature"])
    assert (splits.groupby("tree_index")["threshold"].nunique() <= 3).all()
    assert (splits.groupby("tree_index").size() > 3).all()
    contributions = np.asarray(model.boosters_[0].predict(X, pred_contrib=True))
    assert np.allclose(contributions.sum(axis=1), model.predict(data))
    save(model, tmp_path / "m.rw")
    assert np.array_equal(load(tmp_path / "m.rw").predict(data), model.predict(data))


def test_bins_may_be_more_than_a_byte_counts() -> None:
    X = np.random.default_rng(0).permutation(600)[:, None].astype(float)
    y = (X[:, 0] > 301).astype(float)
    gradient, hessian = (0.5 - y).astype(np.float32), np.ones(600, dtype=np.float32)
    for max_bins, dtype in ((255, np.uint8), (256, np.uint8), (600, np.uint16)):
        borders = Borders(X, max_bins)
        codes = borders.codes([X], 600)
        assert codes.dtype == dtype
        assert codes.max() == max_bins - 1
        tree, leaves = grow_symmetric_tree(codes, borders.n_bins, np.arange(1), gradient, hessian, LIMITS)
        assert np.array_equal(leaves, tree.leaves(codes))
        assert max_bins < 600 or borders.columns[0][tree.cuts[0]] == 301.5
    qid = np.arange(600) % 7
    few, many = (LambdaMART("auc", max_bin=bins, **OPTIONS).fit(X, y, qid=qid).predict(X) for bins in (255, 1000))
    assert not np.array_equal(few, many)


def test_sparse_rows_give_the_same_model() -> None:
    X = np.where(TRAIN.X > 0.5, TRAIN.X, 0.0)
    dense, sparse = (LambdaMART("auc", **OPTIONS).fit(rows, TRAIN.y, qid=TRAIN.qid) for rows in (X, sp.csr_matrix(X)))
    assert np.array_equal(dense.predict(X), sparse.predict(X))


def test_data_decide_where_nothing_is_said() -> None:
    def asks_again(**parameters):
        """Whether leaves of a tree are split by the same question."""
        model = LambdaMART("auc", n_estimators=1, random_state=0, n_jobs=1, **parameters).fit(TRAIN)
        splits = model.boosters_[0].trees_to_dataframe().dropna(subset=["split_feature"])
        return splits["threshold"].nunique() < len(splits) - 2

    assert asks_again()
    assert not asks_again(num_leaves=31)
    assert not asks_again(grow_policy="lossguide")


@pytest.mark.parametrize(
    "parameters",
    [{"monotone_constraints": [1, 0, 0, 0, 0, 0]}, {"categorical_feature": [0]}],
    ids=lambda p: next(iter(p)),
)
def test_what_symmetric_trees_cannot_do_is_refused_or_grown_otherwise(parameters) -> None:
    X = np.abs(TRAIN.X.round())
    with pytest.raises(DataError, match='use grow_policy="lossguide"'):
        LambdaMART("auc", **(OPTIONS | parameters)).fit(X, TRAIN.y, qid=TRAIN.qid)
    model = LambdaMART("auc", n_estimators=2, random_state=0, n_jobs=1, **parameters).fit(X, TRAIN.y, qid=TRAIN.qid)
    assert model.score(X, TRAIN.y, TRAIN.qid) > 0.5


def test_noise_and_constraints_are_refused() -> None:
    with pytest.raises(DataError, match="may break monotone_constraints"):
        LambdaMART("auc", split_noise=1.0, monotone_constraints=[1, 0, 0, 0, 0, 0]).fit(TRAIN)


def test_early_stopping_sees_the_scores_of_predict() -> None:
    model = LambdaMART("ndcg@10", **(OPTIONS | {"n_estimators": 60, "early_stopping_rounds": 10})).fit(
        TRAIN, eval_set=EVAL_SET
    )
    assert model.best_score_ == model.score(VALID)
