"""RankSVM(C="svmlight"): SVMlight's own problem on explicit pairs, in files and copies, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise.errors import DataError
from rankwise.models import load, save
from rankwise.rankers.pairs.svm import _svmlight
from tests.rankers.factories import EVAL_SET, TRAIN, VALID
from tests.rankers.pairs.svm.factories import make_data
from tests.reference import svmlight as oracle

CASES = {
    "one list": make_data(2, 1),
    "queries": make_data(2, 4, rows=40, seed=1),
    "five grades": make_data(5, 3, rows=30, seed=2),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_problem_of_svmlight_on_explicit_pairs(case) -> None:
    X, y, qid = CASES[case]
    pairs = oracle.differences(X, y, qid)
    c = oracle.default_c(pairs)
    model = rw.RankSVM(C="svmlight", tol=1e-8).fit(X, y, qid=qid)
    assert pytest.approx(c * len(pairs), rel=1e-12) == model.C_
    assert model.objective_ == pytest.approx(oracle.objective(model.coef_, pairs, c), rel=1e-9)
    expected = oracle.weights(pairs, c)
    assert model.objective_ == pytest.approx(oracle.objective(expected, pairs, c), rel=1e-6)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-4 * max(1.0, np.abs(expected).max()))


def test_it_is_a_ranksvm_with_numbers_whatever_the_other_parameters() -> None:
    X, y, qid = CASES["five grades"]
    model = rw.RankSVM(C="svmlight").fit(X, y, qid=qid)
    plain = rw.RankSVM(C=model.C_, loss="hinge", pair_weighting="pairs", standardize=False).fit(X, y, qid=qid)
    assert np.array_equal(model.coef_, plain.coef_)
    other = rw.RankSVM(C="svmlight", loss="hinge", pair_weighting="queries", standardize=True).fit(X, y, qid=qid)
    assert np.array_equal(model.coef_, other.coef_)


def test_orders_blocks_and_sparse_rows_change_nothing(monkeypatch) -> None:
    X, y, qid = CASES["five grades"]
    model = rw.RankSVM(C="svmlight").fit(X, y, qid=qid)
    order = np.random.default_rng(0).permutation(y.size)
    assert np.array_equal(model.coef_, rw.RankSVM(C="svmlight").fit(X[order], y[order], qid=qid[order]).coef_)
    sparse = rw.RankSVM(C="svmlight").fit(sp.csr_matrix(X), y, qid=qid)
    np.testing.assert_allclose(sparse.coef_, model.coef_, rtol=0, atol=1e-3)
    assert pytest.approx(model.C_, rel=1e-9) == sparse.C_
    monkeypatch.setattr(_svmlight, "BLOCK_PAIRS", 7)
    assert pytest.approx(model.C_, rel=1e-12) == rw.RankSVM(C="svmlight").fit(X, y, qid=qid).C_


def test_weights_count_in_the_sum_and_not_in_c() -> None:
    X, y, qid = CASES["queries"]
    model = rw.RankSVM(C="svmlight", tol=1e-8).fit(X, y, qid=qid, sample_weight=np.full(y.size, 2.0))
    pairs = oracle.differences(X, y, qid)
    assert pytest.approx(4.0 * oracle.default_c(pairs) * len(pairs), rel=1e-12) == model.C_


def test_files_and_copies(tmp_path) -> None:
    model = rw.RankSVM("ndcg@5", C="svmlight").fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert (loaded.C, loaded.C_) == ("svmlight", model.C_)
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))
    again = loaded.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    assert np.array_equal(again.coef_, model.coef_)
    assert model.max_rounds(TRAIN.y) == 201
    assert model.best_score_ == model.score(VALID.X, VALID.y, VALID.qid)


@pytest.mark.parametrize("C", ["svmlite", ["svmlight"], [1.0, "svmlight"]])
def test_only_this_text_and_only_alone(C) -> None:
    X, y, qid = CASES["queries"]
    with pytest.raises(DataError, match=r'C must be a number above 0 and at most 1e\+12 or "svmlight", got'):
        rw.RankSVM(C=C).fit(X, y, qid=qid)
    with pytest.raises(DataError, match="C must be a number"):
        rw.AUCSVM(C="svmlight").fit(X, y, qid=qid)  # type: ignore[arg-type]


def test_what_has_no_such_c_is_refused(monkeypatch) -> None:
    X, y, qid = CASES["queries"]
    with pytest.raises(DataError, match="the documents of every pair have the same features"):
        rw.RankSVM(C="svmlight").fit(np.ones_like(X), y, qid=qid)
    monkeypatch.setattr(_svmlight, "MAX_PAIRS", 10)
    with pytest.raises(DataError, match=r"measures every pair, at most 10 of them, got \d+; pass a number"):
        rw.RankSVM(C="svmlight").fit(X, y, qid=qid)
