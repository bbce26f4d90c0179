"""RankSVM and AUCSVM against scikit-learn's LinearSVC on the differences of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise.objectives.margins import _lists
from tests.rankers.pairs.svm.factories import make_data
from tests.reference import pairs_by_definition as oracle

CASES: dict[str, Any] = {
    "two grades": (make_data(2, 1), {}, "pairs"),
    "five grades": (make_data(5, 1, seed=1), {}, "pairs"),
    "queries": (make_data(2, 4, rows=40, seed=2), {}, "pairs"),
    "queries that count alike": (make_data(5, 4, rows=40, seed=3), {}, "queries"),
    "documents that count alike": (make_data(3, 5, rows=40, seed=13), {}, "documents"),
    "many grades": (make_data(15, 2, rows=30, seed=4), {}, "queries"),
    "weights of rows": (
        make_data(3, 3, seed=5),
        {"sample_weight": np.random.default_rng(5).uniform(0, 2, 24)},
        "pairs",
    ),
    "all weights": (
        make_data(5, 3, rows=36, seed=6),
        {"sample_weight": np.random.default_rng(6).uniform(0, 2, 36), "query_weight": np.array([1.0, 3.0, 0.5])},
        "queries",
    ),
    "all weights, and documents": (
        make_data(2, 3, rows=36, seed=14),
        {"sample_weight": np.random.default_rng(14).uniform(0, 2, 36), "query_weight": np.array([0.0, 3.0, 0.5])},
        "documents",
    ),
    "queries weighed, pairs counted": (
        make_data(2, 3, rows=36, seed=7),
        {"query_weight": np.array([1.0, 3.0, 0.5])},
        "pairs",
    ),
}


def weights_by_name(weights, qid):
    """`query_weight` is by first appearance; the oracle takes it by name."""
    names = list(dict.fromkeys(qid.tolist()))
    return None if "query_weight" not in weights else dict(zip(names, weights["query_weight"], strict=True))


@pytest.mark.parametrize("C", [0.03, 1.0, 100.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("listed", [True, False])
def test_weights_and_objective_are_those_of_linear_svc(listed, case, loss, C, monkeypatch) -> None:
    if not listed:
        monkeypatch.setattr(_lists, "MAX_LISTED_PAIRS", 0)
    (X, y, qid), weights, pair_weighting = CASES[case]
    model = rw.RankSVM(C=C, loss=loss, pair_weighting=pair_weighting, standardize=False, tol=1e-8).fit(
        X, y, qid=qid, **weights
    )
    weight = oracle.pair_weights(y, qid, weights.get("sample_weight"), weights_by_name(weights, qid), pair_weighting)
    assert model.objective_ == pytest.approx(oracle.objective(model.coef_, X, y, qid, weight, C, loss), rel=1e-9)
    expected = oracle.linear_svc(X, y, qid, weight, C, loss)
    minimum = oracle.objective(expected, X, y, qid, weight, C, loss)
    assert model.objective_ == pytest.approx(minimum, rel=1e-6)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-4 * max(1.0, np.abs(expected).max()))
    assert -1e-9 * minimum <= model.objective_ - minimum <= model.duality_gap_ + 1e-9 * minimum


def test_c_is_that_of_linear_svc_times_the_number_of_pairs() -> None:
    X, y, qid = make_data(3, 2, seed=8)
    number = oracle.all_pairs(y, qid).shape[1]
    expected = oracle.linear_svc(X, y, qid, np.ones(number), 0.1, "squared_hinge")
    model = rw.RankSVM(C=0.1 * number, pair_weighting="pairs", standardize=False, tol=1e-8).fit(X, y, qid=qid)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_scaling_is_as_if_features_were_given_so(loss) -> None:
    X, y, qid = make_data(3, 2, seed=9)
    scaled = rw.RankSVM(C=3.0, loss=loss, tol=1e-8).fit(X, y, qid=qid)
    divided = rw.RankSVM(C=3.0, loss=loss, tol=1e-8, standardize=False).fit((X + 7.0) / X.std(axis=0), y, qid=qid)
    np.testing.assert_allclose(scaled.coef_ * X.std(axis=0), divided.coef_, rtol=0, atol=1e-6)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_sparse_rows_are_the_same_rows(loss, standardize) -> None:
    X, y, qid = make_data(3, 2, rows=40, seed=10)
    X[np.abs(X) < 0.5] = 0.0
    for dtype in (np.float64, np.float32):
        dense = rw.RankSVM(loss=loss, standardize=standardize, tol=1e-8).fit(X.astype(dtype), y, qid=qid)
        sparse = rw.RankSVM(loss=loss, standardize=standardize, tol=1e-8).fit(
            sp.csr_matrix(X.astype(dtype)), y, qid=qid
        )
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=0, atol=1e-6)
        np.testing.assert_allclose(sparse.predict(sp.csr_matrix(X)), dense.predict(X), rtol=0, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_aucsvm_is_linear_svc_on_all_pairs_of_two_classes_and_the_sum_over_grades(loss) -> None:
    X, y, qid = make_data(3, 4, seed=11)
    rng = np.random.default_rng(11)
    rows, queries = rng.uniform(0, 2, y.size), rng.uniform(0.5, 2, 4)
    model = rw.AUCSVM(C=5.0, loss=loss, standardize=False, tol=1e-8)
    model.fit(X, y, qid=qid, sample_weight=rows, query_weight=queries)
    by_name = weights_by_name({"query_weight": queries}, qid)
    weight = rows * np.array([by_name[q] for q in qid.tolist()])
    one_list, total = np.zeros(y.size), np.zeros(X.shape[1])
    for number, grade in enumerate((1.0, 2.0)):
        is_grade = (y == grade).astype(float)
        pairs = oracle.pair_weights(is_grade, one_list, weight)
        expected = oracle.linear_svc(X, is_grade, one_list, pairs, 5.0, loss)
        np.testing.assert_allclose(model.coefs_[number], expected, rtol=0, atol=1e-4)
        total += grade * expected
    np.testing.assert_allclose(model.coef_, total, rtol=0, atol=3e-4)
    assert model.grades_.tolist() == [1.0, 2.0]


def test_one_list_of_two_grades_is_the_same_problem_to_both() -> None:
    X, y, _ = make_data(2, 1, seed=12)
    by_rank = rw.RankSVM("auc", loss="hinge", pair_weighting="pairs").fit(X, y)
    assert np.array_equal(rw.AUCSVM().fit(X, y).coef_, by_rank.coef_)
