"""RankSVM and AUCSVM among scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

import rankwise as rw
from tests.rankers.factories import TRAIN, VALID

# The checks that do not apply, each with the reason.
EXCEPTIONS: dict[str, str] = {}


def estimator_checks():
    for model in (rw.RankSVM("ndcg[linear]"), rw.AUCSVM()):
        for estimator, check in estimator_checks_generator(model, legacy=True, expected_failed_checks=None, mark=None):
            name = getattr(check, "func", check).__name__
            marks = [pytest.mark.skip(reason=EXCEPTIONS[name])] if name in EXCEPTIONS else []
            yield pytest.param(estimator, check, id=f"{model.kind}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks()))
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [rw.RankSVM, rw.AUCSVM])
def test_searches_choose_c(make):
    with sklearn.config_context(enable_metadata_routing=True):
        model = make("ndcg@5").set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler(), model),
            {f"{make.kind}__C": [1e-3, 1.0]},
            cv=GroupKFold(2),
            error_score="raise",
        )
        search.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, groups=TRAIN.qid)
        assert search.score(VALID.X, VALID.y, qid=VALID.qid) > 0.5
        assert not hasattr(clone(search.best_estimator_[-1]), "coef_")
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
