"""The score of a RateClassifier is its objective, also where rows have weights, and searches choose by it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import rankwise as rw
from rankwise.errors import DataError, ShapeError
from rankwise.objectives.rates._objective import rate_objective
from rankwise.objectives.rates._soft_counts import RankedRows, objective_value
from tests.rankers.rates.factories import clusters, logistic, small

X, Y = logistic(500, 0)
X_NEW, Y_NEW = logistic(1000, 1)
METRICS = ["r@p=0.6", "p@r=0.5", "tpr@fpr=0.2", "f1", "f2", "auc", "pauc[0,0.1]", "pauc[0.2,0.7]", "aucpr",
           "aucpr[0,1]", "aucpr[0.5,0.9]"]  # fmt: skip


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("seed", range(3))
def test_a_row_of_weight_2_is_two_rows(name, seed) -> None:
    rng = np.random.default_rng(seed)
    y, times = rng.random(60) < 0.4, rng.integers(0, 4, 60)
    scores = np.round(rng.normal(size=60) + y, 1)
    expected = rw.evaluate(np.repeat(y, times), np.repeat(scores, times), metrics=name)[name]
    counts = RankedRows(scores, y).counts(times.astype(float))
    (term,) = rate_objective(name).terms
    assert term.metric.value_of_counts(*counts) == pytest.approx(expected, abs=1e-12)
    weights = 0.1 * times.astype(np.float64)
    assert objective_value(rate_objective(name), scores, y, weights) == pytest.approx(expected, abs=1e-12)


def test_it_is_the_objective_and_takes_weights() -> None:
    model = small("0.5*r@p=0.8 + 0.5*aucpr", model="linear").fit(X, Y)
    parts = rw.evaluate(Y_NEW, model.scores(X_NEW), metrics=["r@p=0.8", "aucpr"])
    assert model.score(X_NEW, Y_NEW) == pytest.approx(0.5 * parts["r@p=0.8"] + 0.5 * parts["aucpr"])
    times = np.where(Y_NEW, 3, 1)
    repeated = model.score(np.repeat(X_NEW, times, axis=0), np.repeat(Y_NEW, times))
    assert model.score(X_NEW, Y_NEW, sample_weight=times) == pytest.approx(repeated)
    assert model.score(X_NEW, Y_NEW) != pytest.approx(repeated)


def test_of_several_classes_it_is_the_mean_over_those_that_are_there() -> None:
    three = np.digitize(X[:, 0], [-1.0, 1.0])
    model = small("auc", model="linear").fit(X, three)
    values = [rw.evaluate(three == k, model.decision_function(X)[:, k], metrics="auc")["auc"] for k in range(3)]
    assert model.score(X, three) == pytest.approx(np.mean(values))
    fewer = three < 2
    assert 0.5 < model.score(X[fewer], three[fewer]) < 1


def test_labels_of_one_class_have_no_score() -> None:
    model = small("r@p=0.7", model="linear").fit(X, Y)
    for labels in (np.zeros(1000, int), np.ones(1000, int)):
        with pytest.raises(DataError, match=r"r@p=0.7 has no value on rows that are all of one class, got 1000"):
            model.score(X_NEW, labels)
    with pytest.raises(ShapeError, match="got 999 for 1000 rows"):
        model.score(X_NEW, Y_NEW[1:])


def test_searches_choose_by_it() -> None:
    """Those of the positives that can be told apart lie on the left, most of them on the right."""
    X, y = clusters(600, 0)
    grid = [[1, 0], [-1, 0]]
    model = small("r@p=0.9", model="linear", folds=2)
    search = GridSearchCV(model, {"monotone_constraints": grid}, cv=2, error_score="raise").fit(X, y)
    found = [cross_val_score(clone(model).set_params(monotone_constraints=sign), X, y, cv=2).mean() for sign in grid]
    assert search.cv_results_["mean_test_score"].tolist() == found
    assert search.best_params_ == {"monotone_constraints": [-1, 0]}
    assert search.score(X, y) == search.best_estimator_.score(X, y)


def test_the_scale_of_weights_says_nothing_and_weight_0_is_no_row() -> None:
    """LightGBM grew no tree at all where weights add up to little."""
    for family in ("trees", "linear"):
        plain = small("f1", model=family).fit(X, Y)
        for scale in (1e-9, 1e9):
            scaled = small("f1", model=family).fit(X, Y, sample_weight=np.full(500, scale))
            assert np.allclose(scaled.predict_proba(X_NEW), plain.predict_proba(X_NEW))
        far = np.vstack([X, np.full((50, 4), 1e3)])
        weights = np.repeat([1.0, 0.0], [500, 50])
        with_others = small("f1", model=family).fit(far, np.append(Y, np.ones(50, int)), sample_weight=weights)
        assert np.allclose(with_others.decision_function(X_NEW), plain.decision_function(X_NEW))
