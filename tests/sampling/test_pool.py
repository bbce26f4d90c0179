"""The pool: who may be chosen, scores that are checked, and draws that do not see the order of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from rankwise.data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.rankers import RankBoost, RankSVM
from rankwise.sampling import Pool, RandomSampler, Sampler, TopRanked
from tests.reference import samplers
from tests.sampling.pool_factories import FirstFeature, pool_of_scores, score_lists

Y = np.array([1.0, -1.0, 0.0, -1.0, -1.0, 0.0])
DATA = RankingData(np.arange(6.0)[:, None], Y, ["b", "a", "a", "b", "a", "c"])


def test_candidates_have_no_label_and_are_not_closed() -> None:
    pool = Pool(DATA, Y, FirstFeature())
    assert (pool.candidates.tolist(), pool.offsets.tolist()) == ([3, 1, 4], [0, 1, 3, 3])  # queries b, a, c
    assert pool.query.tolist() == [0, 1, 1]
    assert pool.labelled.tolist() == [0, 2, 5]
    for closed in ([0, 0, 0, 0, 1, 1], np.arange(6) > 3, [False] * 4 + [True] * 2):
        assert Pool(DATA, Y, FirstFeature(), closed).candidates.tolist() == [3, 1]  # type: ignore[arg-type]


def test_labels_of_the_pool_count_not_those_of_the_data() -> None:
    assert Pool(DATA, np.where(Y < 0, 0.0, -1.0), FirstFeature()).candidates.tolist() == [0, 2, 5]


@given(score_lists)
def test_ranks_by_loops(lists) -> None:
    pool, where = pool_of_scores(lists)
    ranks = np.full(len(pool.data), np.nan)
    ranks[pool.candidates] = pool.ascending.by_candidate(pool.ascending.ranks)
    for scores, rows in zip(lists, where, strict=True):
        assert ranks[rows].tolist() == [samplers.rank(scores, k) for k in range(len(scores))]


def test_descending_and_first_per_query() -> None:
    pool, (rows,) = pool_of_scores([[0.5, 2.0, -1.0, 1.0]])
    order = pool.descending(pool.scores, np.random.default_rng(0))
    assert pool.candidates[order].tolist() == [rows[1], rows[3], rows[0], rows[2]]
    assert pool.candidates[pool.first_per_query(order, 2)].tolist() == [rows[1], rows[3]]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_draws_follow_the_documents(form) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    y, order = np.full(50, -1.0), np.random.default_rng(1).permutation(50)
    drawn, moved = (
        Pool(RankingData(form(features), y, np.zeros(50)), y, None).random_numbers(np.random.default_rng(7))
        for features in (X, X[order])
    )
    assert np.array_equal(drawn[order], moved)
    assert len(set(drawn)) == 50
    assert sorted(drawn) == sorted(np.random.default_rng(7).random(50))


def test_draws_differ_between_documents_that_are_alike() -> None:
    pool = Pool(RankingData(np.ones((50, 1)), np.full(50, -1.0), np.zeros(50)), np.full(50, -1.0), None)
    assert len(set(pool.random_numbers(np.random.default_rng(0)))) == 50


class TurnedRound(RankSVM):
    def predict(self, X):
        return -super().predict(X)


def test_scores_are_those_that_the_ranker_predicts() -> None:
    data = RankingData(np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2, np.repeat([1, 2], 15))
    labels = np.where(np.arange(30) % 3, data.y, -1.0)
    known, rows = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    for ranker in (RankSVM(), TurnedRound(), RankBoost(n_estimators=3)):
        ranker.fit(data.X[known], labels[known], qid=data.qid[known])
        pool = Pool(data, labels, ranker)
        assert sorted(pool.candidates) == rows.tolist()
        np.testing.assert_array_equal(pool.scores, ranker.predict(data.X[pool.candidates]))


def test_whether_labels_can_be_learnt_from() -> None:
    pool = Pool(DATA, Y, FirstFeature())
    for rows, labels, expected in (
        ([], [], False),
        ([0, 1], [0, 1], False),  # of different queries
        ([0, 3], [1, 1], False),
        ([0, 3], [1, 0], True),
    ):
        assert pool.can_learn(np.array(rows, dtype=int), np.array(labels, dtype=float)) is expected


class WrongCount(FirstFeature):
    def predict(self, X):
        return np.zeros(X.shape[0] + 1)


class WrongScores(FirstFeature):
    def predict(self, X):
        return np.full(X.shape[0], np.nan)


class WrongUtilities(Sampler):
    def utilities(self, pool, rng):
        return np.array([1.0])


class NotANumber(Sampler):
    def utilities(self, pool, rng):
        return np.array([1.0, np.nan, 0.0])


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: Pool(DATA, Y[:-1], None), ShapeError, r"y must have one entry per row: got shape \(5,\) for 6 rows"),
        (
            lambda: Pool(DATA, Y, None, [True]),  # type: ignore[arg-type]
            ShapeError,
            r"closed must have one entry per row: got shape \(1,\) for 6",
        ),
        (lambda: Pool(DATA, Y * np.nan, None), DataError, "labels must be finite, got nan at row 0"),
        (
            lambda: Pool.from_arrays([[1.0]], [0], None, None),  # type: ignore[arg-type]
            DataError,
            "every row has a label, so there is nothing to choose",
        ),
        (
            lambda: TopRanked().select(Pool(DATA, Y, WrongCount())),
            ShapeError,
            "WrongCount.predict must give one score per row",
        ),
        (
            lambda: TopRanked().select(Pool(DATA, Y, WrongScores())),
            DataError,
            "scores must be finite, got nan at row 0",
        ),
        (
            lambda: WrongUtilities().select(Pool(DATA, Y, None)),
            DataError,
            r"one number per candidate, got shape \(1,\)",
        ),
        (
            lambda: NotANumber().select(Pool(DATA, Y, None)),
            DataError,
            "NotANumber.utilities must return numbers, got NaN",
        ),
        (
            lambda: RandomSampler().select(Pool(DATA, Y, None), 0),
            DataError,
            "per_query must be a whole number from 1 to 1000000000, got 0",
        ),
        (
            lambda: RandomSampler().select(Pool(DATA, Y, None), 1, -1),
            DataError,
            "random_state must be a whole number from 0, got -1",
        ),
        (
            lambda: RandomSampler(min_distance=-1),
            DataError,
            "min_distance must be a number of deviations from 0, got -1",
        ),
    ],
)
def test_what_is_wrong_is_said(call, error, said) -> None:
    with pytest.raises(error, match=said):
        call()
