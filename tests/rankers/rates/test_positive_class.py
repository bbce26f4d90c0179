"""Which of two classes is the positive one: `pos_label`, or the one that sorts last, with a word where that is odd."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import get_scorer

import rankwise as rw
from rankwise.errors import DataError
from tests.rankers.rates.factories import logistic, small

X, Y = logistic(500, 0)
X_NEW, Y_NEW = logistic(1000, 1)
FRAUD, FRAUD_NEW = (np.where(y, "fraud", "ok") for y in (Y, Y_NEW))
SAYS = "the positive class is 'ok', which sorts last and has 7"


def linear(objective="r@p=0.6", **parameters):
    return small(objective, model="linear", **parameters)


def test_fraud_is_found_among_ok(caplog) -> None:
    """Item 2 of a review by new users: not one of 110 frauds was found, as "ok" sorts last."""
    linear().fit(X, FRAUD)
    assert SAYS in caplog.text
    assert "if 'fraud' is meant, pass pos_label='fraud'" in caplog.text
    caplog.clear()
    model, plain = linear(pos_label="fraud").fit(X, FRAUD), linear().fit(X, Y)
    assert "positive class" not in caplog.text
    assert (model.pos_label_, list(model.classes_)) == ("fraud", ["fraud", "ok"])
    assert np.array_equal(model.predict(X_NEW), np.where(plain.predict(X_NEW), "fraud", "ok"))
    assert np.sum((model.predict(X_NEW) == "fraud") & (FRAUD_NEW == "fraud")) > 0
    assert model.score(X_NEW, FRAUD_NEW) == plain.score(X_NEW, Y_NEW)
    assert model.certify(X_NEW, FRAUD_NEW).to_dict() == plain.certify(X_NEW, Y_NEW).to_dict()


def test_scikit_learn_has_the_classes_where_it_looks_for_them() -> None:
    """Its scorers take `decision_function` and the last column of `predict_proba` for the last of `classes_`."""
    model, plain = linear(pos_label="fraud").fit(X, FRAUD), linear().fit(X, Y)
    for name in ("roc_auc", "neg_log_loss", "accuracy"):
        assert get_scorer(name)(model, X_NEW, FRAUD_NEW) == pytest.approx(get_scorer(name)(plain, X_NEW, Y_NEW))
    assert np.array_equal(model.decision_function(X_NEW), -plain.decision_function(X_NEW))
    assert np.array_equal(model.scores(X_NEW), plain.scores(X_NEW))
    assert np.array_equal(model.predict_proba(X_NEW), plain.predict_proba(X_NEW)[:, ::-1])


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (Y == 0, False),
        (1 - Y, 0),
        (1 - Y, np.int64(0)),
        (np.where(Y, 2.0, 3.0), 2.0),
        (pd.Series(FRAUD).astype("category"), "fraud"),
        (pd.Series(FRAUD, dtype="string"), "fraud"),
    ],
)
def test_labels_of_any_type_can_be_positive(labels, pos_label, tmp_path) -> None:
    plain, model = linear().fit(X, Y), linear(pos_label=pos_label).fit(X, labels)
    yes = model.predict(X_NEW) == pos_label
    assert np.array_equal(yes, plain.predict(X_NEW) == 1)
    assert clone(model).get_params()["pos_label"] == pos_label
    rw.save(model, tmp_path / "m.rw")
    loaded = rw.load(tmp_path / "m.rw")
    assert (loaded.pos_label, loaded.pos_label_) == (pos_label, pos_label)
    assert np.array_equal(loaded.predict(X_NEW), model.predict(X_NEW))


def test_an_eval_set_has_the_same_positive_class() -> None:
    by_name = linear("f1", pos_label="fraud").fit(X, FRAUD, eval_set=(X_NEW, FRAUD_NEW))
    assert by_name.threshold_ == linear("f1").fit(X, Y, eval_set=(X_NEW, Y_NEW)).threshold_


def test_labels_above_0_are_positive_whatever_the_classes_are_called() -> None:
    model = linear(pos_label="fraud").fit(X, FRAUD)
    assert model.score(rw.RankingData(X_NEW, 2.0 * Y_NEW, np.zeros(1000))) == model.score(X_NEW, FRAUD_NEW)
    by_number = linear(pos_label=0).fit(X, 1 - Y)
    assert by_number.score(rw.RankingData(X_NEW, 1.0 - Y_NEW, np.zeros(1000))) == by_number.score(X_NEW, 1 - Y_NEW)


REFUSED = {
    "another word": ("swindle", FRAUD, "must be one of the classes 'fraud' and 'ok', got 'swindle'"),
    "a text for a number": ("1", Y, "must be one of the classes 0 and 1, got '1'"),
    "three classes": (1, np.arange(500) % 3, "is for two classes, got 3 classes"),
    "columns": (1, np.stack([Y, 1 - Y], axis=1), "is for two classes, got columns of labels"),
    "a list": (["fraud"], FRAUD, "pos_label must be a class"),
    "no number": (float("nan"), Y, "pos_label must be a class"),
    "no label": (None, np.array([*FRAUD[:7], None, *FRAUD[8:]], dtype=object), "y has no label at row 7; drop"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_positive_is_refused(case) -> None:
    pos_label, labels, said = REFUSED[case]
    with pytest.raises(DataError, match=said):
        linear(pos_label=pos_label).fit(X, labels)
