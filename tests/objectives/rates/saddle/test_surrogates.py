"""Surrogates: bounds of the 0/1 loss, in numpy and in torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankwise.errors import DataError
from rankwise.objectives.rates.saddle._surrogates import SURROGATES, Log2, Ramp, Sigmoid, parse_surrogate

ALL = [parse_surrogate(name) for name in (*SURROGATES, "ramp[0.25]", "ramp[3]", "sigmoid[0.5]")]
BOUNDS = [loss for loss in ALL if not isinstance(loss, Sigmoid)]
bounds = pytest.mark.parametrize("loss", BOUNDS, ids=str)
every = pytest.mark.parametrize("loss", ALL, ids=str)
margins = arrays(np.float64, st.integers(1, 20), elements=st.floats(-50, 50))


@bounds
@given(m=margins)
def test_it_lies_above_the_zero_one_loss(loss, m) -> None:
    assert (loss.value(m) >= (m <= 0)).all()


@bounds
def test_it_is_one_at_zero_and_vanishes_far_out(loss) -> None:
    assert loss.value(np.zeros(2)).tolist() == [1.0, 1.0]
    assert loss.value(np.array([60.0])) == pytest.approx(0.0, abs=1e-15)


@every
@given(m=margins)
def test_twins_in_torch_are_equal(loss, m) -> None:
    t = torch.tensor(m, requires_grad=True)
    value = loss.value(t)
    assert value.detach().numpy() == pytest.approx(loss.value(m), rel=1e-14, abs=1e-300)
    value.sum().backward()
    smooth = np.all([np.abs(m - kink) > 1e-12 for kink in (0.0, 1.0, getattr(loss, "width", 1.0))], axis=0)
    assert t.grad.numpy()[smooth] == pytest.approx(loss.slope(m)[smooth], rel=1e-12, abs=1e-15)  # type: ignore[union-attr]


@every
@given(m=margins)
def test_the_slope_is_that_of_the_value(loss, m) -> None:
    h = 1e-6
    smooth = np.all([np.abs(m - kink) > 2 * h for kink in (0.0, 1.0, getattr(loss, "width", 1.0))], axis=0)
    difference = (loss.value(m + h) - loss.value(m - h)) / (2 * h)
    assert difference[smooth] == pytest.approx(loss.slope(m)[smooth], abs=1e-6)


@every
@given(m=margins)
def test_there_is_curvature_where_there_is_a_slope(loss, m) -> None:
    assert ((loss.curvature(m) > 0) == (loss.slope(m) < 0)).all()
    assert (loss.curvature(m) >= 0).all()


def test_the_curvature_of_the_log_loss_is_its_second_derivative() -> None:
    m, h = np.linspace(-8, 8, 41), 1e-5
    second = (Log2().slope(m + h) - Log2().slope(m - h)) / (2 * h)
    assert Log2().curvature(m) == pytest.approx(second, abs=1e-9)


@pytest.mark.slow
@bounds
@given(s=margins, b=st.floats(-5, 5), seed=st.integers(0, 99))
def test_counts_are_bounded_for_every_score_vector(loss, s, b, seed) -> None:
    """Eban 2017 (2): tp_l <= tp and fp^u >= fp, a row counting as predicted where its score is above the threshold."""
    y = np.random.default_rng(seed).integers(0, 2, s.size).astype(bool)
    assert np.sum(1 - loss.value(s[y] - b)) <= np.sum(s[y] > b) + 1e-9
    assert np.sum(loss.value(b - s[~y])) >= np.sum(s[~y] >= b) - 1e-9


@given(m=margins)
def test_a_narrow_ramp_is_tight(m) -> None:
    apart = np.abs(m) > 1e-6
    assert Ramp(1e-6).value(m)[apart].tolist() == (m <= 0)[apart].tolist()


def test_unknown_ones_are_refused() -> None:
    with pytest.raises(DataError, match="no surrogate 'square'"):
        parse_surrogate("square")
    with pytest.raises(DataError, match="width"):
        Ramp(0.0)
