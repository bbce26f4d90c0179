"""Hashes of rows: what they depend on, against arithmetic of Python's own integers."""

from __future__ import annotations

import numpy as np
from scipy.sparse import random_array

from rankwise.kernels.rows import _row_hash as row_hash

WORD = 2**64
RNG = np.random.default_rng(0)


def mixed(bits: int) -> int:
    bits = ((bits ^ (bits >> 32)) * int(row_hash.FIRST)) % WORD
    return bits ^ (bits >> 27)


def test_dense_rows_are_sums_of_mixed_bits() -> None:
    numbers, multipliers = RNG.normal(size=(7, 3)), RNG.integers(WORD, size=3, dtype=np.uint64)
    for given in (numbers, numbers.astype(np.float32), numbers.round()):  # the last has −0
        sums = np.full(7, 5, dtype=np.uint64)
        row_hash.add_dense(given, multipliers, sums)
        bits = (given.astype(np.float64) + 0.0).view(np.uint64).tolist()
        by_python = [
            (5 + sum(mixed(b) * m for b, m in zip(row, multipliers.tolist(), strict=True))) % WORD for row in bits
        ]
        assert sums.tolist() == by_python


def test_sparse_rows_have_the_hashes_of_dense_ones() -> None:
    X = random_array((20, 6), density=0.3, rng=0).tocsr()
    multipliers = RNG.integers(WORD, size=6, dtype=np.uint64)
    dense, sparse = np.zeros((2, 20), dtype=np.uint64)
    row_hash.add_dense(X.toarray(), multipliers, dense)
    row_hash.add_sparse(X.data.view(np.uint64), X.indices, X.indptr, multipliers, sparse)
    assert np.array_equal(dense, sparse)
    assert np.unique(dense[X.indptr[1:] > X.indptr[:-1]]).size == np.count_nonzero(np.diff(X.indptr))


def test_seeds_give_other_numbers_that_are_uniform() -> None:
    hashes = np.arange(100_000, dtype=np.uint64)
    first, again, other = (row_hash.uniform_hash(hashes, np.uint64(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert 0.0 <= first.min() <= first.max() < 1.0
    counts = np.histogram(first, bins=10, range=(0, 1))[0]
    assert np.abs(counts - 10_000).max() < 500
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.02
