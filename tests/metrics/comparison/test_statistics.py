from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rankwise.errors import DataError, ShapeError
from rankwise.metrics.comparison import _statistics as rs

VALUES = st.floats(0, 1, width=32)
PAIRS = st.integers(2, 30).flatmap(lambda n: arrays(np.float64, (2, n), elements=VALUES))
TABLES = st.tuples(st.integers(2, 12), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=VALUES)
)


def two_systems(n: int, gain: float = 0.03, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.random(n)
    return a, np.clip(a + rng.normal(gain, 0.1, n), 0, 1)


# Agreement with scipy and ranx


@pytest.mark.parametrize("n", [2, 5, 100, 2000])
def test_paired_t_is_that_of_scipy_and_ranx(n) -> None:
    from tests.reference.interpreted_ranx import ranx

    a, b = two_systems(n)
    assert rs.paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)
    assert rs.paired_t(a, b) == pytest.approx(ranx.statistical_tests.paired_student_t_test(a, b)[0], rel=1e-9)


@pytest.mark.parametrize("n", [3, 8, 12])
def test_fisher_enumerates_short_lists_as_scipy_does(n) -> None:
    a, b = two_systems(n)
    exact = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.abs(np.mean(x - y, axis=axis)),
        permutation_type="samples",
        alternative="greater",
    )
    assert rs.fisher_randomization(a, b) == pytest.approx(exact.pvalue, abs=1e-12)


def test_fisher_sampled_is_that_of_ranx_within_the_noise_of_sampling() -> None:
    from tests.reference.interpreted_ranx import interpreted, ranx

    a, b = two_systems(60, gain=0.02, seed=3)
    ours = rs.fisher_randomization(a, b, samples=20_000)
    with interpreted():
        theirs, _ = ranx.statistical_tests.fisher_randomization_test(a, b, n_permutations=20_000)
    assert 0.01 < ours < 0.5
    assert ours == pytest.approx(theirs, abs=5 * math.sqrt(0.25 / 20_000) * math.sqrt(2))


def test_fisher_sampled_agrees_with_fisher_enumerated(monkeypatch) -> None:
    a, b = two_systems(14, gain=0.05, seed=1)
    exact = rs.fisher_randomization(a, b)
    monkeypatch.setattr(rs, "MAX_ENUMERATED_SIGNS", 0)
    sampled = rs.fisher_randomization(a, b, samples=200_000)
    assert sampled == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 200_000))


def test_tukey_of_two_systems_is_the_paired_t_test() -> None:
    a, b = two_systems(40, gain=0.02)
    assert rs.tukey_hsd(np.column_stack([a, b]))[0, 1] == pytest.approx(rs.paired_t(a, b), rel=1e-6)


def test_tukey_agrees_with_scipy_and_ranx_where_queries_do_not_differ() -> None:
    # scipy (and ranx, which calls it) takes the systems for independent samples: without an effect of the
    # query both estimate the same noise, from (n−1)(m−1) and from m(n−1) residuals.
    rng = np.random.default_rng(5)
    values = rng.normal([0, 0.01, 0.025], 1, (20_000, 3))
    np.testing.assert_allclose(rs.tukey_hsd(values), stats.tukey_hsd(*values.T).pvalue, atol=0.01)


def test_tukey_sees_through_the_spread_between_queries_and_scipy_does_not() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(0, 1, (200, 1)) + rng.normal(0, 0.1, (200, 3)) + [0, 0, 0.05]
    assert rs.tukey_hsd(values)[0, 2] < 0.01
    assert stats.tukey_hsd(*values.T).pvalue[0, 2] > 0.5


def test_tukey_is_the_two_way_analysis_of_variance_written_out() -> None:
    rng = np.random.default_rng(7)
    values = rng.random((15, 4))
    n, m = values.shape
    grand = values.mean()
    squares = sum(
        (values[q, s] - values[q].mean() - values[:, s].mean() + grand) ** 2 for q in range(n) for s in range(m)
    )
    freedom = (n - 1) * (m - 1)
    for i in range(m):
        for j in range(i):
            q = abs(values[:, i].mean() - values[:, j].mean()) / math.sqrt(squares / freedom / n)
            assert rs.tukey_hsd(values)[i, j] == pytest.approx(stats.studentized_range.sf(q, m, freedom), abs=1e-9)


def test_t_interval_is_that_of_scipy() -> None:
    a, _ = two_systems(50)
    expected = stats.t.interval(0.9, len(a) - 1, loc=a.mean(), scale=stats.sem(a))
    assert rs.t_interval(a, level=0.9) == pytest.approx(expected, rel=1e-9)


