"""LossMin: Donmez 2009's formulas worked out by hand, and against loops over documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.sampling import LossMin, Pool
from rankwise.sampling.strategies._lossmin import largest_gaps, relevance_chances
from tests.reference import samplers
from tests.sampling.pool_factories import FirstFeature, one_query, pool_of_scores, score_lists, utilities_of

# Rising, the gaps are 1, .5, 2.5, .5: the largest follows the third, so θ̂ = 3, θ̄ = 3.5 and f(x_θ̂) = 1.5 (figure 2).
SCORES = [0.0, 1.0, 1.5, 4.0, 4.5]
# 1 / (1 + exp(−(f − 1.5))) for f − 1.5 = −1.5, −.5, 0, 2.5, 3 (the equation after figure 2, its bracket mended).
POSITIVE = [0.1824255238, 0.3775406688, 0.5, 0.9241418200, 0.9525741268]
# (7), r − θ̄ = −2.5, −1.5, −.5, .5, 1.5; |r_min − θ̄| = 2.5, |r_max − θ̄| = 1.5; λ = .6.
BY_HAND = [
    0.1824255238 * 3 / 2.5 * 0.4,  # [½ + 2.5]₊ = 3, [½ − 2.5]₊ = 0
    0.3775406688 * 2 / 2.5 * 0.4,  # [½ + 1.5]₊ = 2, [½ − 1.5]₊ = 0
    0.5 * 1 / 2.5 * 0.4,  # [½ + .5]₊ = 1, [½ − .5]₊ = 0
    (1 - 0.9241418200) * 1 / 1.5 * 0.6,  # [½ − .5]₊ = 0, [½ + .5]₊ = 1
    (1 - 0.9525741268) * 2 / 1.5 * 0.6,  # [½ − 1.5]₊ = 0, [½ + 1.5]₊ = 2
]


def test_figure_2_the_threshold_is_in_the_largest_gap() -> None:
    pool, _ = pool_of_scores([SCORES, [2.0], [], [0.0, 1.0, 2.0], [7.0, 7.0, 3.0]])
    (below,) = largest_gaps(pool.ascending)
    found = {int(pool.data.groups.qids[q]): int(below[q] - pool.ascending.offsets[q] + 1) for q in range(5)}
    # The first of equal gaps (query 3); rank 1 where there is no gap (queries 1 and 2); 3, 7, 7 part after the first.
    assert found == {0: 3, 1: 1, 2: 1, 3: 1, 4: 1}


def test_equation_8_calibrated_by_figure_2() -> None:
    pool, (rows,) = pool_of_scores([SCORES])
    chance = np.full(len(pool.data), np.nan)
    chance[pool.candidates] = pool.ascending.by_candidate(relevance_chances(pool.ascending))
    assert chance[rows] == pytest.approx(POSITIVE, abs=1e-9)


def test_equation_7() -> None:
    found = one_query(LossMin(), SCORES)
    assert found == pytest.approx(BY_HAND, abs=1e-9)
    assert found == pytest.approx([0.0875643, 0.1208130, 0.08, 0.0303433, 0.0379407], abs=1e-7)


def test_equation_7_with_another_weight() -> None:
    """λ = .9 weighs the upper side by .9 in place of .6 and the lower by .1 in place of .4."""
    expected = [value / 0.4 * 0.1 for value in BY_HAND[:3]] + [value / 0.6 * 0.9 for value in BY_HAND[3:]]
    assert one_query(LossMin(trade_off=0.9), SCORES) == pytest.approx(expected, abs=1e-9)


def test_two_documents() -> None:
    """θ̂ = 1, θ̄ = 1.5: P = ½ and σ(2); ½ · [1]/½ · .4 = .4 and (1 − σ(2)) · [1]/½ · .6 = .1192029220 · 1.2."""
    assert one_query(LossMin(), [1.0, 3.0]) == pytest.approx([0.4, 0.1192029220 * 1.2], abs=1e-9)


def test_one_document() -> None:
    """r_min = r_max = 1, θ̄ = 1.5: ½ · [1]/½ · .4 + ½ · [0]/½ · .6."""
    assert one_query(LossMin(), [8.0]) == pytest.approx([0.4], abs=1e-12)


def test_figure_1_takes_the_largest_of_each_query() -> None:
    pool, (first, second) = pool_of_scores([SCORES, [1.0, 3.0]])
    chosen = LossMin().select(pool, per_query=2).tolist()
    queries = pool.data.qid[chosen]
    assert [row for row, q in zip(chosen, queries, strict=True) if q == 0] == [first[1], first[0]]
    assert [row for row, q in zip(chosen, queries, strict=True) if q == 1] == second
    whole = LossMin().select(pool, per_query=5).tolist()
    assert [row for row in whole if pool.data.qid[row] == 0] == [first[k] for k in (1, 0, 2, 4, 3)]


@given(score_lists, st.floats(0.05, 0.95))
def test_utilities_by_loops(lists, trade_off) -> None:
    found = utilities_of(LossMin(trade_off=trade_off), lists)
    for scores, values in zip(lists, found, strict=True):
        expected = samplers.loss_min(scores, trade_off) if scores else []
        assert values == pytest.approx(expected, rel=1e-9, abs=1e-12)


def with_labels(scores, labels):
    """A pool of one query with these candidates, and documents of these labels far away."""
    rows = [(score, -1.0) for score in scores] + [(-5000.0, label) for label in labels]
    X, y = (np.array(column) for column in zip(*rows, strict=True))
    return Pool(RankingData(X[:, None], y, np.zeros(y.size)), y, FirstFeature())


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=9), st.lists(st.integers(0, 4), max_size=6))
def test_there_is_a_threshold_for_each_border_of_the_grades_so_far(scores, labels) -> None:
    count = max(1, len(set(labels)) - 1)
    pool = with_labels(scores, [float(label) for label in labels])
    expected = samplers.loss_min(scores, 0.6, count)
    assert LossMin().utilities(pool, np.random.default_rng(0)) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    named = LossMin(thresholds=count).utilities(pool, np.random.default_rng(0))
    np.testing.assert_array_equal(named, LossMin().utilities(pool, np.random.default_rng(0)))


def test_thresholds_by_hand() -> None:
    """Three grades: the gaps after 1.5 (2.5) and after 0 (1) are the largest of SCORES."""
    pool = with_labels(SCORES, [0.0, 1.0, 2.0])
    assert largest_gaps(pool.ascending, 2).ravel().tolist() == [2, 0]
    one = LossMin(thresholds=1).utilities(pool, np.random.default_rng(0))
    assert one == pytest.approx(BY_HAND, abs=1e-9)
    # θ̄ = 1.5, f(x_θ̂) = 0, |r_min − θ̄| = .5, |r_max − θ̄| = 3.5: the lowest may be too low, the others too high.
    second = [0.5 * 1 / 0.5 * 0.4]
    second += [(1 - 1 / (1 + np.exp(-f))) * (k + 1) / 3.5 * 0.6 for k, f in enumerate([1.0, 1.5, 4.0, 4.5])]
    both = LossMin().utilities(pool, np.random.default_rng(0))
    assert both == pytest.approx(np.add(BY_HAND, second), abs=1e-9)


def test_two_grades_are_one_threshold_to_the_last_bit() -> None:
    scores = np.random.default_rng(3).normal(size=40).tolist()
    pool = with_labels(scores, [0.0, 1.0, 1.0])
    found, one = (sampler.utilities(pool, np.random.default_rng(0)) for sampler in (LossMin(), LossMin(thresholds=1)))
    np.testing.assert_array_equal(found, one)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any), st.floats(-1e6, 1e6, width=32))
def test_equal_scores_have_equal_utilities(sizes, score) -> None:
    """So that LossMin is Random where the ranker says nothing."""
    for values in utilities_of(LossMin(), [[score] * size for size in sizes]):
        assert len(set(values)) <= 1


def test_equal_scores_are_chosen_at_random() -> None:
    pool, (rows,) = pool_of_scores([[2.0] * 6])
    chosen = [LossMin().select(pool, per_query=1, random_state=seed).item() for seed in range(120)]
    counts = [chosen.count(row) for row in rows]
    assert sum(counts) == 120
    assert min(counts) > 5  # 20 are expected; 5 or fewer of one document has a chance of 6 · 4e-5


def test_the_weight_of_p4_is_the_default() -> None:
    assert LossMin() == LossMin(trade_off=0.6)


@pytest.mark.parametrize("thresholds", [0, 1.5, "two"])
def test_thresholds_are_counted_from_1(thresholds) -> None:
    with pytest.raises(DataError, match="thresholds must be a whole number from 1"):
        LossMin(thresholds=thresholds)


@pytest.mark.parametrize("trade_off", [0, 1, -0.1, 1.5])
def test_the_trade_off_is_between_0_and_1(trade_off) -> None:
    with pytest.raises(DataError, match=f"trade_off must be between 0 and 1, got {trade_off}; Donmez "):
        LossMin(trade_off=trade_off)
