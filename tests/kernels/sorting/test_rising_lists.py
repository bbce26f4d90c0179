"""Kernels of rising lists against numpy, list by list."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from rankwise.kernels.sorting import _rising_lists as rising_lists

few = st.integers(-2, 2).map(float)
many = st.floats(-50, 50)
lists = st.lists(st.one_of(st.lists(few, max_size=8), st.lists(many, max_size=8)), min_size=1, max_size=5)


def flat(parts: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([v for part in parts for v in part]), np.cumsum([0, *map(len, parts)])


@given(lists)
def test_gaps_ranks_and_chances(parts) -> None:
    scores, offsets = flat([sorted(part) for part in parts])
    n = len(parts)
    gaps, ranks, chances = np.full((1, n), -1), np.full(scores.size, np.nan), np.full(scores.size, np.nan)
    below = gaps[0]
    for low, high in ((0, n // 2), (n // 2, n)):
        rising_lists.largest_gaps(scores, offsets, low, high, gaps)
        rising_lists.mean_ranks(scores, offsets, low, high, ranks)
        rising_lists.posteriors(scores, offsets, below, low, high, chances)
    for q in range(n):
        part = scores[offsets[q] : offsets[q + 1]]
        assert below[q] == offsets[q] + (np.argmax(np.diff(part)) if part.size > 1 else 0)
        np.testing.assert_array_equal(ranks[offsets[q] : offsets[q + 1]], rankdata(part))
        if part.size:
            expected = 1 / (1 + np.exp(scores[below[q]] - part))
            np.testing.assert_allclose(chances[offsets[q] : offsets[q + 1]], expected, rtol=1e-12)
