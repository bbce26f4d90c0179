"""Sums of sigmoids over rows and thresholds against a table of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from rankwise.kernels.rows import _sigmoid_sums as sums

RNG = np.random.default_rng(0)
SCORES, POSITIVE, WEIGHT = RNG.normal(size=60), RNG.random(60) < 0.4, RNG.random(60)
THRESHOLDS = np.array([-0.5, 0.1, 0.8])


@pytest.mark.parametrize("width", [0.1, 1.0])
def test_soft_sums_and_their_derivatives(width: float) -> None:
    gains, prices = RNG.random(3), RNG.random(3)
    worth = np.where(POSITIVE[:, None], -gains, prices)
    above = expit((SCORES[:, None] - THRESHOLDS) / width)
    steep = worth * above * (1 - above) / width
    slope, bend, by_threshold = np.empty(60), np.empty(60), np.zeros(3)
    total = sums.soft_sums(SCORES, POSITIVE, WEIGHT, THRESHOLDS, gains, prices, width, slope, bend, by_threshold)
    np.testing.assert_allclose(total, (WEIGHT[:, None] * worth * above).sum(), rtol=1e-12)
    np.testing.assert_allclose(slope, steep.sum(axis=1), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(bend, 0.5 * np.abs(steep).sum(axis=1) / width, rtol=1e-9)
    np.testing.assert_allclose(by_threshold, -(WEIGHT[:, None] * steep).sum(axis=0), rtol=1e-9)


def test_the_log_loss_and_its_derivative() -> None:
    scores = np.append(SCORES, [-800.0, 800.0, 0.0])  # where an exponential overflows, and at the kink of |s|
    positive, weight = np.append(POSITIVE, [True, False, True]), np.append(WEIGHT, [1.0, 2.0, 0.0])
    slope = np.empty(scores.size)
    total = sums.log_loss_sum(scores, positive, weight, slope)
    np.testing.assert_allclose(total, weight @ np.logaddexp(0.0, np.where(positive, -scores, scores)), rtol=1e-12)
    np.testing.assert_allclose(slope, weight * (expit(scores) - positive), rtol=1e-12, atol=1e-15)


def test_soft_rates() -> None:
    above = expit((SCORES[:, None] - THRESHOLDS) / 0.3)
    counts, near = np.zeros((2, 2, 3))
    sums.soft_rates(SCORES, POSITIVE, WEIGHT, THRESHOLDS, 0.3, counts, near)
    for kind, rows in enumerate((~POSITIVE, POSITIVE)):
        np.testing.assert_allclose(counts[kind], WEIGHT[rows] @ above[rows], rtol=1e-12)
        np.testing.assert_allclose(near[kind], WEIGHT[rows] @ (above * (1 - above))[rows], rtol=1e-9)


@pytest.mark.parametrize("width", [0.1, 1.0])
def test_the_log_loss_about_a_point_counts_rows_near_it(width: float) -> None:
    gains, prices = RNG.random(3), RNG.random(3)
    above = expit((SCORES[:, None] - THRESHOLDS) / width)
    near = (4.0 * above * (1 - above) * np.where(POSITIVE[:, None], gains, prices)).sum(axis=1)
    likely, about = expit(SCORES), expit(SCORES - THRESHOLDS.mean())
    slope, bend = np.empty(60), np.empty(60)
    sums.near_log_loss(SCORES, POSITIVE, WEIGHT, THRESHOLDS, gains, prices, width, 0.5, slope, bend)
    np.testing.assert_allclose(slope, WEIGHT * (likely - POSITIVE + 0.5 * near * (about - POSITIVE)), rtol=1e-9)
    np.testing.assert_allclose(bend, WEIGHT * (likely * (1 - likely) + 0.5 * near * about * (1 - about)), rtol=1e-9)


def test_scores_that_are_far_away_are_finite() -> None:
    scores, positive, weight = np.array([-1e6, 1e6, 0.0, -1e6, 1e6]), np.arange(5) > 2, np.ones(5)
    slope, bend, one = np.empty(5), np.empty(5), np.ones(1)
    for threshold in (-900.0, 0.0, 900.0):
        sums.near_log_loss(scores, positive, weight, np.full(1, threshold), one, one, 0.1, 8.0, slope, bend)
        assert np.isfinite(slope).all()
        assert (bend >= 0).all()
