"""RateClassifier among scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

import rankwise as rw
from tests.rankers.rates.factories import FAMILIES, clusters, small

# The checks that do not apply, each with the reason.
EXCEPTIONS = {
    "check_classifiers_train": "it wants a threshold where the probability is a half; ours is where the objective says",
    "check_sample_weight_equivalence_on_dense_data": "folds are drawn by row, so that two copies may be in two folds",
    "check_sample_weight_equivalence_on_sparse_data": "as on dense data",
}
OF_NETS = {"check_methods_subset_invariance": "torch multiplies a batch of float32 rows in another order than one row"}


def estimator_checks():
    for family in FAMILIES:
        model = rw.RateClassifier(
            "f1", model=family, n_jobs=1, epochs=2, min_child_samples=1, n_estimators=10, folds=2, random_state=0
        )
        excepted = EXCEPTIONS | (OF_NETS if family == "net" else {})
        for estimator, check in estimator_checks_generator(model, legacy=True, expected_failed_checks=None, mark=None):
            name = getattr(check, "func", check).__name__
            marks = [pytest.mark.skip(reason=excepted[name])] if name in excepted else []
            yield pytest.param(estimator, check, id=f"{family}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks()))
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_it_is_searched_and_cloned_in_a_pipeline():
    X, y = clusters(600, 0)
    model = make_pipeline(StandardScaler(), small("r@p=0.9", model="linear"))
    search = GridSearchCV(model, {"rateclassifier__penalty": [1e-3, 1e6]}, cv=3, scoring="average_precision")
    assert search.fit(X, y).best_params_ == {"rateclassifier__penalty": 1e-3}
    copy = clone(search.best_estimator_[-1])
    assert copy.get_params() == search.best_estimator_[-1].get_params()
    assert not hasattr(copy, "models_")
    found = cross_val_predict(small("f1", model="trees"), X, y, cv=3, method="predict_proba")
    assert np.allclose(found.sum(axis=1), 1.0)
