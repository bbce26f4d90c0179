"""Lookahead as it is now: the first by the ranker, the others by one that was told that the first are irrelevant."""

from __future__ import annotations

from typing import Any, Never

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.checks._pools import ExactScorer, make_pool
from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.sampling import Lookahead, Pool, TopRanked
from tests.sampling.pool_factories import FirstFeature


def chosen_by_loops(pool: Pool, first: int, among: int, count: int) -> dict[Any, list[int]]:
    """Rows of each query, best first; scores must differ."""
    scores = pool.ranker.predict(pool.data.X)
    labels = {row: float(label) for row, label in enumerate(pool.y) if label >= 0}
    by_query = {}
    for query in np.unique(pool.data.qid):
        rows = [row for row in range(len(pool.y)) if pool.data.qid[row] == query and pool.y[row] < 0]
        by_query[query] = sorted(rows, key=lambda row: -scores[row])
    for rows in by_query.values():
        labels.update(dict.fromkeys(rows[:first], 0.0))
    told = sorted(labels)
    second = ExactScorer().fit(pool.data.X[told], np.array([labels[row] for row in told]), qid=pool.data.qid[told])
    again = second.predict(pool.data.X)
    return {
        query: (rows[:first] + sorted(rows[first:among], key=lambda row: -again[row]) + rows[among:])[:count]
        for query, rows in by_query.items()
    }


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 5), st.integers(1, 8), st.integers(0, 999))
def test_by_loops(queries, first, more, count, seed) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2**16, (10 * queries, 4)).astype(np.float32) / 64  # so that scores differ, and are exact
    y = np.where(np.arange(len(X)) % 10 < 4, np.arange(len(X)) % 2, -1.0)
    pool = make_pool(X, y, np.arange(len(X)) // 10)
    found = Lookahead(first=first, among=first + more).select(pool, count)
    expected = chosen_by_loops(pool, first, first + more, count)
    assert {query: found[pool.data.qid[found] == query].tolist() for query in expected} == expected


def test_is_top_where_there_is_nothing_to_learn() -> None:
    X = np.arange(12.0).reshape(-1, 2)
    pool = make_pool(X, np.full(6, -1.0), np.zeros(6))
    assert Lookahead().select(pool).tolist() == TopRanked().select(pool).tolist()


@pytest.mark.parametrize("first", [0, -1, 1.5, True])
def test_first_is_a_whole_number_from_1(first) -> None:
    with pytest.raises(DataError, match="first must be a whole number from 1 to 1000000000, got "):
        Lookahead(first=first)


def test_among_holds_the_first() -> None:
    with pytest.raises(DataError, match="among must be a whole number from 4 to 1000000000, got 3"):
        Lookahead(first=4, among=3)


class Refuses(FirstFeature):
    """A ranker that was fitted once, and takes no more rows."""

    def fit(self, X, y, *, qid=None) -> Never:
        raise DataError("there are too few rows, got some; pass more")


def test_is_top_where_the_ranker_refuses_a_second_look() -> None:
    X, y = np.arange(24.0).reshape(-1, 2), np.array([0.0, 1.0] + [-1.0] * 10)
    pool = Pool(RankingData(X, y, np.zeros(12)), y, Refuses())
    assert Lookahead().select(pool).tolist() == TopRanked().select(pool).tolist()
