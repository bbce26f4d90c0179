"""Thresholds: every float32 is on the same side of what is written as of what the model has."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.errors import DataError
from rankwise.models.export._solr import Solr
from rankwise.rankers._score_functions._floats import LARGEST, above, below, single
from rankwise.rankers._score_functions._functions import Leaf, Tree, TreeSplit, TreeSum
from rankwise.rankers.trees._score_function import _as_it_acts

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


@settings(max_examples=100)
@given(st.lists(floats, min_size=1, max_size=4))
def test_solr_gets_each_threshold_back_when_it_adds_its_slack(limits: list[float]) -> None:
    trees = [Tree(TreeSplit(0, limit, Leaf(-1.0), Leaf(1.0), "as zero")) for limit in limits]
    try:
        told = json.loads(Solr().files(TreeSum("x", ["a"], trees), Path("m.json"))[Path("m.json")])
    except DataError:
        assert min(abs(limit) for limit in limits if limit) < 1e-43  # the very last denormal numbers
        return
    norms = {one["name"]: one["norm"]["params"]["std"] if "norm" in one else "1" for one in told["features"]}
    for limit, tree in zip(limits, told["params"]["trees"], strict=True):
        root = tree["root"]
        for value in (below(limit), limit, above(limit), 0.0, 1e-40, -1e30):
            with np.errstate(over="ignore"):
                seen = F(value) / F(norms[root["feature"]])
                assert (F(value) <= F(limit)) == bool(seen <= F(root["threshold"]) + F(1e-6))
