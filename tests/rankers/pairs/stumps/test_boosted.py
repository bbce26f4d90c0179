"""What RankBoost and SmoothRankBoost share: stopping, interruption, stages, files, explanations, threads."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise.errors import DataError, ModelFileError, RankwiseError
from rankwise.rankers import RankBoost, SmoothRankBoost
from tests.rankers.pairs.stumps.factories import CASES, GAPS, GRADED, QID, WORDS, X, fitted

KINDS = pytest.mark.parametrize("kind", [RankBoost, SmoothRankBoost])
TRAIN, VALID = np.arange(40), np.arange(40, 60)
EVAL_SET = (X[VALID], GRADED[VALID], QID[VALID])
ONE_LIST = (*EVAL_SET[:2], np.zeros(len(EVAL_SET[1])))


def _fit(model, **more):
    return model.fit(X[TRAIN], GRADED[TRAIN], qid=QID[TRAIN], **more)


@KINDS
def test_the_rounds_up_to_the_best_are_kept(kind) -> None:
    model = _fit(kind("ndcg@5", n_estimators=200, early_stopping_rounds=15), eval_set=EVAL_SET)
    values = model.evals_result_["valid_0"]["ndcg@5"]
    best = int(np.argmax(values)) + 1
    assert len(values) == best + 15 < 200
    assert (len(model.rounds_), model.best_iteration_, model.best_score_) == (best, best, max(values))
    assert model.score(*EVAL_SET) == pytest.approx(max(values))
    whole = _fit(kind("ndcg@5", n_estimators=best + 15))
    assert np.array_equal(model.rounds_.threshold, whole.rounds_.threshold[:best])


@KINDS
def test_without_patience_all_rounds_are_kept_and_judged(kind) -> None:
    model = _fit(kind("auc", n_estimators=40, early_stopping_rounds=None), eval_set=[EVAL_SET, ONE_LIST])
    assert (len(model.rounds_), model.best_iteration_) == (40, 40)
    first, second = (model.evals_result_[f"valid_{k}"]["auc"] for k in (0, 1))
    for stage, (by_query, one_list) in zip(
        model.staged_predict(X[VALID]), zip(first, second, strict=True), strict=True
    ):
        assert rw.evaluate(EVAL_SET[1], stage, EVAL_SET[2], "auc")["auc"] == pytest.approx(by_query)
        assert rw.evaluate(EVAL_SET[1], stage, None, "auc")["auc"] == pytest.approx(one_list)
    assert model.best_score_ == first[-1]


@KINDS
@pytest.mark.parametrize("case", CASES)
def test_the_last_stage_is_the_model(kind, case) -> None:
    model, features = fitted(kind(n_estimators=30), case), CASES[case]["X"]
    *_, final = model.staged_predict(features)
    assert np.allclose(final, model.predict(features), rtol=0, atol=1e-12)
    fewer = fitted(kind(n_estimators=7), case)
    assert np.allclose(list(model.staged_predict(features))[6], fewer.predict(features), rtol=0, atol=1e-12)


@KINDS
@pytest.mark.parametrize("evaluated", [True, False])
def test_an_interrupted_training_keeps_the_best_so_far(kind, evaluated, caplog) -> None:
    def stop(number, values) -> None:
        assert bool(values) == evaluated
        if number == 9:
            raise KeyboardInterrupt

    model = _fit(kind("ndcg@5", n_estimators=100), eval_set=EVAL_SET if evaluated else None, callbacks=[stop])
    assert model.interrupted_
    assert "the best so far is kept" in caplog.text
    best = int(np.argmax(model.evals_result_["valid_0"]["ndcg@5"])) + 1 if evaluated else 9
    expected = _fit(kind("ndcg@5", n_estimators=best))
    assert np.array_equal(model.predict(X), expected.predict(X))


@KINDS
def test_an_interruption_within_a_round_keeps_the_rounds_before(kind, monkeypatch) -> None:
    from rankwise.rankers.pairs.stumps._boosted import StagedEvaluation

    add = StagedEvaluation.add

    def interrupted(self, *stump) -> None:
        if self.round == 5:
            raise KeyboardInterrupt
        add(self, *stump)

    monkeypatch.setattr(StagedEvaluation, "add", interrupted)
    model = _fit(kind(n_estimators=100))
    monkeypatch.undo()
    assert (model.interrupted_, len(model.rounds_)) == (True, 5)
    assert np.array_equal(model.predict(X), _fit(kind(n_estimators=5)).predict(X))


@KINDS
def test_neither_threads_nor_sparse_storage_change_what_is_learnt(kind, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    features = np.where(rng.random((9000, 12)) < 0.7, 0.0, rng.normal(size=(9000, 12)))
    y = np.digitize(features[:, 0] + features[:, 1] + rng.normal(size=9000), [0.0, 1.0])
    qid = rng.integers(0, 30, 9000)
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "1")
    expected = kind(n_estimators=10).fit(features, y, qid=qid).rounds_.to_state()
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "3")
    assert kind(n_estimators=10).fit(features, y, qid=qid).rounds_.to_state() == expected
    assert kind(n_estimators=10).fit(sp.csr_matrix(features), y, qid=qid).rounds_.to_state() == expected


@KINDS
def test_row_order_does_not_matter_to_a_bit_where_rows_differ_in_weight_alone(kind) -> None:
    rng = np.random.default_rng(0)
    features, y, qid = (
        np.tile(rng.integers(0, 3, (30, 3)), (8, 1)),
        np.tile(rng.integers(0, 3, 30), 8),
        np.arange(240) // 60,
    )
    weight = rng.random(240)
    expected = kind(n_estimators=30).fit(features, y, qid=qid, sample_weight=weight).rounds_.to_state()
    for _ in range(5):
        order = rng.permutation(240)
        moved = kind(n_estimators=30).fit(features[order], y[order], qid=qid[order], sample_weight=weight[order])
        assert moved.rounds_.to_state() == expected


@KINDS
def test_parts_add_up_and_importances_are_shares(kind) -> None:
    model = kind(n_estimators=40).fit(GAPS, GRADED, qid=QID)
    why = model.explain(GAPS, 3, 8)
    scores = model.predict(GAPS)
    assert why.difference == pytest.approx(scores[3] - scores[8])
    assert why.contributions.sum() == pytest.approx(why.difference)
    shares = [model.stumps_.weight[model.stumps_.feature == k].sum() for k in range(5)]
    assert np.allclose(model.feature_importances_, np.array(shares) / np.sum(shares))
    words = sp.csr_matrix(WORDS)
    model.fit(words, GRADED)
    assert np.allclose(model.predict(words), model.predict(WORDS), rtol=0, atol=1e-12)


@KINDS
def test_a_file_has_the_whole_model(kind, tmp_path) -> None:
    model = _fit(kind("ndcg@5", n_estimators=30, early_stopping_rounds=None), eval_set=EVAL_SET)
    rw.save(model, tmp_path / "model.rw")
    loaded = rw.load(tmp_path / "model.rw")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert [s.tolist() for s in loaded.staged_predict(X)] == [s.tolist() for s in model.staged_predict(X)]
    assert loaded.evals_result_ == model.evals_result_
    for name in ("rho_", "gamma_", "gamma_bound_", "share_", "guaranteed_share_"):
        assert getattr(loaded, name, None) == getattr(model, name, None)


BROKEN = {
    "stumps": lambda state: state.pop("rounds"),
    "a feature": lambda state: state["rounds"]["feature"].__setitem__(0, 5),
    "rounds": lambda state: [part.pop() for part in state["rounds"].values()],
    "a number": lambda state: state.__setitem__("rho", "high"),
    "a number that is not finite": lambda state: state.__setitem__("gamma", float("nan")),
    "a number that lacks": lambda state: state.pop("share"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused(case) -> None:
    saved = copy.deepcopy(SmoothRankBoost(n_estimators=5).fit(X, GRADED).to_saved())
    BROKEN[case](saved.summary["learned"])
    with pytest.raises(ModelFileError, match="save it again"):
        SmoothRankBoost.from_saved(saved)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SmoothRankBoost(epsilon=0), "epsilon must be a number above 0 and at most 1, got 0"),
        (SmoothRankBoost(epsilon=[0.5]), r"epsilon must be a number above 0 and at most 1, got \[0.5\]"),  # type: ignore[arg-type]
        (RankBoost(n_estimators=0), "n_estimators must be a whole number from 1"),
        (RankBoost(early_stopping_rounds=0), "early_stopping_rounds must be a whole number from 1"),
    ],
    ids=str,
)
def test_parameters_out_of_range_are_errors(model, message) -> None:
    with pytest.raises(DataError, match=message):
        model.fit(X, GRADED)


@KINDS
def test_an_eval_set_that_cannot_be_judged_is_an_error(kind) -> None:
    with pytest.raises(RankwiseError, match="no query of eval_set has"):
        _fit(kind("auc"), eval_set=(X, np.ones(len(X)), np.zeros(len(X))))