def test_bootstrap_interval_is_that_of_scipy_within_the_noise_of_sampling() -> None:
    a, _ = two_systems(200)
    theirs = stats.bootstrap((a,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert rs.bootstrap_interval(a) == pytest.approx(tuple(theirs), abs=0.1 * a.std() / math.sqrt(len(a)) * 2)


# What must always hold


@given(PAIRS)
@settings(max_examples=60)
def test_p_values_lie_in_0_1_and_do_not_depend_on_who_is_a(pair) -> None:
    a, b = pair
    for test in (rs.paired_t, rs.fisher_randomization):
        p = test(a, b)
        assert 0 <= p <= 1
        assert test(b, a) == pytest.approx(p, abs=0.03)
    assert rs.cohens_d(a, b) == -rs.cohens_d(b, a)
    assert rs.wins_ties_losses(a, b) == rs.wins_ties_losses(b, a)[::-1]
    assert sum(rs.wins_ties_losses(a, b)) == len(a)


@pytest.mark.slow
@given(TABLES)
@settings(max_examples=25)
def test_tukey_is_symmetric_and_blind_to_how_hard_a_query_is(table) -> None:
    p = rs.tukey_hsd(table)
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_array_equal(p, p.T)
    harder = table + np.arange(len(table))[:, None]
    residual = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    if np.abs(residual).max() > 1e-6:
        np.testing.assert_allclose(rs.tukey_hsd(harder), p, atol=1e-4)


@given(arrays(np.float64, st.integers(1, 12), elements=VALUES))
def test_holm_only_raises_p_values_and_keeps_their_order(p) -> None:
    corrected = rs.holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(p * p.size, 1) + 1e-15).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_intervals_hold_the_mean_and_equal_weights_change_nothing(n, seed) -> None:
    values = np.random.default_rng(seed).random(n)
    for interval in (rs.t_interval, rs.bootstrap_interval):
        low, high = interval(values)
        assert low <= values.mean() <= high
        assert interval(values, weight=np.full(n, 3.0)) == pytest.approx((low, high), rel=1e-9)


def test_a_weight_of_two_has_the_mean_of_a_query_given_twice() -> None:
    values, weight = np.array([0.1, 0.5, 0.9]), np.array([2.0, 1.0, 1.0])
    assert rs.linearized(values, weight).mean() == pytest.approx(np.average(values, weights=weight))


def test_a_query_of_weight_zero_does_not_count() -> None:
    values, weight = np.array([0.1, 0.5, 0.9, 0.3]), np.array([1.0, 1.0, 1.0, 0.0])
    for interval in (rs.t_interval, rs.bootstrap_interval):
        assert interval(values, weight) == pytest.approx(interval(values[:3]))


def test_weighted_t_interval_is_that_of_the_weighted_bootstrap() -> None:
    rng = np.random.default_rng(8)
    values, weight = rng.random(800), rng.random(800)
    assert rs.t_interval(values, weight) == pytest.approx(rs.bootstrap_interval(values, weight), abs=0.003)


def test_fisher_holds_its_level_when_there_is_no_difference() -> None:
    rng = np.random.default_rng(9)
    p = np.array([rs.fisher_randomization(*rng.random((2, 30)), samples=500) for _ in range(400)])  # type: ignore[misc]
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.035)
    assert np.mean(p) == pytest.approx(0.5, abs=0.06)


def test_the_same_seed_gives_the_same_answer_and_blocks_do_not_matter(monkeypatch) -> None:
    a, b = two_systems(50, gain=0.01)
    whole = rs.fisher_randomization(a, b, random_state=4), rs.bootstrap_interval(a, random_state=4)
    assert whole == (rs.fisher_randomization(a, b, random_state=4), rs.bootstrap_interval(a, random_state=4))
    assert whole != (rs.fisher_randomization(a, b, random_state=5), rs.bootstrap_interval(a, random_state=5))
    monkeypatch.setattr(rs, "BLOCK_NUMBERS", 1000)
    assert rs.fisher_randomization(a, b, random_state=4) == pytest.approx(whole[0], abs=0.03)
    assert rs.bootstrap_interval(a, random_state=4) == pytest.approx(whole[1], abs=0.02)


# Degenerate input, with warnings as errors


def test_equal_systems_have_p_1_and_no_effect() -> None:
    a = np.array([0.2, 0.5, 0.9])
    almost = a + 1e-15  # the same metric, summed in another order
    for other in (a, almost):
        assert rs.paired_t(a, other) == rs.fisher_randomization(a, other) == 1.0
        assert (rs.tukey_hsd(np.column_stack([a, other])) == 1).all()
        assert rs.cohens_d(a, other) == 0.0
        assert rs.wins_ties_losses(a, other) == (0, 3, 0)


def test_a_constant_difference_is_as_certain_as_its_queries_are_many() -> None:
    a = np.linspace(0.1, 0.8, 30)
    assert rs.paired_t(a + 0.1, a) == 2.0**-29
    assert rs.tukey_hsd(np.column_stack([a + 0.1, a]))[0, 1] == 2.0**-29
    assert rs.fisher_randomization(a + 0.1, a) == pytest.approx(1 / 10_001, rel=2)
    assert rs.cohens_d(a + 0.1, a) == math.inf
    assert rs.cohens_d(a, a + 0.1) == -math.inf


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_queries_give_nan(n) -> None:
    a, b = np.full(n, 0.5), np.full(n, 0.7)
    assert math.isnan(rs.paired_t(a, b))
    assert math.isnan(rs.fisher_randomization(a, b))
    assert math.isnan(rs.cohens_d(a, b))
    assert np.isnan(rs.tukey_hsd(np.column_stack([a, b]))).all()
    assert np.isnan(rs.t_interval(a)).all()
    assert np.isnan(rs.bootstrap_interval(a)).all()


def test_holm_leaves_out_tests_that_were_not_possible() -> None:
    np.testing.assert_allclose(rs.holm([0.02, math.nan, 0.03]), [0.04, math.nan, 0.04])
    assert rs.holm([]).size == 0


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ShapeError, match="same queries"):
        rs.paired_t([1, 2], [1])
    with pytest.raises(ShapeError, match="stack columns"):
        rs.tukey_hsd([1, 2])
    with pytest.raises(ShapeError, match="equal lengths"):
        rs.t_interval([1, 2], weight=[1])
    with pytest.raises(DataError, match=r"pass 0\.95"):
        rs.t_interval([1, 2], level=95)
    with pytest.raises(DataError, match="samples must be 1 or more"):
        rs.bootstrap_interval([1, 2], samples=0)
