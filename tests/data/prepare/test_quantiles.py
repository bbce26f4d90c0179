"""Quantiles of features: shares of rows by definition, straight lines between, weights as repeated rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankwise.data.prepare._quantiles import MAX_KNOTS, MAX_ROWS, Quantiles
from rankwise.types import AnyArray

RNG = np.random.default_rng(0)
FEATURES = np.column_stack(
    [RNG.normal(size=5000), RNG.exponential(size=5000) ** 3, RNG.integers(0, 5, 5000), np.full(5000, 7.0)]
)


def test_shares_at_knots_are_those_of_rows_below_and_half_of_those_there() -> None:
    quantiles = Quantiles.of(FEATURES)
    for k, (knots, levels) in enumerate(zip(quantiles.knots, quantiles.levels, strict=True)):
        x = FEATURES[:, k]
        assert 1 <= knots.size <= MAX_KNOTS
        assert {x.min(), x.max()} <= set(knots)
        np.testing.assert_allclose(levels, [(np.mean(x < v) + np.mean(x <= v)) / 2 for v in knots], rtol=1e-12)
    assert [knots.size for knots in quantiles.knots] == [MAX_KNOTS, MAX_KNOTS, 5, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_shares_between_knots_go_in_straight_lines(dtype: type, layout: Callable[[AnyArray], AnyArray]) -> None:
    X = layout(np.vstack([FEATURES, RNG.normal(size=(2000, 4)) * 10.0]).astype(dtype))
    quantiles = Quantiles.of(FEATURES)
    shares = quantiles.shares(X)
    assert shares.dtype == np.float64
    for k, (knots, levels) in enumerate(zip(quantiles.knots, quantiles.levels, strict=True)):
        np.testing.assert_allclose(shares[:, k], np.interp(X[:, k], knots, levels), atol=1e-12)
    both = quantiles.beside(X)
    assert both.dtype == dtype
    np.testing.assert_array_equal(both, np.hstack([X, shares.astype(dtype)]))


@given(
    arrays(np.float64, (30, 2), elements=st.sampled_from([-1.5, 0.0, 0.0, 2.0, 1e300, 1e-310])),
    arrays(np.int64, 30, elements=st.integers(1, 4)),
)
def test_a_weight_is_so_many_rows(X: np.ndarray, weight: np.ndarray) -> None:
    weighted, repeated = Quantiles.of(X, weight.astype(float)), Quantiles.of(np.repeat(X, weight, axis=0))
    for one, other in zip([*weighted.knots, *weighted.levels], [*repeated.knots, *repeated.levels], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    shares = weighted.shares(X)
    assert ((shares > 0) & (shares < 1)).all()
    assert (np.diff(shares[np.argsort(X[:, 0]), 0]) >= 0).all()


def test_many_rows_are_told_by_some_of_them() -> None:
    x = np.random.default_rng(1).normal(size=(3 * MAX_ROWS + 1, 1))
    levels = Quantiles.of(x).levels[0]
    quarters = Quantiles.of(x).shares(np.quantile(x, [0.25, 0.5, 0.75])[:, None]).ravel()
    assert levels.size == MAX_KNOTS
    np.testing.assert_allclose(quarters, [0.25, 0.5, 0.75], atol=0.01)
