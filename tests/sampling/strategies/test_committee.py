"""Committee: the labels come in parts, and utilities are differences of ranks by rankers of these."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import DataError
from rankwise.sampling import Committee
from tests.reference import samplers
from tests.sampling.noting_pools import Noting, made_pool


@given(st.integers(1, 7), st.integers(2, 5), st.integers(1, 6), st.integers(2, 4), st.integers(0, 99))
def test_utilities_are_differences_of_ranks_by_loops(queries, labelled, candidates, folds, seed) -> None:
    pool = made_pool(queries, labelled, candidates, seed)
    found = Committee(folds=folds).utilities(pool, np.random.default_rng(seed))
    others = [Noting().fit(pool.data.X[rows], pool.y[rows]) for rows in list(Noting.fits)]
    for q in range(queries):
        rows = pool.candidates[pool.query == q]
        by_others = [other.predict(pool.data.X[rows]).tolist() for other in others]
        expected = samplers.rank_differences(pool.ranker.predict(pool.data.X[rows]).tolist(), by_others)
        assert found[pool.query == q].tolist() == expected


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_parts_are_whole_queries_where_there_are_enough(folds) -> None:
    pool = made_pool(queries=7, labelled=4, candidates=3, seed=0)
    Committee(folds=folds).select(pool)
    assert sorted(row for part in Noting.fits for row in part) == pool.labelled.tolist()
    assert len(Noting.fits) == folds
    parts = [Counter(pool.data.qid[part].tolist()) for part in Noting.fits]
    assert all(count == 4 for part in parts for count in part.values())
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_parts_of_few_queries_are_alike_in_labels() -> None:
    pool = made_pool(queries=2, labelled=15, candidates=3, seed=0)
    Committee(folds=5).select(pool)
    assert sorted(row for part in Noting.fits for row in part) == pool.labelled.tolist()
    assert [sorted(pool.y[part]) for part in Noting.fits] == [[0, 0, 1, 1, 2, 2]] * 5


def test_parts_are_drawn_by_seed() -> None:
    pool = made_pool(queries=12, labelled=4, candidates=3, seed=0)
    drawn = []
    for seed in (0, 0, 1):
        Noting.fits.clear()
        Committee(folds=3).select(pool, random_state=seed)
        drawn.append([sorted(part) for part in Noting.fits])
    assert drawn[0] == drawn[1] != drawn[2]


def test_parts_without_anything_to_learn_are_left_out() -> None:
    """Five parts of queries of 2 labels, 0 and 1, are learnt from; as documents, 2 labels in 5 parts are not."""
    Committee(folds=5).select(made_pool(queries=5, labelled=2, candidates=3, seed=0))
    assert len(Noting.fits) == 5
    pool = made_pool(queries=1, labelled=2, candidates=6, seed=0)
    assert Committee(folds=5).utilities(pool, np.random.default_rng(0)).tolist() == [0.0] * 6
    assert Noting.fits == []


def test_parts_that_the_ranker_refuses_are_left_out() -> None:
    pool = made_pool(queries=5, labelled=4, candidates=6, seed=0, least=8)
    found = Committee(folds=3).utilities(pool, np.random.default_rng(0))  # parts of 2, 2 and 1 queries
    assert [len(part) for part in Noting.fits] == [8, 8]
    assert found.any()


@pytest.mark.parametrize("folds", [1, 0, 2.5, True])
def test_folds_are_two_or_more(folds) -> None:
    with pytest.raises(DataError, match="folds must be a whole number from 2 to 1000000000, got "):
        Committee(folds=folds)
