"""The best rows of each list against a sort of each."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankwise.kernels.sorting._top_rows import best_of_each
from tests.kernels.sorting.test_rising_lists import flat, lists


@given(lists, st.integers(1, 9), st.integers(0, 99))
def test_the_best_of_each(parts: list[list[float]], count: int, seed: int) -> None:
    values, offsets = flat(parts)
    n, keys = len(parts), np.random.default_rng(seed).random(values.size)
    for order_by in (keys, np.empty(0)):
        chosen, counts = np.full(n * count, -1), np.full(n, -1)
        tied = best_of_each(values, order_by, offsets, count, 0, n, chosen, counts)
        for q in range(n):
            rows = np.arange(offsets[q], offsets[q + 1])
            second = keys[rows] if order_by.size else rows
            expected = rows[np.lexsort((second, -values[rows]))][:count]
            assert counts[q] == expected.size
            assert chosen[q * count : q * count + counts[q]].tolist() == expected.tolist()
        matters = any(
            len(set(part)) < len(part) and len(set(best)) + (len(part) > count and best[-1] == rest[0]) != len(best)
            for part in parts
            for best, rest in [(sorted(part)[::-1][:count], sorted(part)[::-1][count:])]
            if best
        )
        assert tied or not matters
    distinct = all(len(set(part)) == len(part) for part in parts)
    assert not (distinct and tied)
