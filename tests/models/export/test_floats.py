"""Thresholds: every float32 is on the same side of what is written as of what the model has."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.models.export.floats import LARGEST, above, below, single
from rankwise.models.export.lightgbm_trees import _as_it_acts
from rankwise.models.export.solr import _before_slack, _power

F = np.float32
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
doubles = st.floats(min_value=-LARGEST, allow_nan=False)


@given(doubles, floats)
def test_single_parts_floats_as_the_threshold_does(threshold: float, x: float) -> None:
    limit = single(threshold)
    for value in (x, limit, above(limit), below(limit)):
        if math.isfinite(value):
            assert (value <= threshold) == (F(value) <= F(limit))
            assert (value <= threshold) == bool(F(value) < F(above(limit)) or limit == LARGEST)


@given(doubles, floats)
def test_lightgbm_takes_tiny_numbers_for_zero(threshold: float, x: float) -> None:
    for value in (x, single(threshold), 1e-36, -1e-36, float(F(1e-35)), -float(F(1e-35)), 0.0):
        seen = 0.0 if abs(value) <= float(F(1e-35)) else value
        assert (seen <= threshold) == (value <= _as_it_acts(threshold))


@settings(max_examples=300)
@given(floats)
def test_solr_gets_each_threshold_back_when_it_adds_its_slack(limit: float) -> None:
    written = _before_slack(limit)
    if written is not None:
        assert F(written) == written
        assert float(F(written) + F(1e-6)) == limit
        return
    power = _power([limit])
    if power is None:
        assert abs(limit) < 1e-43  # the very last denormal numbers
        return
    scaled = F(limit) / F(math.ldexp(1.0, -power))
    assert float(scaled) == math.ldexp(limit, power)
    assert float(F(_before_slack(float(scaled))) + F(1e-6)) == float(scaled)
    for value in (below(limit), limit, above(limit)):
        assert (value <= limit) == bool(F(value) / F(math.ldexp(1.0, -power)) <= scaled)
