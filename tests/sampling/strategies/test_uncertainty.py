"""Uncertainty: Yu's most ambiguous set, by trying every set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import DataError
from rankwise.sampling import Uncertainty
from tests.reference import samplers
from tests.sampling.pool_factories import one_query, pool_of_scores, score_lists


@given(score_lists, st.integers(2, 5), st.integers(0, 3))
def test_no_set_is_more_ambiguous(lists, size, seed) -> None:
    pool, where = pool_of_scores(lists)
    chosen = Uncertainty(size=size).select(pool, per_query=size, random_state=seed)
    for q, (scores, rows) in enumerate(zip(lists, where, strict=True)):
        places = tuple(sorted(rows.index(row) for row in chosen if pool.data.qid[row] == q))
        if len(scores) < size:
            assert len(places) == len(scores)  # all that there are
        else:
            assert places in samplers.ambiguous_sets(scores, size)


def test_by_hand() -> None:
    """Sets of three neighbours of 0, 1, 1.5, 4, 9: sums over pairs are 3, 6 and 15; 4 is at best in the second."""
    assert one_query(Uncertainty(size=3), [4.0, 0.0, 1.5, 1.0, 9.0]) == [-6.0, 1.0, 1.0, 1.0, -15.0]
    # Two pairs are as close as can be: one of them is the set, the other is as ambiguous.
    utilities = one_query(Uncertainty(size=2), [0.0, 0.5, 7.0, 7.5])
    assert sorted(utilities) == [-0.5, -0.5, 1.0, 1.0]
    assert utilities[0] == utilities[1]
    assert utilities[2] == utilities[3]


def test_equal_sets_are_chosen_at_random_and_never_mixed() -> None:
    pool, (rows,) = pool_of_scores([[0.0, 0.0, 0.0, 5.0, 5.0, 5.0]])
    chosen = [frozenset(Uncertainty(size=3).select(pool, per_query=3, random_state=seed)) for seed in range(40)]
    assert set(chosen) == {frozenset(rows[:3]), frozenset(rows[3:])}
    assert 5 <= chosen.count(frozenset(rows[:3])) <= 35  # 20 are expected; 4 or fewer have a chance of 1e-7


def test_a_query_with_fewer_candidates_has_no_set() -> None:
    assert one_query(Uncertainty(), [1.0, 2.0, 3.0, 4.0]) == [-np.inf] * 4


@pytest.mark.parametrize("size", [1, 2.5, "5"])
def test_a_set_has_two_documents_or_more(size) -> None:
    with pytest.raises(DataError, match="size must be a whole number from 2"):
        Uncertainty(size=size)
