"""The radix sort of one long list against numpy's stable sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.kernels.sorting._radix import MAX_MEAN_MOVES, insertion_sort, radix_argsort


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-np.inf, 0.0, -0.0]), min_size=1),
    st.sampled_from(["1", "2", "3"]),
)
@settings(max_examples=100)
def test_radix_order(scores: list[float], threads: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKWISE_NUM_THREADS", threads)
        np.testing.assert_array_equal(radix_argsort(np.array(scores)), np.argsort(-np.array(scores), kind="stable"))


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("rows", [2, 1000, 50_000])
def test_ties_and_outliers(rows: int, threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
    rng = np.random.default_rng(rows)
    scores: Any
    for scores in (rng.normal(size=rows), rng.integers(0, 3, rows) * 0.1, np.append(rng.random(rows - 1), 1e300)):
        np.testing.assert_array_equal(radix_argsort(scores), np.argsort(-scores, kind="stable"))


def test_insertion_gives_up_on_what_is_not_nearly_sorted() -> None:
    scores = np.array([3.0, 1.0, 2.0, 2.0, 0.0])
    rows = np.arange(5)
    assert insertion_sort(scores, rows)
    assert scores.tolist() == [3.0, 2.0, 2.0, 1.0, 0.0]
    assert rows.tolist() == [0, 2, 3, 1, 4]
    rising = np.arange(4.0 * MAX_MEAN_MOVES)
    assert not insertion_sort(rising, np.arange(rising.size))
