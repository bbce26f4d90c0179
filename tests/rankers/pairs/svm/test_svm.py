"""What both SVMs promise: a choice of C, a certified gap, interruption, orders and threads, odd features, errors."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import rankwise as rw
from rankwise.errors import DataError, ShapeError
from rankwise.rankers.pairs.svm._newton import Iterate, LinearProblem, LinearRows
from rankwise.rankers.pairs.svm._pair_loss import PairHinge, unit_lists
from rankwise.rankers.pairs.svm._solve import best_scale
from tests.rankers.factories import EVAL_SET, TRAIN, VALID
from tests.rankers.pairs.svm.factories import make_data

MODELS = {
    "ranksvm": rw.RankSVM,
    "ranksvm-hinge": lambda *args, **options: rw.RankSVM(*args, loss="hinge", **options),
    "aucsvm": rw.AUCSVM,
}
SEVERAL = [0.001, 0.1, 10.0]


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


def fit(model, **options):
    return model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, **options)


def test_the_best_c_on_the_eval_set_is_kept(make) -> None:
    model = fit(make("ndcg@5", C=SEVERAL), eval_set=EVAL_SET)
    alone = [fit(make("ndcg@5", C=C), eval_set=EVAL_SET) for C in SEVERAL]
    values = [single.best_score_ for single in alone]
    assert model.evals_result_["valid_0"]["ndcg@5"] == pytest.approx(values, abs=0.01)
    assert len(set(model.evals_result_["valid_0"]["ndcg@5"])) > 1
    assert model.best_score_ == max(model.evals_result_["valid_0"]["ndcg@5"])
    best = int(np.argmax(model.evals_result_["valid_0"]["ndcg@5"]))
    assert SEVERAL[best] == model.C_
    assert model.best_score_ == model.score(VALID.X, VALID.y, VALID.qid)
    size = np.abs(alone[best].coef_).max()
    np.testing.assert_allclose(model.coef_, alone[best].coef_, rtol=0, atol=0.05 * size)


def test_the_first_of_several_eval_sets_decides() -> None:
    other = (VALID.X, VALID.y.max() - VALID.y, VALID.qid)
    first, second = (
        fit(rw.RankSVM("ndcg@5", C=SEVERAL), eval_set=sets) for sets in ([EVAL_SET, other], [other, EVAL_SET])
    )
    assert first.evals_result_["valid_0"] == second.evals_result_["valid_1"]
    assert first.best_score_ == max(first.evals_result_["valid_0"]["ndcg@5"])
    assert second.best_score_ == max(second.evals_result_["valid_0"]["ndcg@5"])


def test_an_eval_set_only_judges_where_c_is_one_value(make) -> None:
    with_set, without = fit(make(C=2.0), eval_set=EVAL_SET), fit(make(C=2.0))
    assert np.array_equal(with_set.coef_, without.coef_)
    assert with_set.C_ == without.C_ == 2.0
    assert (with_set.best_score_ is None, without.best_score_) == (False, None)


def test_several_values_of_c_need_an_eval_set(make) -> None:
    with pytest.raises(DataError, match="C has 3 values, but there is nothing to choose one by; pass an eval_set, or"):
        fit(make(C=SEVERAL))


@pytest.mark.parametrize("C", [0, -1.0, np.nan, np.inf, 1e13, "1", None, True, [], [1.0, 0.0], [[1.0]], ["x"]])
def test_values_that_c_cannot_have(C) -> None:
    with pytest.raises(DataError, match="C must be a number above 0"):
        fit(rw.RankSVM(C=C), eval_set=EVAL_SET)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tol", 0.0),
        ("tol", 2.0),
        ("max_iter", 0),
        ("loss", "log"),
        ("pair_weighting", "rows"),
        ("standardize", "yes"),
        ("standardize", 1),
    ],
)
def test_values_that_parameters_cannot_have(name, value) -> None:
    with pytest.raises(DataError, match=f"{name} must be"):
        fit(rw.RankSVM(**{name: value}))


def test_c_may_be_numbers_of_numpy() -> None:
    expected = fit(rw.RankSVM(C=SEVERAL), eval_set=EVAL_SET).coef_
    for C in (tuple(SEVERAL), list(np.array(SEVERAL, dtype=np.float32))):
        np.testing.assert_allclose(fit(rw.RankSVM(C=C), eval_set=EVAL_SET).coef_, expected, rtol=1e-6)
    assert np.array_equal(fit(rw.RankSVM(C=np.int64(1))).coef_, fit(rw.RankSVM(C=1.0)).coef_)  # type: ignore[arg-type]


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_the_gap_is_certified_for_any_tolerance(make, C) -> None:
    """The objective of a loose fit is above that of a tight one by no more than its gap."""
    tight = fit(make(C=C, tol=1e-6))
    for tol in (0.5, 1e-2, 1e-4):
        model = fit(make(C=C, tol=tol))
        assert tight.objective_ - 1e-6 * C <= model.objective_ <= tight.objective_ + model.duality_gap_
        assert model.duality_gap_ <= tol * model.objective_
        assert np.any(model.coef_ != 0.0)
    assert tight.n_iter_ > 1


def test_too_few_steps_are_said(make, caplog) -> None:
    with caplog.at_level(logging.WARNING, "rankwise"):
        model = fit(make(C=1e4, tol=1e-6, max_iter=2))
    assert "the relative duality gap is" in caplog.text
    assert "raise max_iter, or lower C" in caplog.text
    assert model.n_iter_ == 2 * (len(getattr(model, "grades_", [1])))
    caplog.clear()
    fit(make())
    assert caplog.text == ""


def test_steps_are_told_and_counted(make) -> None:
    steps = []
    model = make("ndcg@5", C=SEVERAL)
    fit(model, eval_set=EVAL_SET, callbacks=[lambda number, values: steps.append((number, values))])
    assert [number for number, _ in steps] == list(range(1, len(steps) + 1))
    evaluated = [values["ndcg@5"] for _, values in steps if values]
    assert evaluated == model.evals_result_["valid_0"]["ndcg@5"]
    assert len(steps) <= model.max_rounds(TRAIN.y, TRAIN.qid)


def test_ctrl_c_keeps_the_best_so_far(make, caplog) -> None:
    def stop_at(limit):
        def callback(number, values) -> None:
            if number == limit:
                raise KeyboardInterrupt

        return callback

    whole = fit(make("ndcg@5", C=1.0))
    early = fit(make("ndcg@5", C=1.0), callbacks=[stop_at(3)])
    assert early.interrupted_
    assert not whole.interrupted_
    assert "interrupted" in caplog.text
    assert np.any(early.coef_ != 0.0)
    assert early.score(TRAIN.X, TRAIN.y, qid=TRAIN.qid) > 0.4
    assert early.duality_gap_ > whole.duality_gap_
    first = fit(make("ndcg@5", C=[1.0, 1e6]), eval_set=EVAL_SET)
    steps_of_first = fit(make("ndcg@5", C=1.0), eval_set=EVAL_SET).best_iteration_
    stopped = fit(make("ndcg@5", C=[1.0, 1e6]), eval_set=EVAL_SET, callbacks=[stop_at(steps_of_first + 2)])
    assert stopped.C_ == 1.0
    assert stopped.best_score_ == first.evals_result_["valid_0"]["ndcg@5"][0]
    assert stopped.score(VALID.X, VALID.y, VALID.qid) == stopped.best_score_


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_any_order_of_rows_and_any_number_of_threads_give_the_same_model(make, kind, monkeypatch) -> None:
    """Also with so many rows that threads share them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 3)).astype(np.float32)
    X[:4000] = X[:4000].round(0)
    y, qid = np.digitize(X[:, 0] + rng.normal(size=len(X)), [0.0, 1.0]), rng.integers(0, 3, len(X))
    convert = np.asarray if kind == "dense" else sp.csr_matrix
    coefs = []
    for order, threads in ((np.arange(y.size), "1"), (np.argsort(y), "2"), (rng.permutation(y.size), "3")):
        monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
        coefs.append(make(C=100.0).fit(convert(X[order]), y[order], qid=qid[order]).coef_)
    assert np.array_equal(coefs[0], coefs[1])
    assert np.array_equal(coefs[0], coefs[2])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_constant_features_count_for_nothing_and_shifts_do_not_matter(make, kind) -> None:
    X = np.column_stack([TRAIN.X, np.full(len(TRAIN), 5.0), np.zeros(len(TRAIN))]).astype(np.float64)
    convert = np.asarray if kind == "dense" else sp.csr_matrix
    model = make(standardize=True).fit(convert(X), TRAIN.y, qid=TRAIN.qid)
    assert not model.coef_[-2:].any()
    moved = make(standardize=True).fit(convert(X + 100.0), TRAIN.y, qid=TRAIN.qid)
    np.testing.assert_allclose(moved.coef_, model.coef_, rtol=0, atol=1e-4 * np.abs(model.coef_).max())
    plain = make(standardize=False).fit(convert(X), TRAIN.y, qid=TRAIN.qid)
    np.testing.assert_allclose(plain.coef_[-2:], 0.0, atol=1e-12)


