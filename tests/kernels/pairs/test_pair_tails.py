"""Tails of pairs without a list of pairs, against the sorted list of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.kernels.pairs import _close_pairs as close_pairs
from rankwise.kernels.pairs import _pair_tails as pair_tails

NONE = np.zeros(0, dtype=np.int64)


@st.composite
def ranked_lists(draw, most_grades=20):
    """Rows of some queries by falling score: with ties or without, of any spread, of few grades or many."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 14), min_size=1, max_size=4))
    grades_of = [draw(st.sampled_from([g for g in (1, 2, 3, 13, 20) if g <= most_grades])) for _ in sizes]
    spread = 10.0 ** draw(st.sampled_from([-300, -12, 0, 6, 150]))
    ties, weighted = draw(st.booleans()), draw(st.booleans())
    lists, grade, grades = [], [], []
    for size, highest in zip(sizes, grades_of, strict=True):
        drawn = random.integers(0, 5, size) / 4.0 if ties else random.normal(size=size)
        lists.append(np.sort(drawn)[::-1] * spread)
        grade.append(np.unique(random.integers(0, highest, size), return_inverse=True)[1])
        grades.append(grade[-1].max() + 1)
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int64)
    scores = np.concatenate(lists)
    weight = random.choice([0.25, 0.1, 1.0, 2.0, 7.3], scores.size) if weighted else np.ones(scores.size)
    return scores, np.concatenate(grade).astype(np.int64), np.array(grades, dtype=np.int64), weight, offsets


def all_pairs(scores, grade, weight, offsets):
    """Better row, worse row, gap and weight of every pair."""
    query = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    better, worse = np.nonzero((query[:, None] == query) & (grade[:, None] > grade))
    return better, worse, scores[better] - scores[worse], weight[better] * weight[worse]


def levels_of(scores, grade, weight, offsets):
    place, starts = np.empty(scores.size, dtype=np.int64), np.empty_like(offsets)
    levels, better, worse = np.empty((3, scores.size))
    count = pair_tails.put_together(scores, grade, weight, offsets, place, levels, better, worse, starts)
    return place, levels[:count], better[:count], worse[:count], starts


@settings(max_examples=100)
@given(ranked_lists(most_grades=2))
def test_equal_scores_are_put_together(lists) -> None:
    scores, grade, _, weight, offsets = lists
    place, levels, better, worse, starts = levels_of(scores, grade, weight, offsets)
    for q in range(offsets.size - 1):
        rows = slice(offsets[q], offsets[q + 1])
        expected, inverse = np.unique(-scores[rows], return_inverse=True)
        own = slice(starts[q], starts[q + 1])
        assert np.array_equal(levels[own], -expected)
        assert np.array_equal(place[rows] - starts[q], inverse)
        for found, kind in ((better, grade[rows] > 0), (worse, grade[rows] == 0)):
            assert np.allclose(found[own], np.bincount(inverse, weight[rows] * kind), rtol=1e-14)
    assert starts[-1] == levels.size


def lowest_mean(gaps, weights, mass):
    """The mean gap of the lowest pairs, of the last one per part only."""
    order = np.argsort(gaps)
    before = np.append(0.0, np.cumsum(weights[order])[:-1])
    return float(np.clip(mass - before, 0.0, weights[order]) @ gaps[order]) / mass


