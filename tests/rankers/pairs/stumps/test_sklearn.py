"""RankBoost and SoftRankBoost among scikit-learn's tools."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from rankwise.rankers import RankBoost, SoftRankBoost
from tests.rankers.pairs.stumps.factories import BINARY, X

MODELS = [RankBoost("ndcg[linear]", n_estimators=10), SoftRankBoost("ndcg[linear]", n_estimators=10)]


def estimator_checks():
    for model in MODELS:
        for estimator, check in estimator_checks_generator(model, legacy=True, expected_failed_checks=None, mark=None):
            name = getattr(check, "func", check).__name__
            yield pytest.param(estimator, check, id=f"{model.kind}-{name}")


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks()))
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.kind)
def test_columns_of_tables_have_names(model):
    table = pd.DataFrame(X, columns=list("abcde"))
    model.fit(table, BINARY)
    assert model.explain(table, 0, 1).features == list("abcde")
    assert model.predict(table).tolist() == model.fit(X, BINARY).predict(X).tolist()