def test_features_on_any_scale_are_the_same_model(make) -> None:
    scales = 10.0 ** np.arange(-6, 6, 2)
    model, scaled = make().fit(TRAIN.X, TRAIN.y), make().fit(TRAIN.X * scales, TRAIN.y)
    np.testing.assert_allclose(scaled.coef_ * scales, model.coef_, rtol=0, atol=1e-6 * np.abs(model.coef_).max())


def test_sparse_features_are_left_as_they_are_by_default(make) -> None:
    X = sp.csr_matrix(TRAIN.X)
    as_they_are, scaled, default = (make(standardize=s).fit(X, TRAIN.y).coef_ for s in (False, True, None))
    assert np.array_equal(default, as_they_are)
    assert not np.array_equal(default, scaled)
    assert np.array_equal(make().fit(TRAIN.X, TRAIN.y).coef_, make(standardize=True).fit(TRAIN.X, TRAIN.y).coef_)


def test_features_all_alike_are_a_model_of_zeros(make) -> None:
    model = make().fit(np.ones((20, 3)), np.arange(20) % 2)
    assert not model.coef_.any()
    assert model.duality_gap_ == pytest.approx(0.0, abs=1e-9)


def test_features_too_large_to_square() -> None:
    X = np.array([[1e300, 1.0], [-1e300, 2.0], [1e10, 0.0]])
    with pytest.raises(DataError, match=r"feature 0 is too large to standardize, got 1e\+300; scale it down"):
        rw.RankSVM().fit(X, [1, 0, 0])
    with pytest.raises(DataError, match="feature 0 is too large to standardize"):
        rw.RankSVM(standardize=True).fit(sp.csr_matrix(X), [1, 0, 0])


