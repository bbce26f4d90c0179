"""RankSVM with quantiles: the linear model of features and their quantiles, as one model of the features."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import rankwise as rw
from rankwise.data.prepare._quantiles import Quantiles
from rankwise.errors import DataError
from tests.rankers.factories import TRAIN, VALID

RNG = np.random.default_rng(0)
BENT = rw.RankingData(RNG.exponential(size=(2000, 3)) ** 4, np.zeros(2000), np.arange(2000) // 20)
BENT = rw.RankingData(BENT.X, np.digitize(np.log(BENT.X).sum(axis=1) + RNG.normal(size=2000), [-2, 4]), BENT.qid)


@pytest.mark.parametrize("settings", [{}, {"loss": "hinge", "C": 10.0}, {"C": "svmlight"}, {"standardize": False}])
def test_it_is_the_linear_model_of_both(settings: dict) -> None:
    model = rw.RankSVM(quantiles=True, **settings).fit(BENT)
    order = np.lexsort(BENT.X.T)  # any order of rows gives the same quantiles
    both = Quantiles.of(BENT.X[order]).beside(BENT.X)
    linear = rw.RankSVM(**settings).fit(both, BENT.y, qid=BENT.qid)
    assert_allclose(model.predict(BENT), linear.predict(both), atol=1e-4 * np.abs(linear.predict(both)).max())
    assert pytest.approx(linear.C_) == model.C_
    assert model.quantile_weights_ is not None
    assert model.coef_.shape == model.quantile_weights_.coef.shape == (3,)


def test_features_of_heavy_tails_are_learned_better() -> None:
    train, test = BENT.rows(BENT.qid < 50), BENT.rows(BENT.qid >= 50)
    plain, bent = (rw.RankSVM(quantiles=quantiles).fit(train).score(test) for quantiles in (False, True))
    assert bent > plain + 0.03


def test_the_order_of_rows_plays_no_part() -> None:
    order = np.random.default_rng(1).permutation(len(TRAIN))
    weight = np.random.default_rng(2).uniform(1, 2, len(TRAIN))
    one = rw.RankSVM(quantiles=True).fit(TRAIN, sample_weight=weight)
    other = rw.RankSVM(quantiles=True).fit(TRAIN.rows(order), sample_weight=weight[order])
    assert_array_equal(one.predict(VALID), other.predict(VALID))


def test_what_features_add_is_the_score() -> None:
    model = rw.RankSVM(quantiles=True).fit(TRAIN)
    scores = model.predict(VALID)
    explanation = model.explain(VALID, 0, 1)
    assert sum(explanation.contributions) == pytest.approx(scores[0] - scores[1])
    many = np.tile(VALID.X, (70_000 // len(VALID) + 1, 1))  # more than are scored at once
    assert_array_equal(model.predict(many)[: len(VALID)], scores)


def test_a_fit_without_quantiles_forgets_them() -> None:
    model = rw.RankSVM(quantiles=True).fit(TRAIN)
    assert model.quantile_weights_ is not None
    plain = rw.RankSVM().fit(TRAIN)
    assert_array_equal(model.set_params(quantiles=False).fit(TRAIN).predict(VALID), plain.predict(VALID))
    assert model.quantile_weights_ is None


def test_sparse_features_are_refused() -> None:
    with pytest.raises(DataError, match=r"needs dense features, got a sparse matrix; pass X.toarray\(\)"):
        rw.RankSVM(quantiles=True).fit(sp.csr_matrix(TRAIN.X), TRAIN.y, qid=TRAIN.qid)
    model = rw.RankSVM(quantiles=True).fit(TRAIN)
    with pytest.raises(DataError, match="needs dense features"):
        model.predict(sp.csr_matrix(TRAIN.X))
