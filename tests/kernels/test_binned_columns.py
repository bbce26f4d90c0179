"""The best cut of dense columns by bins: bins, the radix sort of keys, and cuts against a scan of every cut."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels import _binned_columns as binned
from rankwise.kernels import _decision_stumps as stumps


def test_bins_hold_all_rows_of_a_value_and_a_frequent_value_stands_alone() -> None:
    values = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0, 5.0, np.nan])
    entries = np.arange(11, dtype=np.uint32)
    valued, column = np.array([10]), np.array([0, 11])
    stumps.mark_cuts(values, column, valued, valued, 11, entries)
    codes, starts, mixed = np.empty(11, dtype=np.uint16), np.empty(12, dtype=np.int64), np.zeros(12, dtype=np.bool_)
    bins = binned.make_bins(entries, 10, 3, codes, starts, mixed)
    assert starts[: bins + 1].tolist() == [0, 3, 4, 8, 10]
    assert mixed[:bins].tolist() == [True, False, False, True]
    assert codes.tolist() == [0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("bits", [32, 64])
def test_rising_order_sorts_by_keys(bits: int) -> None:
    kind = np.uint32 if bits == 32 else np.uint64
    for limit in (2, 1000, 2**bits - 1):
        keys = np.random.default_rng(limit % 97).integers(0, limit, 3000, dtype=kind, endpoint=True)
        order = np.arange(3000, dtype=np.uint32)
        order = binned.rising_order(keys.copy(), order, np.empty_like(keys), np.empty_like(order), bits)
        assert np.array_equal(order, np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("size", [1, 3, 8])
def test_the_best_cut_of_bins_is_the_best_of_all(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(50):
        rows = 30
        values = np.sort(rng.integers(0, 12, rows).astype(float))
        weight = rng.integers(-9, 10, rows)
        entries, column, valued = np.arange(rows, dtype=np.uint32), np.array([0, rows]), np.array([rows])
        stumps.mark_cuts(values, column, valued, valued, rows, entries)
        codes, starts = np.empty(rows, dtype=np.uint16), np.empty(rows + 2, dtype=np.int64)
        mixed = np.zeros(rows + 2, dtype=np.bool_)
        bins = binned.make_bins(entries, rows, size, codes, starts, mixed)
        lists = (entries[None], codes[None], starts, mixed, np.array([0, bins + 1]), weight, int(weight.sum()))
        edges, places = np.zeros((2, 1), dtype=np.int64)
        binned.best_binned_cuts(*lists, False, 0, 1, edges, places)
        sums = weight.sum() - 2 * np.cumsum(weight)[:-1]
        cuts = np.flatnonzero(np.diff(values) > 0)
        best = np.abs(sums[cuts]).max(initial=0)
        assert abs(edges[0]) == best
        if best:
            assert places[0] == cuts[np.abs(sums[cuts]) == best][0]
            assert edges[0] == sums[places[0]]
