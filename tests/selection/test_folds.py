"""Folds never split a query, are even, and follow from what stands in the rows rather than from their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.selection._folds import make_folds
from rankwise.selection._rows import Rows


def rows_of(n_queries: int, seed: int, *, one_list: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, n_queries)
    qid = np.repeat(rng.permutation(n_queries), sizes)
    y = rng.integers(0, 3, qid.size)
    y[0], y[1] = 0, 1  # something to learn
    return Rows.of(RankingData(rng.normal(size=(qid.size, 3)), y, None if one_list else qid))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 30), st.integers(2, 6), st.integers(0, 99))
def test_queries_are_never_split_and_folds_are_even(n_queries: int, count: int, seed: int) -> None:
    count = min(count, n_queries)
    rows = rows_of(n_queries, seed)
    folds = make_folds(rows, count, seed)
    of_query = [set(folds.of_row[rows.qid == query]) for query in np.unique(rows.qid)]
    assert {len(numbers) for numbers in of_query} == {1}
    sizes = np.bincount([numbers.pop() for numbers in of_query], minlength=count)
    assert sizes.max() - sizes.min() <= 1
    for fold in range(count):
        held_out, (train, stop) = folds.held_out(fold), folds.stopping(fold)
        assert sorted([*held_out, *train, *stop]) == list(range(len(rows)))
        assert np.array_equal(np.union1d(train, stop), folds.training(fold))
        for part in (train, stop):
            assert not set(rows.qid[part]) & set(rows.qid[held_out])
        assert not set(rows.qid[train]) & set(rows.qid[stop])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99))
def test_the_order_of_rows_and_the_names_of_queries_do_not_matter(seed: int) -> None:
    rows = rows_of(15, seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    shuffled = Rows.of(RankingData(rows.X.X[order], rows.y[order], [f"q{-number}" for number in rows.qid[order]]))
    folds, again = make_folds(rows, 4, 3), make_folds(shuffled, 4, 3)
    assert np.array_equal(folds.of_row[order], again.of_row)
    assert all(np.array_equal(a[order], b) for a, b in zip(folds.inner, again.inner, strict=True))
    assert not np.array_equal(folds.of_row, make_folds(rows, 4, 4).of_row)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 5), st.integers(0, 99))
def test_rows_of_one_list_are_dealt_label_by_label(count: int, seed: int) -> None:
    rows = rows_of(20, seed, one_list=True)
    folds = make_folds(rows, count, seed)
    counts = np.array([np.bincount(rows.y[folds.held_out(fold)].astype(int), minlength=3) for fold in range(count)])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_each_fold_of_one_list_is_a_list_of_its_own() -> None:
    """Scores of two models may lie anywhere: the second one's are all above the first one's here."""
    rows = rows_of(20, 0, one_list=True)
    folds = make_folds(rows, 2, 0)
    scores = rows.y + 100.0 * folds.of_row
    assert folds.evaluate(rows, scores, "pairs")["pairs"] == 1.0


def test_weights_follow_their_queries() -> None:
    data = RankingData(np.arange(8)[:, None], [0, 1] * 4, [3, 3, 1, 1, 2, 2, 0, 0], query_weight=[3, 1, 2, 10])
    rows = Rows.of(data)
    part = rows.take(np.array([4, 5, 0, 1]))
    assert part.query_weight is not None
    assert part.query_weight.tolist() == [2.0, 3.0]
    scores = np.where(rows.qid == 0, rows.y, -rows.y)
    folds = make_folds(rows, 2, 0)
    assert folds.evaluate(rows, scores, "auc")["auc"] == 10 / 16


@pytest.mark.parametrize("count", [0, 1, 6])
def test_there_are_as_many_queries_as_folds(count: int) -> None:
    with pytest.raises(DataError, match=f"from 2 to the number of queries, 5, got {count}"):
        make_folds(rows_of(5, 0), count, 0)
