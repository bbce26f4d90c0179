"""Training of a RateClassifier while it runs: rounds are counted, and Ctrl-C keeps the best so far."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from rankwise.rankers.rates._one_vs_rest import INTERRUPTED
from tests.rankers.rates.factories import FAMILIES, logistic, small

X, Y = logistic(400, 0)
X_NEW, Y_NEW = logistic(300, 1)
THREE = np.digitize(X[:, 0], [-0.5, 0.8])
OPTIONS = {"epochs": 6, "n_estimators": 45, "num_leaves": 4, "folds": 3}


def stop_at(round_number):
    def callback(number, _):
        if number == round_number:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("has_eval_set", [True, False])
def test_rounds_are_counted_up_to_what_was_said(family, has_eval_set) -> None:
    seen: list[tuple[int, dict[str, float]]] = []
    model = small("f1", model=family, **OPTIONS)
    eval_set = (X_NEW, Y_NEW) if has_eval_set else None
    model.fit(X, Y, eval_set=eval_set, callbacks=[lambda *told: seen.append(told)])
    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    assert len(seen) <= model.max_rounds(Y, has_eval_set=has_eval_set)
    losses = [values["logloss"] for _, values in seen if values]
    assert losses
    assert losses[0] > min(losses) > 0
    assert not model.interrupted_


def test_without_callbacks_the_model_is_the_same() -> None:
    plain, told = (small("f1", **OPTIONS).fit(X, Y, callbacks=called) for called in (None, [stop_at(10**9)]))
    assert np.array_equal(plain.decision_function(X_NEW), told.decision_function(X_NEW))


def test_every_so_many_rounds_are_logged(caplog) -> None:
    with caplog.at_level(logging.INFO, logger="rankwise"):
        small("f1", n_estimators=45, verbose=20).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    said = [record.getMessage() for record in caplog.records]
    assert [line.split()[:2] for line in said] == [["round", "20"], ["round", "40"], ["round", "60"]]
    assert "logloss 0." in said[0]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("has_eval_set", [True, False])
@pytest.mark.parametrize("at", [1, 3, -1])
def test_ctrl_c_keeps_the_best_so_far(family, has_eval_set, at, caplog) -> None:
    options = {"eval_set": (X_NEW, Y_NEW)} if has_eval_set else {}
    counted: list[int] = []
    whole = small("f1", model=family, **OPTIONS).fit(X, Y, callbacks=[lambda n, _: counted.append(n)], **options)
    last = len(counted) if at < 0 else at
    model = small("f1", model=family, **OPTIONS).fit(X, Y, callbacks=[stop_at(last)], **options)
    assert model.interrupted_
    assert not whole.interrupted_
    assert [record.getMessage() for record in caplog.records] == ["training was interrupted; the best so far is kept"]
    assert model.trained_for_ == "cross entropy"
    assert model.history_["reason"] == INTERRUPTED  # type: ignore[call-overload]
    assert np.isfinite(model.predict_proba(X_NEW)).all()
    assert 0 < model.predict(X_NEW).sum() < 300


def test_trees_so_far_are_those_of_the_whole_run() -> None:
    short = small("f1", n_estimators=45).fit(X, Y, eval_set=(X_NEW, Y_NEW), callbacks=[stop_at(7)])
    seven = small("f1", n_estimators=7).fit(X, Y, eval_set=(X_NEW, Y_NEW), callbacks=[stop_at(8)])
    first, second = (model.decision_function(X_NEW) + model.threshold_ for model in (short, seven))
    assert np.allclose(first, second, rtol=0, atol=1e-12)


def test_a_class_without_a_model_is_no_model() -> None:
    model = small("f1", n_estimators=10, folds=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, THREE, callbacks=[stop_at(3)])
    assert not hasattr(model, "models_")
    rounds: list[int] = []
    small("f1", n_estimators=10, folds=2).fit(X, THREE, callbacks=[lambda number, _: rounds.append(number)])
    assert model.fit(X, THREE, callbacks=[stop_at(len(rounds) - 1)]).interrupted_  # in the last class
    assert model.predict(X).shape == (400,)


def test_before_the_first_round_there_is_nothing_to_keep(monkeypatch) -> None:
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("lightgbm.Booster.update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        small("f1").fit(X, Y)
