"""The same rows in any form, order and number of threads are the same model; a row of weight 2 is the row twice."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.rankers import MarginRanker
from rankwise.rankers.pairs.margin._programs import METHODS
from tests.rankers.factories import TRAIN
from tests.rankers.pairs.margin.factories import noisy

SETTINGS = [(method, hypotheses) for method in METHODS for hypotheses in ("features", "stumps")]
ROWS = np.arange(140)
X, Y, QID = np.round(TRAIN.X[ROWS], 2), TRAIN.y[ROWS], TRAIN.qid[ROWS]
X[:60] = X[:60].round(0)  # documents that are alike, some of them but for their labels


def model(method, hypotheses, epsilon=0.7, **more):
    return MarginRanker(epsilon=epsilon, method=method, hypotheses=hypotheses, tol=1e-4, **more)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_the_order_of_rows_does_not_change_a_bit(method, hypotheses, weighted) -> None:
    weight = np.random.default_rng(1).choice([0.0, 0.7, 1.0, 2.3], Y.size) if weighted else None
    expected = None
    for order in (ROWS, np.argsort(-Y), np.random.default_rng(0).permutation(Y.size)):
        own = None if weight is None else weight[order]
        fitted_again = model(method, hypotheses).fit(X[order], Y[order], qid=QID[order], sample_weight=own)
        expected = expected or fitted_again
        assert fitted_again.keys_ == expected.keys_
        assert np.array_equal(fitted_again.alpha_, expected.alpha_)
        assert fitted_again.certificate_ == expected.certificate_
        again = fitted_again.verify(X[order], Y[order], qid=QID[order], sample_weight=own)
        assert again == expected.verify(X, Y, qid=QID, sample_weight=weight)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dense", "single", "sparse"])
@pytest.mark.parametrize(("method", "hypotheses"), [("pairs", "features"), ("reduced", "stumps"), ("hard", "stumps")])
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, method, hypotheses, form) -> None:
    """With more rows than a thread takes at once, in several queries."""
    rows = 45_000
    random = np.random.default_rng(0)
    y, qid = random.integers(0, 2, rows).astype(float), np.repeat(np.arange(3), rows // 3)
    big = random.integers(-5, 6, (rows, 4)) + y[:, None] * random.integers(0, 4, (rows, 4)) + 0.0
    given = {"dense": big, "single": big.astype(np.float32), "sparse": sp.csr_matrix(big)}[form]
    fitted_again = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
        fitted_again.append(model(method, hypotheses, epsilon=0.8, max_iter=4).fit(given, y, qid=qid))
    assert fitted_again[0].keys_ == fitted_again[1].keys_
    assert np.array_equal(fitted_again[0].alpha_, fitted_again[1].alpha_)
    assert fitted_again[0].certificate_ == fitted_again[1].certificate_
    assert np.array_equal(fitted_again[0].predict(given), fitted_again[1].predict(given))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_sparse_and_single_precision_rows_are_the_same_rows(method, hypotheses) -> None:
    """Numbers that single precision holds exactly; sparse rows are added up in another order, which rounds."""
    exact = np.round(X * 16) / 16
    expected = model(method, hypotheses).fit(exact, Y, qid=QID)
    for given in (
        exact.astype(np.float32),
        sp.csr_matrix(exact),
        sp.csr_array(exact.astype(np.float32)),
        exact.tolist(),
    ):
        fitted_again = model(method, hypotheses).fit(given, Y, qid=QID)
        scores = fitted_again.predict(given)
        if hypotheses == "stumps" and not hasattr(given, "indptr"):
            assert fitted_again.keys_ == expected.keys_
            assert np.array_equal(fitted_again.alpha_, expected.alpha_)
        assert fitted_again.certificate_.value == pytest.approx(expected.certificate_.value, abs=1e-4)
        assert fitted_again.certificate_.bound == pytest.approx(expected.certificate_.bound, abs=1e-4)
        assert np.allclose(scores, fitted_again.predict(exact), rtol=0.0, atol=1e-13)
        assert fitted_again.verify(exact, Y, qid=QID).value == pytest.approx(fitted_again.certificate_.value, abs=1e-9)


@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_a_row_of_weight_two_is_the_row_twice_and_of_weight_zero_is_none(method, hypotheses) -> None:
    """The program is the same, and so its optimum is, whatever way leads there."""
    times = np.random.default_rng(2).integers(0, 3, Y.size)
    twice = np.repeat(ROWS, times)
    weighted = model(method, hypotheses).fit(X, Y, qid=QID, sample_weight=times)
    repeated = model(method, hypotheses).fit(X[twice], Y[twice], qid=QID[twice])
    one, other = weighted.certificate_, repeated.certificate_
    assert one.pairs == pytest.approx(other.pairs)
    if method == "heuristic":  # it ends where γ falls by less than tol, which is not the same place
        assert one.value == pytest.approx(other.value, abs=1e-3)
        return
    assert one.guaranteed == pytest.approx(other.guaranteed)
    assert max(one.value, other.value) <= min(one.bound, other.bound) + 1e-9
    if method != "hard":  # whose cuts are of the worst pairs by number
        crossed = weighted.verify(X[twice], Y[twice], qid=QID[twice])
        for name in ("pairs", "rho", "share", "guaranteed", "value", "bound"):
            assert getattr(crossed, name) == pytest.approx(getattr(one, name), abs=1e-7)


def test_a_query_of_weight_two_is_the_query_twice() -> None:
    names = np.unique(QID)
    own = np.isin(QID, names[:6])
    rows, y, qid = X[own], Y[own], QID[own]
    weight = np.arange(6) % 3
    weighted = model("pairs", "features").fit(rows, y, qid=qid, query_weight=weight)
    parts = [qid == name for name, times in zip(names, weight, strict=False) for _ in range(times)]
    copies = np.repeat(np.arange(len(parts)), [part.sum() for part in parts])
    rows, y = (np.concatenate([one[part] for part in parts]) for one in (rows, y))
    one, other = weighted.certificate_, model("pairs", "features").fit(rows, y, qid=copies).certificate_
    assert one.pairs == pytest.approx(other.pairs)
    assert max(one.value, other.value) <= min(one.bound, other.bound) + 1e-9
    assert one.gap <= 1e-4


@pytest.mark.slow
def test_scaling_and_shifting_features_changes_no_ranking() -> None:
    """Features are scaled to [-1, 1] by themselves, also where they lie far from 0."""
    rows, y = noisy()
    rows = np.round(rows * 256) / 256
    plain = MarginRanker(epsilon=0.3).fit(rows, y)
    for factor, shift in ((2.0**20, 0.0), (2.0**-30, 0.0), (1.0, 2.0**40), (-1.0, 0.0)):
        moved = MarginRanker(epsilon=0.3).fit(factor * rows + shift, y)
        assert moved.certificate_.value == pytest.approx(plain.certificate_.value, abs=1e-6)
        assert moved.certificate_.bound == pytest.approx(plain.certificate_.bound, abs=1e-6)
        assert np.allclose(moved.predict(factor * rows + shift), plain.predict(rows), rtol=0.0, atol=1e-3)
        told = moved.explain(factor * rows + shift, 0, 1)
        assert told.contributions.sum() == pytest.approx(told.difference, abs=1e-12)
    stumps = MarginRanker(epsilon=0.3, hypotheses="stumps").fit(rows, y)
    cubed = MarginRanker(epsilon=0.3, hypotheses="stumps").fit(rows**3, y)
    assert cubed.certificate_.value == pytest.approx(stumps.certificate_.value, abs=1e-6)
    assert cubed.verify(rows**3, y).value == pytest.approx(cubed.certificate_.value, abs=1e-9)
    assert np.allclose(stumps.predict(rows), cubed.predict(rows**3), rtol=0.0, atol=1e-2)
