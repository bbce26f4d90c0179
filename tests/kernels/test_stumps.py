"""What the search for stumps rests on: weights as whole numbers, and cuts between different values only."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels import _binned_columns as binned
from rankwise.kernels import _stumps as kernels

RNG = np.random.default_rng(0)


def test_the_size_of_weights_is_the_same_in_any_order():
    u = RNG.normal(size=1000) * np.exp(RNG.normal(size=1000, scale=10))
    largest = np.abs(u).max()
    size = kernels.size_in_steps(u, largest)
    assert kernels.size_in_steps(u[::-1].copy(), largest) == size
    assert 0 <= size - np.abs(u).sum() / largest * 2.0**kernels.STEP_BITS <= u.size


def test_whole_weights_are_rounded_ones_for_any_exponent():
    u, out = np.array([1.5e-300, -1e-300, 0.0, 0.6e-300]), np.empty(4, dtype=np.int64)
    kernels.as_whole(u, 1050, out)
    assert np.array_equal(out, np.rint(np.ldexp(u, 1050)).astype(np.int64))
    assert out[1] < -(10**15)


def test_cuts_are_marked_where_values_change():
    # zeros lie between the entries of the first column, and below those of the third; the second has none
    values = np.array([-2.0, -2.0, -1.0, 3.0, 3.0, np.nan, -2.0, 1.0, 4.0, 5.0])
    starts, middles, stops = np.array([0, 6, 8, 10]), np.array([3, 7, 8]), np.array([5, 8, 10])
    for rows, expected in ((7, [1, 2, 3, 6, 7, 8, 9]), (2, [1, 2, 3, 6, 7, 9])):
        entries = np.zeros(values.size, dtype=np.uint32)
        kernels.mark_cuts(values, starts, middles, stops, rows, entries)
        assert np.flatnonzero(entries).tolist() == expected


def test_bins_hold_whole_values_and_many_rows_of_one_value_stand_alone():
    values = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0, 5.0, np.nan])
    entries = np.arange(11, dtype=np.uint32)
    valued, whole = np.array([10]), np.array([0, 11])
    kernels.mark_cuts(values, whole, valued, valued, 11, entries)
    codes, starts, mixed = np.empty(11, dtype=np.uint16), np.empty(12, dtype=np.int64), np.zeros(12, dtype=np.bool_)
    bins = binned.make_bins(entries, 10, 3, codes, starts, mixed)
    assert starts[: bins + 1].tolist() == [0, 3, 4, 8, 10]
    assert mixed[:bins].tolist() == [True, False, False, True]
    assert codes.tolist() == [0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("bits", [32, 64])
def test_rising_order_sorts_by_keys(bits):
    kind = np.uint32 if bits == 32 else np.uint64
    for limit in (2, 1000, 2**bits - 1):
        keys = RNG.integers(0, limit, 3000, dtype=kind, endpoint=True)
        order = np.arange(3000, dtype=np.uint32)
        found = binned.rising_order(keys.copy(), order, np.empty_like(keys), np.empty_like(order), bits)
        assert np.array_equal(found, np.argsort(keys, kind="stable"))
