"""Nets among scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from rankwise.rankers import LambdaRank
from tests.rankers.factories import TRAIN, VALID
from tests.rankers.nets.factories import KINDS
from tests.rankers.trees.test_sklearn import EXCEPTIONS


def estimator_checks():
    for cls in KINDS:
        model = cls("ndcg[linear]", epochs=5, random_state=0)
        for estimator, check in estimator_checks_generator(model, legacy=True, expected_failed_checks=None, mark=None):
            name = getattr(check, "func", check).__name__
            marks = [pytest.mark.skip(reason=EXCEPTIONS[name])] if name in EXCEPTIONS else []
            yield pytest.param(estimator, check, id=f"{cls.kind}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks()))
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_qid_is_routed_and_missing_values_are_imputed_in_a_pipeline():
    X = TRAIN.X.copy()
    X[::7, 2] = np.nan
    with sklearn.config_context(enable_metadata_routing=True):
        net = LambdaRank("ndcg@5", epochs=10, random_state=0).set_fit_request(qid=True).set_score_request(qid=True)
        model = make_pipeline(SimpleImputer(), net)
        values = cross_val_score(
            clone(model), X, TRAIN.y, params={"qid": TRAIN.qid, "groups": TRAIN.qid}, cv=GroupKFold(2),
            error_score="raise",
        )  # fmt: skip
        model.fit(X, TRAIN.y, qid=TRAIN.qid)
        assert model.score(VALID.X, VALID.y, qid=VALID.qid) > 0.5
    assert values.min() > 0.4