def test_a_sound_matrix_is_scored_without_a_check_and_others_are_refused(make) -> None:
    model, X = fit(make()), TRAIN.X[:5].astype(np.float32)
    np.testing.assert_array_equal(model.checked_scores(X), model.predict(X))
    for wrong, said in ((np.nan, "got NaN; impute it"), (np.inf, "infinity"), (-np.inf, "infinity")):
        with pytest.raises(DataError, match=said):
            model.checked_scores(np.where(np.eye(*X.shape, dtype=np.bool_), wrong, X))
    with pytest.raises(DataError, match="pass the columns of the training data"):
        model.checked_scores(X[:, :-1])
    with pytest.raises(NotFittedError):
        make().checked_scores(X)


def test_nan_is_an_error_that_names_the_remedy(make) -> None:
    X = np.where(TRAIN.X > 0.9, np.nan, TRAIN.X)
    with pytest.raises(DataError, match="needs every feature of every row, got NaN; impute it"):
        make().fit(X, TRAIN.y, qid=TRAIN.qid)


def test_one_class_is_an_error(make) -> None:
    for y in (np.ones(len(TRAIN)), np.zeros(len(TRAIN)), np.full(len(TRAIN), -1.0)):
        with pytest.raises(DataError, match="no query has documents of different labels, so there is nothing"):
            make().fit(TRAIN.X, y)


