"""Contested: the best-ranked first, then the places near the top that rankers of folds dispute."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.sampling import Contested, Pool
from tests.reference import samplers
from tests.sampling.noting_pools import Noting, made_pool
from tests.sampling.pool_factories import FirstFeature


@given(
    *(st.integers(low, high) for low, high in ((1, 7), (2, 5), (1, 6), (0, 3), (2, 4), (0, 12), (0, 99))),
)
def test_utilities_by_loops(queries, labelled, candidates, first, folds, depth, seed) -> None:
    pool = made_pool(queries, labelled, candidates, seed)
    sampler = Contested(first=first, folds=folds, depth=depth)
    utilities = sampler.utilities(pool, np.random.default_rng(seed))
    others = [Noting().fit(pool.data.X[rows], pool.y[rows]) for rows in list(Noting.fits)]
    if not others:
        assert utilities.tolist() == pool.scores.tolist()
        return
    for q in range(queries):
        rows = pool.candidates[pool.query == q]
        scores = pool.ranker.predict(pool.data.X[rows])
        by_others = [other.predict(pool.data.X[rows]).tolist() for other in others]
        n_relevant = sum(pool.y[row] > 0 for row in pool.labelled if pool.data.qid[row] == q)
        expected = np.array(samplers.contested(scores.tolist(), by_others, n_relevant, depth))
        of_query = utilities[pool.query == q]
        order = np.argsort(-of_query, kind="stable")
        best, rest = order[:first], order[first:]
        assert scores[best].tolist() == sorted(scores, reverse=True)[:first]
        assert of_query[rest] == pytest.approx(expected[rest])
        assert of_query[best].min(initial=np.inf) > of_query[rest].max(initial=-np.inf)
        assert (np.diff(of_query[best]) < 0).all()


class ByGrades(FirstFeature):
    """Scores by the first feature where it is fitted on a grade of 3, otherwise by the second."""

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        self.column_ = 0 if (y == 3).any() else 1
        return self

    def predict(self, X: Any) -> Any:
        return X[:, self.column_].astype(float)


@pytest.mark.parametrize(("depth", "near_top", "further_down"), [(0, 2 / 1, 6 / 4), (10, 22 / 21, 26 / 24)])
def test_by_hand(depth, near_top, further_down) -> None:
    """The ranker and the fold of the second query have the order 1 2 3 4 5 6, the fold of the first has 2 1 3 6 5 4;
    the first query has two relevant documents."""
    places = np.array([[1, 2], [2, 1], [3, 3], [4, 6], [5, 5], [6, 4]])
    X = np.concatenate([-places, np.zeros((5, 2))]).astype(np.float32)
    y = np.array([-1.0] * 6 + [2, 1, 0] + [3, 0])
    pool = Pool(RankingData(X, y, [1] * 9 + [2] * 2), y, ByGrades().fit(X, y))
    utilities = Contested(first=0, folds=2, depth=depth).utilities(pool, np.random.default_rng(0))
    assert utilities == pytest.approx(np.log([near_top, near_top, 1, further_down, 1, further_down]))


def test_is_top_where_there_is_nothing_to_learn() -> None:
    pool = made_pool(queries=1, labelled=2, candidates=6, seed=0)
    assert Contested().utilities(pool, np.random.default_rng(0)).tolist() == pool.scores.tolist()
    assert Noting.fits == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"first": -1}, "first must be a whole number from 0 "),
        ({"folds": 1}, "folds must be a whole number from 2 "),
        ({"depth": 0.5}, "depth must be a whole number from 0 "),
    ],
)
def test_settings_are_whole_numbers(settings, message) -> None:
    with pytest.raises(DataError, match=message):
        Contested(**settings)
