"""DeLong's method by ranks against its definition, scipy's Mann-Whitney U and published figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankwise.metrics import evaluate
from rankwise.metrics.comparison._delong import auc_covariance, normal_interval, normal_p_value
from tests.reference.delong_by_definition import aucs_and_covariance


@pytest.mark.parametrize(("seed", "distinct"), [(0, 1000), (1, 4), (2, 2)])
def test_ranks_give_what_the_sums_over_pairs_give(seed, distinct) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(60) < 17)
    systems = [np.floor(distinct * rng.random(60)) + positive * (k / 2) for k in range(3)]
    aucs, covariance = auc_covariance(positive, systems)
    theta, expected = aucs_and_covariance(positive, systems)
    np.testing.assert_allclose(aucs, theta, rtol=0, atol=1e-13)
    np.testing.assert_allclose(covariance, expected, rtol=0, atol=1e-13)
    for auc, scores in zip(aucs, systems, strict=True):
        u = stats.mannwhitneyu(scores[positive], scores[~positive]).statistic
        assert auc == pytest.approx(u / (17 * 43), abs=1e-13)


def test_the_tomographies_of_hanley_and_mcneil() -> None:
    """Stata's manual, `roctab` on the data of Hanley & McNeil 1982: 0.8932, error 0.0307, 0.83295 to 0.95339."""
    negatives, positives = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    rating = np.repeat([1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], negatives + positives)
    y = np.repeat([0, 1], [58, 51])
    result = evaluate(y, rating, metrics="auc")
    low, high = result.interval("auc")
    (_,), ((variance,),) = auc_covariance(y > 0, [rating])
    assert round(result["auc"], 4) == 0.8932
    assert round(math.sqrt(variance), 4) == 0.0307
    assert (round(low, 5), round(high, 5)) == (0.83295, 0.95339)


def test_one_row_of_a_class_has_no_variance() -> None:
    aucs, covariance = auc_covariance(np.array([True, False, False]), [np.array([3.0, 2.0, 1.0])])
    assert np.isnan(aucs).all()
    assert np.isnan(covariance).all()


def test_intervals_and_p_values_of_a_normal_difference() -> None:
    low, high = normal_interval(1.0, 0.5, 0.9)
    assert (low, high) == pytest.approx(stats.norm.interval(0.9, 1.0, 0.5))
    assert normal_p_value(-1.0, 0.5) == pytest.approx(2 * stats.norm.sf(2.0))
    assert normal_p_value(0.0, 0.0) == 1.0
    assert normal_p_value(0.1, 0.0) == 0.0
    assert all(map(math.isnan, normal_interval(1.0, 0.0, 0.95)))