def test_weights_that_leave_one_class_are_an_error(make) -> None:
    with pytest.raises(DataError, match="no query has documents of different labels"):
        fit(make(), sample_weight=(TRAIN.y == 0).astype(float))


def test_rows_of_weight_zero_are_as_if_they_were_not_there(make) -> None:
    weight = np.ones(len(TRAIN))
    weight[::3], weight[TRAIN.qid == TRAIN.qid[0]] = 0.0, 0.0
    subset = TRAIN.rows(np.flatnonzero(weight))
    without = make().fit(subset.X, subset.y, qid=subset.qid)
    np.testing.assert_allclose(fit(make(), sample_weight=weight).coef_, without.coef_, rtol=1e-6)
    queries = np.ones(len(np.unique(TRAIN.qid)))
    queries[0] = 0.0
    subset = TRAIN.rows(np.flatnonzero(TRAIN.qid != TRAIN.qid[0]))
    weighed = fit(make(), query_weight=queries)
    np.testing.assert_allclose(weighed.coef_, make().fit(subset.X, subset.y, qid=subset.qid).coef_, rtol=1e-6)


def test_two_copies_of_a_document_are_a_document_of_weight_two(make) -> None:
    twice = np.append(np.arange(len(TRAIN)), np.arange(0, len(TRAIN), 3))
    weight = np.bincount(twice).astype(float)
    repeated = make(tol=1e-6).fit(TRAIN.X[twice], TRAIN.y[twice], qid=TRAIN.qid[twice])
    weighed = fit(make(tol=1e-6), sample_weight=weight)
    np.testing.assert_allclose(weighed.coef_, repeated.coef_, rtol=0, atol=1e-3 * np.abs(repeated.coef_).max())


def test_explanations_add_up(make) -> None:
    model = fit(make())
    scores = model.predict(VALID.X)
    for X in (VALID.X, sp.csr_matrix(VALID.X)):
        explanation = model.explain(X, 0, 7)
        assert explanation.difference == pytest.approx(scores[0] - scores[7], rel=1e-5)
        assert explanation.contributions.sum() == pytest.approx(explanation.difference, rel=1e-5)
        np.testing.assert_allclose(explanation.contributions, (VALID.X[0] - VALID.X[7]) * model.coef_, rtol=1e-5)


