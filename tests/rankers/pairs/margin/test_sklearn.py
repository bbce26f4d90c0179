"""MarginRanker among scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from rankwise.rankers import MarginRanker
from tests.rankers.pairs.margin.factories import noisy

MODELS = {
    "pairs of features": MarginRanker(epsilon=0.9),
    "products of stumps": MarginRanker(epsilon=0.6, method="reduced", hypotheses="stumps"),
    "hard": MarginRanker(method="hard"),
}


def estimator_checks():
    for name, model in MODELS.items():
        for estimator, check in estimator_checks_generator(model, legacy=True, expected_failed_checks=None, mark=None):
            yield pytest.param(estimator, check, id=f"{name}-{getattr(check, 'func', check).__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks()))
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_it_is_searched_and_cloned_in_a_pipeline():
    X, y = noisy()
    model = make_pipeline(StandardScaler(), MarginRanker())
    search = GridSearchCV(model, {"marginranker__epsilon": [1e-3, 0.4]}, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_ == {"marginranker__epsilon": 0.4}
    copy = clone(search.best_estimator_[-1])
    assert copy.get_params() == search.best_estimator_[-1].get_params()
    assert not hasattr(copy, "alpha_")
    functions = [lambda X: np.tanh(X[:, 1])]
    assert clone(MarginRanker(hypotheses=functions)).hypotheses == functions
