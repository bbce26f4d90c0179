"""An operating point that no threshold reaches: no row gets a yes, and that is said."""

from __future__ import annotations

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError
from rankwise.metrics import RecallAtPrecision
from rankwise.objectives.rates._soft_counts import is_reached
from tests.rankers.rates.factories import FAMILIES, logistic, small

X, Y = logistic(500, 0)
rng = np.random.default_rng(0)
NOISE, NOISE_NEW = rng.standard_normal((2, 1000, 5))
RARE = (rng.permutation(1000) < 20).astype(int)  # 2% positive
SAYS = "no threshold reaches r@p=0.9 for the class 1 on rows that the model was not trained on, so no row gets a yes"


@pytest.mark.parametrize("family", FAMILIES)
def test_noise_gets_no_yes(family, caplog, tmp_path) -> None:
    """Item 1 of a review by new users: trees said yes to 92% of new rows, without a word."""
    model = small("r@p=0.9", model=family, epochs=1, folds=2).fit(NOISE, RARE)
    assert SAYS in caplog.text
    assert model.reached_ is False
    for rows in (NOISE, NOISE_NEW, 1e6 * NOISE_NEW):
        assert not model.predict(rows).any()
        assert (model.scores(rows) < 0).all()
    ranks = model.decision_function(NOISE_NEW) + model.threshold_
    raw = model.models_[0].scorer.scores(model._standardize(NOISE_NEW, model.standardizer_))
    assert np.allclose(ranks, raw, atol=1e-9)  # so it still ranks, and can be certified
    assert model.predict_proba(NOISE_NEW)[:, 1].mean() == pytest.approx(0.02, abs=0.01)
    with pytest.raises(DataError, match="says no to every row and there is nothing to export; set a threshold"):
        model.to_score_function()
    rw.save(model, tmp_path / "m.rw")
    loaded = rw.load(tmp_path / "m.rw")
    assert loaded.reached_ is False
    assert not loaded.predict(NOISE_NEW).any()


def test_what_is_reached_says_nothing(caplog) -> None:
    model = small("r@p=0.5", model="linear").fit(X, Y)
    assert model.reached_ is True
    assert model.predict(X).any()
    assert "no threshold" not in caplog.text


@pytest.mark.parametrize("objective", ["f1", "aucpr", "p@r=0.8", "tpr@fpr=0.1"])
def test_only_a_precision_is_out_of_reach_of_noise(objective) -> None:
    assert small(objective, model="linear").fit(NOISE, RARE).reached_ is True


@pytest.mark.parametrize("positives", [1, 2])
def test_a_few_positives_reach_nothing(positives, caplog) -> None:
    """Two positives in 7000 rows: 99.7% of all rows got a yes. One cannot even be held back."""
    y = (np.arange(1000) < positives).astype(int)
    model = small("r@p=0.9", model="linear").fit(NOISE, y)
    assert not model.reached_
    assert not model.predict(NOISE).any()
    assert "no threshold reaches" in caplog.text


def test_a_precision_of_a_lucky_few_is_not_trusted() -> None:
    """On noise the first row of all is positive as often as any, and its precision is 1."""
    point, falling = RecallAtPrecision(0.9), np.arange(100.0, 0.0, -1.0)
    lucky, sound = np.arange(100) % 10 == 0, np.arange(100) < 10
    one = np.ones(100)
    assert point.value_of_counts(np.cumsum(lucky).astype(float), np.cumsum(one)) == 0.1  # so the metric has it
    assert not is_reached(point, falling, lucky, one)
    assert is_reached(point, falling, sound, one)
    assert is_reached(point, falling, sound, 1e-9 * one)  # rows are counted, not their weights
    assert is_reached(point, falling, np.arange(100) < 2, one)  # all that there are


def test_classes_that_are_out_of_reach_are_not_predicted_unless_all_are(caplog) -> None:
    labels = np.where(X[:, 0] > 0.7, "high", np.random.default_rng(1).choice(["a", "b"], 500, p=[0.8, 0.2]))
    model = small("r@p=0.95", model="linear").fit(X, labels)
    assert model.classes_.tolist() == ["a", "b", "high"]
    assert model.reached_ == [False, False, True]
    assert "for the class 'b' on rows that the model was not trained on, so it is predicted only if no" in caplog.text
    assert set(model.predict(X)) == {"high"}
    noise = small("r@p=0.95", model="linear").fit(X, np.random.default_rng(1).choice(["a", "b", "c"], 500))
    assert noise.reached_ == [False, False, False]
    assert np.array_equal(noise.predict(X), noise.classes_[noise.predict_proba(X).argmax(axis=1)])


def test_columns_of_labels_each_have_their_own() -> None:
    columns = np.stack([X[:, 0] > 0.7, np.random.default_rng(1).random(500) < 0.2], axis=1).astype(int)
    model = small("r@p=0.9", model="linear").fit(X, columns)
    assert model.reached_ == [True, False]
    assert model.predict(X).any(axis=0).tolist() == [True, False]
