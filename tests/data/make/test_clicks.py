"""Simulated clicks follow the position-based model that they say they follow."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.data import RankingData, polynomial, simulate_clicks
from rankwise.errors import DataError, ShapeError

DATA = polynomial(queries=40, documents=12, features=5, seed=0)


def test_a_session_shows_the_top_documents_of_one_query_in_falling_order() -> None:
    scores = np.random.default_rng(0).normal(size=DATA.y.size)
    log = simulate_clicks(DATA, scores, sessions=3, top=7, shuffle=0.0)
    assert np.unique(log.session).size == 3 * 40
    for session in np.unique(log.session):
        mine = log.session == session
        rows = log.rows[mine]
        (query,) = set(DATA.qid[rows])
        best = sorted(scores[DATA.qid == query], reverse=True)[:7]
        assert scores[rows].tolist() == best
        assert log.position[mine].tolist() == list(range(1, 8))


@pytest.mark.slow
def test_clicks_come_as_often_as_position_and_grade_say() -> None:
    log = simulate_clicks(DATA, DATA.X[:, 0], sessions=3000, top=4, steepness=0.7, shuffle=3.0)
    chance = 0.1 + 0.9 * (2.0 ** DATA.y[log.rows] - 1) / (2.0 ** DATA.y.max() - 1)
    for k in range(1, 5):
        for grade in np.unique(DATA.y):
            mine = (log.position == k) & (DATA.y[log.rows] == grade)
            expected = k**-0.7 * chance[mine][0]
            error = np.sqrt(expected * (1 - expected) / mine.sum())
            assert abs(log.clicked[mine].mean() - expected) <= 4.5 * error
    assert log.propensities == pytest.approx([1, 2**-0.7, 3**-0.7, 4**-0.7])


def test_lists_differ_by_chance_and_the_same_seed_gives_the_same() -> None:
    scores = DATA.X[:, 0]
    first, again, other = (simulate_clicks(DATA, scores, sessions=5, shuffle=0.5, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.rows, again.rows)
    assert np.array_equal(first.clicked, again.clicked)
    assert not np.array_equal(first.rows, other.rows)
    lists = {tuple(first.rows[first.session == session]) for session in range(5)}
    assert len(lists) > 1


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_as_one_table(form) -> None:
    judged = RankingData(form(DATA.X), DATA.y, DATA.qid)
    log = simulate_clicks(judged, DATA.X[:, 0], sessions=2, top=3)
    table = log.data
    X = table.X.toarray() if table.is_sparse else table.X
    assert np.array_equal(X[:, :5], DATA.X[log.rows])
    assert np.array_equal(X[:, 5], log.position)
    assert (table.feature_names or [])[-1] == "position"
    assert np.array_equal(table.y, log.clicked)
    assert np.array_equal(table.qid, log.session)


def test_bad_arguments_are_one_sentence() -> None:
    with pytest.raises(ShapeError, match="one entry per row: got 3 for 480"):
        simulate_clicks(DATA, [1, 2, 3])
    with pytest.raises(DataError, match="sessions must be 1 or more, got 0"):
        simulate_clicks(DATA, DATA.y, sessions=0)
    with pytest.raises(DataError, match="scores must be finite numbers, got -inf"):
        simulate_clicks(DATA, np.where(DATA.y > 0, DATA.y, -np.inf))
    with pytest.raises(DataError, match="shuffle must be 0 or more, got nan"):
        simulate_clicks(DATA, DATA.y, shuffle=np.nan)
