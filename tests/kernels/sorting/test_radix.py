"""The radix sort of one long list against numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.kernels.sorting._radix import MAX_MEAN_MOVES, insertion_sort, rank_long_list


def check_order(scores: NDArray[np.float64]) -> None:
    rows, ranked = rank_long_list(scores)
    expected = np.argsort(-scores, kind="stable")
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(ranked, scores[expected])


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-np.inf, 0.0, -0.0]), min_size=1),
    st.sampled_from(["1", "2", "3"]),
)
@settings(max_examples=100)
def test_radix_order(scores: list[float], threads: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKWISE_NUM_THREADS", threads)
        check_order(np.array(scores))


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("rows", [2, 1000, 50_000])
def test_ties_outliers_and_clusters(rows: int, threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets of one score, one bucket with nearly all scores, and cells with many that only spreading again parts."""
    monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
    rng = np.random.default_rng(rows)
    check_order(rng.normal(size=rows))
    check_order(np.zeros(rows))
    check_order(0.1 * rng.integers(0, 3, rows).astype(np.float64))
    check_order(np.append(rng.random(rows - 1), 1e300))
    check_order(rng.integers(0, 40, rows) + 1e-9 * rng.random(rows))
    check_order(np.power(10.0, rng.uniform(-300, 300, rows)))


def test_insertion_gives_up_on_what_is_not_nearly_sorted() -> None:
    scores = np.array([3.0, 1.0, 2.0, 2.0, 0.0])
    rows = np.arange(5)
    assert insertion_sort(scores, rows)
    assert scores.tolist() == [3.0, 2.0, 2.0, 1.0, 0.0]
    assert rows.tolist() == [0, 2, 3, 1, 4]
    rising = np.arange(4.0 * MAX_MEAN_MOVES)
    assert not insertion_sort(rising, np.arange(rising.size))
