"""Losses over pairs, their slopes and curvature, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.objectives.margins import _lists
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers.pairs.svm._pair_loss import ListedHinge, SweptHinge, unit_lists
from tests.reference import pairs_by_definition as oracle


def loss_of(slack, width):
    """Squared hinge where there is no width, else the rounded hinge, piece by piece; with its two derivatives."""
    if width is None:
        return np.maximum(slack, 0.0) ** 2, 2.0 * np.maximum(slack, 0.0), 2.0 * (slack > 0)
    value = np.select([slack <= 0, slack <= width], [0.0 * slack, slack**2 / (2 * width)], slack - width / 2)
    return value, np.clip(slack / width, 0.0, 1.0), ((slack > 0) & (slack < width)) / width


@pytest.mark.parametrize("way", [SweptHinge, ListedHinge])
@settings(max_examples=80)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 12), min_size=1, max_size=4),
    st.sampled_from([2, 3, 30]),
    st.sampled_from([None, 1.0, 0.25]),
    st.booleans(),
    st.booleans(),
)
def test_loss_slope_and_curvature_are_those_of_all_pairs(way, seed, sizes, grades, width, weighted, by_query) -> None:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    y, scores = rng.integers(0, grades, qid.size).astype(float), rng.normal(size=qid.size)
    y = y[np.lexsort((-y, qid))] if way is ListedHinge else y
    i, j = oracle.all_pairs(y, qid)
    if i.size == 0:
        return
    weight = rng.uniform(0.1, 3.0, qid.size) if weighted else None
    shares = rng.uniform(0.1, 3.0, len(sizes)) if by_query else None
    share_of_query = None if shares is None else dict(enumerate(shares))
    omega = oracle.pair_weights(y, qid, weight, share_of_query, "queries" if by_query else "pairs")
    loss = way(unit_lists(y, np.append(0, np.cumsum(sizes)), weight, shares), scores, width)
    slack = 1.0 - scores[i] + scores[j]
    value, first, second = loss_of(slack, width)
    assert loss.loss == pytest.approx(omega @ value, abs=1e-12)
    assert loss.hinge == pytest.approx(omega @ np.maximum(slack, 0.0), abs=1e-12)
    assert loss.slope_sum == pytest.approx(omega @ first, abs=1e-12)
    gradient, product = np.zeros(qid.size), np.zeros(qid.size)
    np.add.at(gradient, i, -omega * first)
    np.add.at(gradient, j, omega * first)
    np.testing.assert_allclose(loss.gradient, gradient, rtol=0, atol=1e-12)
    direction = rng.normal(size=qid.size)
    turned = omega * second * (direction[i] - direction[j])
    np.add.at(product, i, turned)
    np.add.at(product, j, -turned)
    np.testing.assert_allclose(loss.hessian_times(direction), product, rtol=0, atol=1e-11)
    hinge, slope = loss.hinge_at_scale(0.7)
    lacking = 1.0 - 0.7 * (scores[i] - scores[j])
    assert hinge == pytest.approx(omega @ np.maximum(lacking, 0.0), abs=1e-12)
    assert slope == pytest.approx(-omega[lacking > 0.0] @ (scores[i] - scores[j])[lacking > 0.0], abs=1e-11)


def test_pairs_are_listed_where_they_are_few_and_grades_fall(monkeypatch) -> None:
    falling, offsets = np.array([2.0, 1.0, 1.0, 0.0, 3.0, -1.0]), np.array([0, 4, 6])
    listed = PairLists.of(falling, offsets).listed
    assert listed is not None
    assert listed.worse.tolist() == [1, 3, 3, 4, 5, 6]
    assert listed.pairs.tolist() == [0, 3, 4, 5, 5, 6, 6]
    assert PairLists.of(falling[::-1].copy(), np.array([0, 2, 6])).listed is None
    monkeypatch.setattr(_lists, "MAX_LISTED_PAIRS", 1)
    assert PairLists.of(falling, offsets).listed is None


@pytest.mark.parametrize("labels", [2, 5, 1000])
def test_grades_are_places_among_the_labels_of_the_query(labels) -> None:
    rng = np.random.default_rng(labels)
    offsets = np.array([0, 70, 71, 200])
    y = rng.integers(0, labels, 200) / 7.0
    lists = PairLists.of(y, offsets)
    for q in range(3):
        values, places = np.unique(y[offsets[q] : offsets[q + 1]], return_inverse=True)
        assert lists.grades[q] == values.size
        assert np.array_equal(lists.grade[offsets[q] : offsets[q + 1]], places)


def test_weights_so_large_that_products_overflow() -> None:
    y, offsets = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0, 2, 4])
    plain, large = (unit_lists(y, offsets, weight) for weight in (np.ones(4), np.full(4, 1e300)))
    assert np.array_equal(plain.weight, large.weight)
