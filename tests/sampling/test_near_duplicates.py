"""Batches without near-duplicates: against a plain loop, sparse as dense, and with missing features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data import RankingData
from rankwise.sampling import Pool, RandomSampler, TopRanked
from tests.reference.samplers import kept_apart
from tests.sampling.pool_factories import FirstFeature


def feature_pool(X: np.ndarray, queries: int, seed: int = 0) -> Pool:
    y = np.where(np.random.default_rng(seed).random(len(X)) < 0.2, 0.0, -1.0)
    return Pool(RankingData(X, y, np.arange(len(X)) % queries), y, FirstFeature())


def expected_rows(pool: Pool, count: int, apart: float) -> list[int]:
    """By Top's own order without `apart`, which has no ties to break once there are different first features."""
    features = np.asarray(pool.data.X, dtype=np.float64)
    deviation = features.std(axis=0)
    scaled = (features / np.where(deviation > 0, deviation, 1.0)).tolist()
    whole = TopRanked().select(pool, per_query=len(features))
    return [
        row
        for query in pool.data.groups.qids
        for row in kept_apart([r for r in whole if pool.data.qid[r] == query], scaled, count, apart)
    ]


@pytest.mark.slow
@given(st.integers(1, 80), st.integers(1, 3), st.integers(1, 6), st.floats(0.01, 3.0), st.integers(0, 99))
def test_by_loops_and_sparse_as_dense(rows, queries, count, apart, seed) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.permutation(rows) / 64, rng.integers(0, 3, (rows, 3)), np.full(rows, 0.1)])
    pool = feature_pool(X.astype(np.float32), queries, seed)
    chosen = TopRanked(min_distance=apart).select(pool, count).tolist()
    assert chosen == expected_rows(pool, count, apart)
    sparse = Pool(RankingData(sp.csr_array(pool.data.X), pool.y, pool.data.qid), pool.y, pool.ranker)
    assert TopRanked(min_distance=apart).select(sparse, count).tolist() == chosen


def test_by_hand() -> None:
    """Deviations: of the first feature √2 (0 to 4), the second's 1 stands for itself. 4 and 3 are 1/√2/√2 = ½ apart."""
    X = np.array([[4.0, 1.0], [3.0, 1.0], [2.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    pool = Pool(RankingData(X, np.full(5, -1.0), np.zeros(5)), np.full(5, -1.0), FirstFeature())
    assert TopRanked(min_distance=0.49).select(pool, 3).tolist() == [0, 1, 2]
    assert TopRanked(min_distance=0.51).select(pool, 3).tolist() == [0, 2, 4]
    assert TopRanked(min_distance=1.1).select(pool, 3).tolist() == [0, 3, 1]  # the third is filled up by what is best
    assert TopRanked(min_distance=9.0).select(pool, 3).tolist() == [0, 1, 2]


def test_documents_that_are_alike_come_once_while_there_are_others() -> None:
    X = np.repeat(np.arange(4.0), 5)[:, None]
    pool = Pool(RankingData(X, np.full(20, -1.0), np.zeros(20)), np.full(20, -1.0), FirstFeature())
    for seed in range(5):
        chosen = X[RandomSampler(min_distance=1e-9).select(pool, 6, seed), 0]
        assert sorted(chosen[:4]) == [0, 1, 2, 3]
        assert X[TopRanked(min_distance=1e-9).select(pool, 6, seed), 0].tolist() == [3, 2, 1, 0, 3, 3]


def test_queries_are_kept_apart_on_their_own() -> None:
    X = np.array([[1.0], [1.0], [0.0], [0.0]])
    y = np.full(4, -1.0)
    pool = Pool(RankingData(X, y, [0, 1, 0, 1]), y, FirstFeature())
    assert TopRanked(min_distance=0.1).select(pool, 2).tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_missing_feature_is_an_average_one(form) -> None:
    """Means are 2 and 5; the second row differs from the first in nothing that is known, the third does."""
    X = np.array([[3.0, 5.0, np.nan], [3.0, np.nan, np.nan], [2.0, 9.0, np.nan], [0.0, 1.0, np.nan]])
    y = np.full(4, -1.0)
    pool = Pool(RankingData(form(X), y, np.zeros(4)), y, FirstFeature())
    assert TopRanked(min_distance=0.1).select(pool, 2).tolist() in ([0, 2], [1, 2])


def test_apart_0_passes_nothing_over() -> None:
    X = np.repeat(np.arange(4.0), 5)[:, None]
    pool = Pool(RankingData(X, np.full(20, -1.0), np.zeros(20)), np.full(20, -1.0), FirstFeature())
    assert X[replace(TopRanked(min_distance=1.0), min_distance=0.0).select(pool, 6), 0].tolist() == [3, 3, 3, 3, 3, 2]
