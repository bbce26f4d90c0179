"""LambdaMART on clicks with positions: propensities come out, and true labels are ranked better than by raw clicks."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

import rankwise as rw
from rankwise.data import RankingData, polynomial, simulate_clicks, write
from rankwise.errors import DataError, ModelFileError, ShapeError
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.rankers.trees import _saved as saved_trees

DATA = polynomial(queries=150, documents=15, features=6, seed=1)
TRAIN, TEST = DATA.rows(np.arange(1500)), DATA.rows(np.arange(1500, 2250))
# Lists by one feature, so that raw clicks teach that feature.
LOG = simulate_clicks(TRAIN, TRAIN.X[:, 0], sessions=200, top=8)
X, CLICKS, SESSION, POSITION = TRAIN.X[LOG.rows], LOG.clicked, LOG.session, LOG.position
FEW = np.flatnonzero(SESSION < 400)
SMALL: dict[str, Any] = {"n_estimators": 8, "num_leaves": 7, "random_state": 0, "n_jobs": 1}


def small(rows=FEW, position=POSITION, **options):
    model = rw.LambdaMART("ndcg@5", **(SMALL | options))
    return model.fit(X[rows], CLICKS[rows], qid=SESSION[rows], position=None if position is None else position[rows])


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ndcg@10", "map", "auc"])
def test_the_truth_behind_the_clicks(metric) -> None:
    options: dict[str, Any] = {
        "n_estimators": 30,
        "num_leaves": 15,
        "learning_rate": 0.1,
        "random_state": 0,
        "n_jobs": 1,
    }
    by_clicks, model = (
        rw.LambdaMART(metric, **options).fit(X, CLICKS, qid=SESSION, position=where) for where in (None, POSITION)
    )
    assert model.positions_.tolist() == list(range(1, 9))  # type: ignore[union-attr]
    assert model.propensities_ == pytest.approx(LOG.propensities, rel=0.1)
    assert by_clicks.propensities_ is None
    values = [
        rw.evaluate(TEST.y, one.predict(TEST.X), TEST.qid, "ndcg@10").per_query["ndcg@10"] for one in (model, by_clicks)
    ]
    better = ttest_rel(*values, alternative="greater")  # type: ignore[call-overload]
    assert better.pvalue < 0.01


def test_positions_that_do_not_matter_change_little() -> None:
    """Where every position is looked at, all propensities are near 1, and the model is nearly that of raw clicks."""
    log = simulate_clicks(TRAIN, TRAIN.X[:, 0], sessions=20, top=8, steepness=0.0)
    model = rw.LambdaMART("ndcg@5", **SMALL).fit(TRAIN.X[log.rows], log.clicked, qid=log.session, position=log.position)
    assert model.propensities_ == pytest.approx(np.ones(8), rel=0.1)


def test_only_differences_of_positions_matter() -> None:
    assert small(position=7 * POSITION + 3).predict(TEST.X) == pytest.approx(small().predict(TEST.X), abs=1e-9)


def test_in_any_order_of_rows() -> None:
    order = np.random.default_rng(0).permutation(FEW)
    assert np.array_equal(small(order).predict(TEST.X), small().predict(TEST.X))


@pytest.mark.parametrize("kill_after", [1, 5, 11])
def test_resumed_is_undisturbed(tmp_path, monkeypatch, kill_after) -> None:
    monkeypatch.setattr(checkpoint, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "MAX_IO_SHARE", 1e9)

    def kill(number, _) -> None:
        if number == kill_after:
            raise SystemExit

    given: dict[str, Any] = {"qid": SESSION[FEW], "position": POSITION[FEW], "checkpoint": tmp_path / "run.npz"}
    model = rw.LambdaMART("ndcg@5", bags=2, **SMALL)
    with pytest.raises(SystemExit):
        model.fit(X[FEW], CLICKS[FEW], callbacks=[kill], **given)
    resumed = rw.LambdaMART("ndcg@5", bags=2, **SMALL).fit(X[FEW], CLICKS[FEW], resume=True, **given)
    whole = small(bags=2)
    rw.save(resumed, tmp_path / "resumed.rw")
    rw.save(whole, tmp_path / "whole.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == (tmp_path / "whole.rw").read_bytes()
    with pytest.raises(DataError, match="other data or parameters"):
        model.fit(X[FEW], CLICKS[FEW], resume=True, **(given | {"position": POSITION[FEW] + (POSITION[FEW] > 3)}))


def test_saved_and_loaded(tmp_path) -> None:
    model = small()
    rw.save(model, tmp_path / "m.rw")
    loaded = rw.load(tmp_path / "m.rw")
    assert loaded.positions_.tolist() == model.positions_.tolist()
    assert np.array_equal(loaded.propensities_, model.propensities_)
    rw.save(small(position=None), tmp_path / "plain.rw")
    assert rw.load(tmp_path / "plain.rw").propensities_ is None
    for wrong in ([1, 2], "x", [1] * 7 + [-1], None, [1] * 7 + ["x"]):
        saved = model.to_saved()
        saved.summary["propensities"] = wrong
        with pytest.raises(ModelFileError, match="propensities"):
            saved_trees.from_saved(rw.LambdaMART, saved)


def test_files_read_in_passes(tmp_path) -> None:
    write(RankingData(X[FEW], CLICKS[FEW], SESSION[FEW]), tmp_path / "log.parquet")
    streamed = rw.LambdaMART("ndcg@5", **SMALL).fit(tmp_path / "log.parquet", position=POSITION[FEW])
    assert np.array_equal(streamed.predict(TEST.X), small().predict(TEST.X))
    assert np.array_equal(streamed.propensities_, small().propensities_)  # type: ignore[arg-type]


def test_weights_of_rows_count_beside_those_of_positions() -> None:
    """A session of weight 0 is as good as left out of what the trees learn."""
    rng = np.random.default_rng(0)
    weight = rng.random(FEW.size)
    given: dict[str, Any] = {"qid": SESSION[FEW], "position": POSITION[FEW]}
    one, two = (
        rw.LambdaMART("ndcg@5", **SMALL).fit(X[FEW], CLICKS[FEW], sample_weight=its, **given).predict(TEST.X)
        for its in (weight, 3 * weight)
    )
    assert np.allclose(one, two)
    assert not np.allclose(one, small().predict(TEST.X))


def test_lists_that_never_change_are_warned_of(caplog) -> None:
    log = simulate_clicks(TRAIN, TRAIN.X[:, 0], sessions=3, shuffle=0.0)
    with caplog.at_level(logging.WARNING, logger="rankwise"):
        rw.LambdaMART(**SMALL).fit(TRAIN.X[log.rows], log.clicked, qid=log.session, position=log.position)
    assert "0% of the clicks are on documents that were shown at several positions" in caplog.text
    caplog.clear()
    small()
    assert not caplog.text


def test_what_cannot_be_used_is_one_sentence() -> None:
    clicks, session = CLICKS[FEW], SESSION[FEW]
    model = rw.LambdaMART(**SMALL)
    for position, labels, problem, said in (
        ([1, 2], clicks, ShapeError, "position must have one entry per row: got 2 for 3200"),
        (POSITION[FEW] - 2, clicks, DataError, "whole numbers of 0 or more, got -1"),
        (POSITION[FEW] + 0.5, clicks, DataError, "whole numbers of 0 or more, got 1.5"),
        (np.where(POSITION[FEW] == 8, np.nan, 1.0), clicks, DataError, "position"),
        (np.arange(FEW.size), clicks, DataError, "at most 1000 different numbers, got 3200"),
        (POSITION[FEW], 0 * clicks, DataError, "clicks, got none above 0"),
    ):
        with pytest.raises(problem, match=said):
            model.fit(X[FEW], labels, qid=session, position=position)
    with pytest.raises(DataError, match="init must be None where positions are given"):
        rw.LambdaMART(init="logloss", **SMALL).fit(X[FEW], clicks, qid=session, position=POSITION[FEW])
    with pytest.raises(DataError, match="on one machine, got a client too"):
        model.fit(X[FEW], clicks, qid=session, position=POSITION[FEW], client=object())
