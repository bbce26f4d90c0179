"""Sorting kernels against their one-line numpy twins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.data._groups import QueryGroups
from rankwise.kernels.sorting import _ranks as ranks
from rankwise.metrics import _ranking as ranking
from rankwise.metrics._ranking import rank

sizes = st.lists(st.integers(1, 700), min_size=1, max_size=5)


def scores_for(n: int, seed: int, ties: bool) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, n).astype(float) if ties else rng.normal(size=n)


@given(sizes, st.integers(0, 99), st.booleans(), st.sampled_from([0.0, -np.inf, 1e300, 1e-320, 1e6]))
@settings(max_examples=100)
def test_short_lists_are_sorted_stably(counts: list[int], seed: int, ties: bool, outlier: float) -> None:
    """Spread out or not: an outlier or a score of −∞ leaves all others in one bucket."""
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    scores = scores_for(int(offsets[-1]), seed, ties)
    scores[seed % scores.size] += outlier
    order = np.full(scores.size, -1, dtype=np.int64)
    ranks.rank_short_lists(scores, offsets, max(counts), 0, len(counts), order)
    for a, b in pairwise(offsets):
        np.testing.assert_array_equal(order[a:b], a + np.argsort(-scores[a:b], kind="stable"))


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_long_lists_too(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "RADIX_MIN_ROWS", 1000)
    monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
    scores = np.random.default_rng(0).integers(0, 50, 5000).astype(float)
    labels = np.arange(5000.0)
    ranked = rank(labels, scores, QueryGroups.single(5000), "input")
    np.testing.assert_array_equal(ranked.labels, labels[np.argsort(-scores, kind="stable")])


@given(st.lists(st.integers(0, 4).map(float), min_size=1, max_size=50), st.integers(0, 99))
@settings(max_examples=60)
def test_tie_orders(labels: list[float], seed: int) -> None:
    y = np.array(labels)
    scores = scores_for(y.size, seed, ties=True)
    for ties, key in (("worst", y), ("best", -y)):
        found = rank(y, scores, QueryGroups.single(y.size), ties)  # type: ignore[arg-type]
        np.testing.assert_array_equal(found.labels, y[np.lexsort((key, -scores))])


@given(st.lists(st.one_of(st.integers(-2, 70).map(float), st.floats(0, 5)), min_size=1, max_size=40))
def test_ideal_order(labels: list[float]) -> None:
    y = np.array(labels)
    np.testing.assert_array_equal(ranking.sorted_labels(y, np.array([0, y.size])), np.sort(y)[::-1])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20))
def test_the_class_of_a_label_is_its_place_among_the_grades(labels: list[int]) -> None:
    grades, classes = np.unique(np.array(labels, dtype=float), return_inverse=True)
    assert [ranks.class_of(float(label), grades) for label in labels] == classes.tolist()


@pytest.mark.slow
@given(st.lists(st.integers(0, 3).map(float), max_size=20))
def test_runs_of_equal_scores(values: list[float]) -> None:
    scores = np.sort(np.array(values))[::-1]
    starts = ranks.run_starts(scores)
    _, first = np.unique(-scores, return_index=True)
    np.testing.assert_array_equal(starts, np.append(first, scores.size))