@pytest.mark.slow
def test_sparse_rows_are_never_made_dense(make) -> None:
    """As a dense matrix these would take 16 GB."""
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 2000, 20_000), rng.integers(0, 10**9, 20_000) // 10**7 * 10**7
    X = sp.csr_matrix((rng.normal(size=20_000), (rows, columns // 1000)), shape=(2000, 10**6))
    y = (np.asarray(X[:, :500_000].sum(axis=1)).ravel() > 0).astype(float)
    for standardize in (True, False):
        assert make("auc", standardize=standardize).fit(X, y).score(X, y) > 0.9


def test_entries_of_sparse_rows_that_are_stored_twice_are_added_up(make) -> None:
    twice = sp.csr_matrix((np.array([1.0, 1.0, 3.0, 2.0, 1.0]), [0, 0, 1, 0, 1], [0, 2, 3, 5]), shape=(3, 2))
    assert not twice.has_canonical_format
    once = sp.csr_matrix(twice.toarray())
    y = [1, 0, 2]
    assert np.array_equal(make(standardize=True).fit(twice, y).coef_, make(standardize=True).fit(once, y).coef_)
    assert twice.nnz == 5


def test_aucsvm_pools_the_rows_of_all_queries() -> None:
    X, y, qid = make_data(3, 4, rows=60)
    pooled, by_query = rw.AUCSVM().fit(X, y), rw.AUCSVM().fit(X, y, qid=qid)
    assert np.array_equal(pooled.coef_, by_query.coef_)
    assert (pooled.n_queries_, by_query.n_queries_) == (1, 4)
    separate = rw.AUCSVM().fit(X, y, qid=np.arange(y.size))  # a query of each document: there are pairs all the same
    assert np.array_equal(separate.coef_, pooled.coef_)
    with pytest.raises(ShapeError, match="qid must have one entry per row"):
        rw.AUCSVM().fit(X, y, qid=qid[:-1])


def test_aucsvm_has_a_model_for_each_grade() -> None:
    X, y, _ = make_data(4, 1, rows=80)
    model = rw.AUCSVM("mauc", tol=1e-6).fit(X, y)
    assert model.grades_.tolist() == [1.0, 2.0, 3.0]
    for grade, coef in zip(model.grades_, model.coefs_, strict=True):
        alone = rw.AUCSVM(tol=1e-6).fit(X, (y == grade).astype(float))
        np.testing.assert_allclose(coef, alone.coef_, rtol=0, atol=1e-3 * np.abs(coef).max())
    np.testing.assert_allclose(model.coef_, model.grades_ @ model.coefs_, rtol=1e-12)
    two = rw.AUCSVM().fit(X, np.where(y > 1, 2.0, 0.0))
    assert two.grades_.tolist() == [2.0]


def test_aucsvm_takes_grades_not_any_number() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.raises(DataError, match="a model for each of 1 to 100 positive labels, got 200; pass grades"):
        rw.AUCSVM().fit(X, np.arange(1, 201) / 7)
    assert rw.RankSVM().fit(X, np.arange(200) / 7).coef_.shape == (2,)


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
def test_pairs_that_can_all_be_told_apart(C) -> None:
    """More features than rows: every margin can be reached, and a large C makes much of what a pair lacks of it."""
    X, y, _ = make_data(2, 1, rows=30, features=60)
    model = rw.RankSVM(loss="hinge", C=C).fit(X, y)
    scores = model.predict(X)
    assert scores[y == 1].min() - scores[y == 0].max() > 1 - 1e-3
    assert 0 <= model.duality_gap_ <= 1e-4 * model.objective_
    assert model.objective_ == pytest.approx(rw.RankSVM(loss="hinge", C=C, tol=1e-6).fit(X, y).objective_, rel=1e-4)


@pytest.mark.slow
def test_weights_are_scaled_to_the_best_length() -> None:
    """Against a search over many lengths."""
    rng = np.random.default_rng(0)
    for seed in range(10):
        X, y, _ = make_data(3, 1, rows=30, features=3, seed=seed)
        rows, lists = LinearRows.of(X, None), unit_lists(y, np.array([0, 30]))
        w = rng.normal(size=3) * 10.0 ** rng.integers(-2, 2)
        C = 10.0 ** rng.integers(-1, 4)
        at = Iterate(LinearProblem(rows, lists, C, 0.1), w, rows.scores(w))
        lengths = np.geomspace(1e-4, 1e4, 4001)
        by_search = [0.5 * t**2 * (w @ w) + C * PairHinge.of(lists, t * at.scores, 0.1).hinge for t in lengths]
        scale, objective = best_scale(at, C, 0.99 * min(by_search))
        assert objective == pytest.approx(
            0.5 * scale**2 * (w @ w) + C * PairHinge.of(lists, scale * at.scores, 0.1).hinge
        )
        assert objective <= min(by_search) * 1.002


def test_features_too_small_for_their_squares_are_refused(make) -> None:
    with pytest.raises(DataError, match="feature 0 is too small to standardize"):
        make().fit(TRAIN.X.astype(float) * 1e-200, TRAIN.y, qid=TRAIN.qid)


def test_weights_that_are_all_zero_are_told_of(caplog) -> None:
    model = rw.RankSVM(standardize=False).fit(TRAIN.X.astype(float) * 1e-60, TRAIN.y, qid=TRAIN.qid)
    assert not model.coef_.any()
    assert "all weights are 0, so all scores are alike; pass standardize=True" in caplog.text


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_features_too_large_for_their_squares_are_refused(make, form) -> None:
    with pytest.raises(DataError, match="not standardized must be at most 1e"):
        make(standardize=False).fit(form(TRAIN.X.astype(float) * 1e90), TRAIN.y, qid=TRAIN.qid)
