"""RankBoost against its definition over explicit pairs, round by round, and at the ends of what it is given."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data import r_of_k
from rankwise.errors import DataError
from rankwise.rankers import RankBoost
from rankwise.rankers._pair_rows import pair_rows
from rankwise.rankers.pairs.stumps._graded_rows import graded_rows
from rankwise.rankers.pairs.stumps._rankboost import PairBooster
from tests.rankers.pairs.stumps.factories import BINARY, CASES, GRADED, QID, X, booster_rows, fitted, weighty
from tests.reference import boosting_by_definition as slow

ROUNDS = 25


@pytest.mark.parametrize("case", CASES)
def test_rounds_are_those_of_the_definition(case) -> None:
    features, *targets = weighty(case)
    history = slow.rankboost(features, slow.pairs_of(*targets), ROUNDS)
    rounds = fitted(RankBoost(n_estimators=ROUNDS), case).rounds_
    assert rounds.feature.tolist() == [stump[0] for stump in history]
    assert rounds.threshold.tolist() == [stump[1] for stump in history]
    assert rounds.sign.tolist() == [stump[2] for stump in history]
    assert np.allclose(2 * rounds.weight, [stump[3] for stump in history], rtol=1e-9, atol=0)


@pytest.mark.parametrize("case", CASES)
def test_weights_of_rows_are_sums_over_pairs(case) -> None:
    _, *targets = weighty(case)
    count, pairs = len(targets[0]), slow.pairs_of(*targets)
    booster = PairBooster(graded_rows(booster_rows(case)))
    assert np.allclose(booster.row_weights(), slow.row_weights(pairs, pairs[2] / pairs[2].sum(), count))
    scores = np.random.default_rng(0).normal(size=count, scale=5)
    for shift in (0.0, 1e4, -1e4):
        booster.scores = scores[booster.rows.order] + shift
        D = pairs[2] * np.exp(-(scores[pairs[0]] - scores[pairs[1]]))
        assert np.allclose(booster.row_weights(), slow.row_weights(pairs, D / D.sum(), count), atol=1e-9)


@pytest.mark.parametrize("size", [30.0, 1e3, 1e6])
def test_scores_of_any_size_leave_weights_that_add_up(size) -> None:
    rows = pair_rows("", X, GRADED, QID, None, None)
    booster = PairBooster(graded_rows(rows))
    for scores in (GRADED, -GRADED, np.random.default_rng(0).normal(size=len(X))):
        booster.scores = size * scores[booster.rows.order]
        u = booster.row_weights()
        assert np.isfinite(u).all()
        assert abs(u.sum()) < 1e-9
        assert 1e-6 < np.abs(u).sum() <= 2.0 + 1e-9


@pytest.mark.slow
def test_ten_thousand_rounds_on_separable_rows_stay_finite() -> None:
    X = np.random.default_rng(0).normal(size=(30, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(float)
    model = RankBoost(n_estimators=10_000).fit(X, y)
    scores = model.predict(X)
    assert len(model.rounds_) == 10_000
    assert np.isfinite(scores).all()
    assert np.ptp(scores) > 800  # e^{-800} is 0, and its inverse infinite
    assert scores[y == 1].min() > scores[y == 0].max()


def test_a_perfect_stump_ends_training_and_no_stump_gives_equal_scores() -> None:
    model = RankBoost().fit(X, (X[:, 3] > 0.1).astype(float))
    assert (len(model.rounds_), model.best_iteration_, model.stumps_.feature.tolist()) == (1, 1, [3])
    assert model.score(X, X[:, 3] > 0.1) == 1.0
    model = RankBoost("auc").fit(np.ones((60, 2)), BINARY, eval_set=(np.ones((60, 2)), BINARY))
    assert (len(model.rounds_), model.best_iteration_, model.best_score_) == (0, 0, 0.5)
    assert model.predict(np.zeros((3, 2))).tolist() == [0.0, 0.0, 0.0]
    assert model.feature_importances_.tolist() == [0.0, 0.0]
    assert list(model.staged_predict(np.zeros((3, 2)))) == []


def test_a_row_that_weighs_two_is_two_rows() -> None:
    counts = np.random.default_rng(0).integers(0, 4, len(X))
    weighed = RankBoost(n_estimators=20).fit(X, GRADED, qid=QID, sample_weight=counts)
    repeated = RankBoost(n_estimators=20).fit(
        *(np.repeat(a, counts, axis=0) for a in (X, GRADED)), qid=QID.repeat(counts)
    )
    assert np.array_equal(weighed.rounds_.threshold, repeated.rounds_.threshold)
    assert np.allclose(weighed.rounds_.weight, repeated.rounds_.weight, rtol=1e-9)


def test_training_lowers_the_share_of_wrong_pairs_as_its_edges_promise() -> None:
    model = RankBoost(n_estimators=60).fit(X, BINARY)
    edges = np.tanh(2 * model.rounds_.weight)  # of α = 2·weight
    bounds = np.cumprod(np.sqrt(1 - edges**2))
    for bound, scores in zip(bounds, model.staged_predict(X), strict=True):
        wrong = np.mean(scores[BINARY == 1][:, None] <= scores[BINARY == 0])
        assert wrong <= bound


def test_weights_that_leave_no_pair_are_an_error() -> None:
    with pytest.raises(DataError, match="no query has documents of different labels and weights above 0"):
        RankBoost().fit(X, BINARY, sample_weight=BINARY)
    with pytest.raises(DataError, match="no query has documents of different labels"):
        RankBoost().fit(X, np.ones(len(X)))


def test_it_ranks_new_rows_of_a_sum_of_features() -> None:
    made = r_of_k(rows=500, features=30, k=9, r=4, noise=0.0, seed=0)
    train, test = made.rows(np.arange(300)), made.rows(np.arange(300, 500))
    model = RankBoost(n_estimators=100).fit(train.X, train.y)
    assert model.score(test.X, test.y) > 0.98