@pytest.mark.slow
@settings(max_examples=300)
@given(ranked_lists(), st.floats(1e-3, 1.0), st.sampled_from([0.0, 1e-9, 1e-3]), st.floats(-1.0, 1.0), st.data())
def test_the_gap_below_which_the_lowest_pairs_lie(lists, share, close, guess, data) -> None:
    """Whatever the guess is: the weights below both ends are as said and enclose the mass, whose mean is known."""
    scores, grade, grades, weight, offsets = lists
    _, _, gaps, weights = all_pairs(scores, grade, weight, offsets)
    spread = float(np.ptp(scores))
    if not gaps.size or spread == 0.0:
        return
    mass, close = share * weights.sum(), close * spread
    width = data.draw(st.sampled_from([2.0, 0.1, 1e-6]))
    bracket = (guess * spread, (guess + width) * spread, -2.0 * spread, 2.0 * spread)
    forms = [(scores, weight, weight, grade, grades, offsets)]
    if grades.max() <= 2:
        _, levels, of_better, of_worse, starts = levels_of(scores, grade, weight, offsets)
        forms.append((levels, of_better, of_worse, NONE, NONE, starts))
    for form in forms:
        low, high, below_low, below_high = pair_tails.find_gap(*form, mass, *bracket, close)
        assert low < high
        for end, below in ((low, below_low), (high, below_high)):
            assert below == pytest.approx(weights[gaps < end].sum(), rel=1e-12)
        assert below_low <= mass <= below_high * (1 + 1e-12)
        between = (gaps >= low) & (gaps < high)
        part = (mass - below_low) / max(below_high - below_low, 1e-300)
        mixed = float((weights * ((gaps < low) + part * between)) @ gaps) / mass
        rounding = 1e-13 * spread
        assert -rounding <= mixed - lowest_mean(gaps, weights, mass) <= 2.0 * close + rounding


@settings(max_examples=150)
@given(ranked_lists(most_grades=2), st.floats(-1.1, 1.1), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_partners_of_two_grades(lists, low, width, share) -> None:
    scores, grade, _, weight, offsets = lists
    low, high = low * np.ptp(scores), (low + width) * np.ptp(scores)
    place, levels, better, worse, starts = levels_of(scores, grade, weight, offsets)
    of_better, of_worse = np.empty((2, levels.size))
    pair_tails.two_grade_weights(levels, better, worse, starts, low, high, share, of_better, of_worse)
    first, second, gaps, _ = all_pairs(scores, grade, weight, offsets)
    taken = np.where(gaps < low, 1.0, np.where(gaps < high, share, 0.0))
    expected = (
        np.bincount(first, taken * weight[second], scores.size),
        np.bincount(second, taken * weight[first], scores.size),
    )
    assert np.allclose(of_better[place][grade > 0], expected[0][grade > 0], rtol=1e-12, atol=1e-12)
    assert np.allclose(of_worse[place][grade == 0], expected[1][grade == 0], rtol=1e-12, atol=1e-12)


@settings(max_examples=150)
@given(ranked_lists(), st.floats(-1.1, 1.1))
def test_close_pairs_of_any_number_of_grades(lists, gap) -> None:
    """Weights, and sums of values, of the partners of each row that are closer than the gap."""
    scores, grade, grades, weight, offsets = lists
    gap, value = gap * np.ptp(scores), np.cos(np.arange(scores.size))
    first, second, gaps, weights = all_pairs(scores, grade, weight, offsets)
    near = gaps < gap
    given_rows, queries = (scores, grade, grades, weight), (offsets, gap, 0, grades.size)
    total = np.empty(grades.size)
    close_pairs.close_weight(*given_rows, *queries, total)
    query = np.repeat(np.arange(grades.size), np.diff(offsets))
    assert np.allclose(total, np.bincount(query[first], weights * near, grades.size), rtol=1e-12, atol=1e-12)
    worse, better = np.empty((2, scores.size))
    close_pairs.close_weights(*given_rows, *queries, worse, better)
    sums = np.empty((4, scores.size))
    close_pairs.close_sums(*given_rows, value, offsets, -np.inf, gap, 0, grades.size, *sums)
    for found, of, partner, of_partner in (
        (worse, first, second, weight),
        (better, second, first, weight),
        (sums[0], first, second, weight),
        (sums[1], first, second, weight * value),
        (sums[2], second, first, weight),
        (sums[3], second, first, weight * value),
    ):
        assert np.allclose(found, np.bincount(of, near * of_partner[partner], scores.size), rtol=1e-12, atol=1e-12)
