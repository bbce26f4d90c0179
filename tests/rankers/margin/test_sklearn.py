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
from tests.rankers.made import TRAIN

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
