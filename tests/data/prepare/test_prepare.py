"""Splitting, normalizing and describing."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data import RankingData, describe, normalize, overlap, split
from rankwise.errors import DataError


def example(queries: int = 50, seed: int = 0) -> RankingData:
    generator = np.random.default_rng(seed)
    qid = generator.permutation(np.repeat(np.arange(queries), 4))
    return RankingData(generator.normal(size=(len(qid), 3)), generator.integers(0, 3, len(qid)), qid)


@given(st.integers(0, 1000), st.sampled_from([(0.6, 0.2, 0.2), (0.5, 0.5), (1.0,), (0.9, 0.1)]))
@settings(max_examples=30)
def test_split_keeps_queries_whole(seed, fractions) -> None:
    data = example()
    parts = split(data, fractions, seed=seed)
    queries = [set(part.qid.tolist()) for part in parts]
    assert sorted(q for part in queries for q in part) == list(range(50))
    assert [len(part) for part in queries] == [round(50 * share) for share in fractions]
    assert sum(map(len, parts)) == len(data)
    again = split(data, fractions, seed=seed)
    assert all((a.qid == b.qid).all() and (a.X == b.X).all() for a, b in zip(parts, again, strict=True))


@pytest.mark.parametrize("fractions", [(), (0.5, 0.4), (1.5, -0.5), (0.0, 1.0), (float("nan"), 1)])
def test_split_refuses_fractions(fractions) -> None:
    with pytest.raises(DataError, match="positive and add up to 1"):
        split(example(), fractions)


def test_split_refuses_empty_parts() -> None:
    with pytest.raises(DataError, match="every part must have a query, got 2 queries"):
        split(example(queries=2))


def test_normalize_by_query_as_scikit_learn_would() -> None:
    from sklearn.preprocessing import minmax_scale

    data = example()
    expected = np.empty_like(data.X)
    for query in np.unique(data.qid):
        expected[data.qid == query] = minmax_scale(data.X[data.qid == query])
    np.testing.assert_allclose(normalize(data).X, expected, atol=1e-6)


def test_normalize_globally_as_scikit_learn_would() -> None:
    from sklearn.preprocessing import StandardScaler

    data = example()
    np.testing.assert_allclose(normalize(data, "global").X, StandardScaler().fit_transform(data.X), atol=1e-5)


@pytest.mark.parametrize("how", ["query", "global"])
def test_constant_and_missing_features(how) -> None:
    X = np.array([[0.1, np.nan, 1], [0.1, np.nan, np.nan], [0.1, np.nan, 3]], dtype=np.float32)
    scaled = normalize(RankingData(X, [0, 1, 2], [5, 5, 5]), how).X
    assert scaled[:, 0].tolist() == [0, 0, 0]
    assert np.isnan(scaled[:, 1]).all()
    assert np.isnan(scaled[1, 2])
    assert scaled[0, 2] < scaled[2, 2]


def test_normalize_refuses() -> None:
    with pytest.raises(DataError, match="must be 'query' or 'global', got 'row'"):
        normalize(example(), "row")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="sparse features cannot be shifted"):
        normalize(RankingData(sp.csr_array([[1.0]]), [1], [1]))


def test_describe() -> None:
    X = [[1, 0], [np.nan, 0], [2, 3], [0, 0], [0, 1]]
    ids = ["a", "b", "a", "a", ""]
    stats = describe(RankingData(X, [2, 0, 0, -1, 1], qid=[1, 1, 1, 2, 3], doc_ids=ids))
    assert stats.to_dict() == {
        "rows": 5,
        "queries": 3,
        "features": 2,
        "density": 0.5,
        "grades": {-1.0: 1, 0.0: 2, 1.0: 1, 2.0: 1},
        "documents_min": 1,
        "documents_median": 1.0,
        "documents_mean": 5 / 3,
        "documents_max": 3,
        "queries_without_relevant": 1,
        "queries_with_one_grade": 2,
        "missing_values": 1,
        "duplicate_doc_ids": 1,
        "repeated_rows": 0,
        "queries_of_equal_rows": 0,
        "constant_features": 0,
    }
    json.dumps(stats.to_dict())


def test_describe_sparse_and_featureless() -> None:
    assert describe(RankingData(sp.csr_array([[1.0, 0], [0, 0]]), [1, 0], [1, 1])).density == 0.25
    assert describe(RankingData(np.zeros((2, 0)), [1, 0], [1, 1])).density == 0


def test_describe_mq2008(shared_data) -> None:
    from rankwise.data import read

    stats = describe(read(*(shared_data / "MQ2008" / f"S{part}.txt" for part in range(1, 6))))
    assert (stats.rows, stats.queries, stats.features) == (15211, 784, 46)
    assert stats.grades == {0: 12279, 1: 2001, 2: 931}


ODD = RankingData(
    [[1, 5, 0], [1, 5, 0], [2, 5, 0], [3, 5, 0], [3, 5, 0], [4, 5, 0]], [1, 1, 0, 0, 1, 0], qid=[1, 1, 1, 2, 2, 3]
)


@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_odd_about_the_data_is_counted(sparse) -> None:
    stats = describe(replace(ODD, X=sp.csr_matrix(ODD.X)) if sparse else ODD)
    assert (stats.repeated_rows, stats.queries_of_equal_rows, stats.constant_features) == (1, 1, 2)
    assert stats.remarks == [
        "1 queries have rows that are all alike, which no model can rank",
        "2 features have one value in all rows, and say nothing",
    ]


def test_nothing_odd_needs_no_remark() -> None:
    assert not describe(example()).remarks


def test_rows_that_are_in_both_sets_are_counted() -> None:
    train, other = example(seed=0), example(seed=1)
    assert overlap(train, other) == 0
    assert overlap(train, train.rows(np.arange(7))) == 7
    assert overlap(train, replace(other, X=other.X[:, :2])) == 0
