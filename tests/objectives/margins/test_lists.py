"""Pairs of lists: how many there are, of which products they are made, and a sample of them."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import DataError
from rankwise.objectives.margins._lists import MAX_BLOCK_ENTRIES, MAX_PAIRS_IN_ALL, PairLists, has_few_pairs
from tests.objectives.margins.factories import KINDS, make_data
from tests.reference import margin_lists as slow


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_pairs_and_blocks_are_those_of_the_labels(kind, seed) -> None:
    data = make_data(seed, **KINDS[kind])
    better, worse = slow.pairs_of(data.y, data.qid)
    lists, blocks = data.lists, data.lists.blocks
    assert lists.pairs == pytest.approx(float(data.weight[better] @ data.weight[worse]), rel=1e-13)
    assert lists.two_grades == (np.unique(data.y).size <= 2)
    found = []
    for b in range(len(blocks.weights)):
        first = blocks.better[blocks.better_starts[b] : blocks.better_starts[b + 1]]
        second = blocks.worse[blocks.worse_starts[b] : blocks.worse_starts[b + 1]]
        assert np.allclose(blocks.weights[b], [data.weight[first].sum(), data.weight[second].sum()])
        found.append((sorted(first), sorted(second)))
    assert found == [(list(first), list(second)) for first, second in slow.blocks_of(data.y, data.qid)]
    assert blocks.pairs.sum() == pytest.approx(lists.pairs, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sample_is_of_pairs_each_as_likely(kind) -> None:
    data = make_data(0, **KINDS[kind])
    first, second = data.lists.sample
    assert (data.qid[first] == data.qid[second]).all()
    assert (data.y[first] > data.y[second]).all()
    rows = data.y.size
    counts = np.bincount(first * rows + second, minlength=rows**2)
    better, worse = slow.pairs_of(data.y, data.qid)
    counts = counts[better * rows + worse]
    assert counts.sum() == first.size
    expected = first.size / better.size
    assert (np.abs(counts - expected) < 5.0 * np.sqrt(expected)).all()


def test_labels_need_not_be_grades() -> None:
    lists = PairLists.of(np.array([0.5, -3.0, 1e9, 0.5, 7.0]), np.array([0, 3, 5]))
    assert lists.grade.tolist() == [1, 0, 2, 0, 1]
    assert lists.grades.tolist() == [3, 2]


def test_products_of_very_many_grades_are_refused() -> None:
    rows = 4 * MAX_BLOCK_ENTRIES
    with pytest.raises(DataError, match=f"few grades per query, got {rows}; use method='pairs'"):
        _ = PairLists.of(np.arange(rows, dtype=float), np.array([0, rows])).blocks


def test_pairs_are_listed_only_while_they_are_few_per_row_and_in_all() -> None:
    assert has_few_pairs(np.arange(0, 1001, 100))  # 49.5 a row
    assert not has_few_pairs(np.arange(0, 2001, 200))  # 99.5 a row
    queries = MAX_PAIRS_IN_ALL // 4950  # of 100 rows
    assert has_few_pairs(np.arange(queries + 1) * 100)
    assert not has_few_pairs(np.arange(queries + 2) * 100)
