"""What the search for stumps rests on: weights as integers, and cuts between different values only."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from rankwise.kernels import _decision_stumps as kernels

RNG = np.random.default_rng(0)


def test_the_size_of_weights_is_the_same_in_any_order() -> None:
    u = RNG.normal(size=1000) * np.exp(RNG.normal(size=1000, scale=10))
    largest = np.abs(u).max()
    size = kernels.size_in_steps(u, largest)
    assert kernels.size_in_steps(u[::-1].copy(), largest) == size
    assert 0 <= size - np.abs(u).sum() / largest * 2.0**kernels.STEP_BITS <= u.size


def test_whole_weights_are_rounded_ones_for_any_exponent() -> None:
    u, out = np.array([1.5e-300, -1e-300, 0.0, 0.6e-300]), np.empty(4, dtype=np.int64)
    kernels.as_integers(u, 1050, out)
    assert np.array_equal(out, np.rint(np.ldexp(u, 1050)).astype(np.int64))
    assert out[1] < -(10**15)


def test_cuts_are_marked_where_values_change() -> None:
    # zeros lie between the entries of the first column, and below those of the third; the second has none
    values = np.array([-2.0, -2.0, -1.0, 3.0, 3.0, np.nan, -2.0, 1.0, 4.0, 5.0])
    starts, middles, stops = np.array([0, 6, 8, 10]), np.array([3, 7, 8]), np.array([5, 8, 10])
    for rows, expected in ((7, [1, 2, 3, 6, 7, 8, 9]), (2, [1, 2, 3, 6, 7, 9])):
        entries = np.zeros(values.size, dtype=np.uint32)
        kernels.mark_cuts(values, starts, middles, stops, rows, entries)
        assert np.flatnonzero(entries).tolist() == expected


def test_scores_of_stumps_are_sums_of_levels() -> None:
    """Two features: the first with one threshold, the second with two; NaN adds nothing."""
    X = np.array([[0.0, 1.0], [2.0, -1.0], [np.nan, 5.0], [1.0, np.nan]])
    features, starts, thresholds = np.array([0, 1]), np.array([0, 1, 3]), np.array([1.0, 0.0, 2.0])
    levels = np.array([-1.0, 1.0, 10.0, 20.0, 30.0])
    out = np.empty(4)
    kernels.score_dense(X, features, starts, thresholds, levels, 0, 4, out)
    assert out.tolist() == [-1 + 20, 1 + 10, 30, -1]
    sparse, again = csr_array(X), np.empty(4)
    at_zero, place = np.array([-1.0, 10.0]), np.array([0, 1])
    rows = (sparse.data, sparse.indices, sparse.indptr, place)
    kernels.score_sparse(*rows, starts, thresholds, levels, at_zero, at_zero.sum(), 0, 4, again)
    assert again.tolist() == out.tolist()


def test_sides_of_a_threshold() -> None:
    out = np.empty(4, dtype=np.int8)
    kernels.sides_of(np.array([1.0, 2.0, 3.0, np.nan]), 2.0, out)
    assert out.tolist() == [-1, -1, 1, 0]
