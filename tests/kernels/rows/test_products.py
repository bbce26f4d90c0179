"""Products in threads and double precision against numpy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.kernels.rows._products import BLOCK_ROWS, dot, rows_times, times_rows

SHAPES = [(1, 1), (7, 3), (BLOCK_ROWS, 5), (BLOCK_ROWS + 1, 17), (3 * BLOCK_ROWS - 1, 100)]  # the last one in threads


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_numpys_in_double_precision(shape, dtype) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape).astype(dtype)
    w, d = rng.normal(size=shape[1]), rng.normal(size=shape[0])
    d[rng.random(d.size) < 0.3] = 0.0
    whole = X.astype(np.float64)
    for found, expected in ((rows_times(X, w), whole @ w), (times_rows(d, X), d @ whole)):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * shape[0])


def test_single_precision_is_not_summed_in_single_precision() -> None:
    X = np.full((2, 1000), 0.1, dtype=np.float32)
    assert rows_times(X, np.ones(1000))[0] == pytest.approx(1000 * float(np.float32(0.1)), rel=1e-14)
    assert times_rows(np.ones(1000), np.full((1000, 1), 0.1, dtype=np.float32))[0] == pytest.approx(
        1000 * float(np.float32(0.1)), rel=1e-14
    )


def test_rows_of_weight_zero_are_not_looked_at() -> None:
    X = np.array([[1.0, np.nan], [3.0, 4.0]])
    assert times_rows(np.array([0.0, 2.0]), X).tolist() == [6.0, 8.0]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_number_of_threads_does_not_matter(shape, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    X, w, d = rng.normal(size=shape), rng.normal(size=shape[1]), rng.normal(size=shape[0])
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
        found.append((rows_times(X, w), times_rows(d, X)))
    for rows, columns in found[1:]:
        assert np.array_equal(rows, found[0][0])
        assert np.array_equal(columns, found[0][1])


@pytest.mark.parametrize("size", [0, 1, 46, BLOCK_ROWS, 3 * BLOCK_ROWS + 1, 10**6])
def test_products_of_vectors_are_exact_however_long(size) -> None:
    a, b = np.random.default_rng(size).normal(size=(2, size))
    assert dot(a, b) == pytest.approx(math.fsum(a * b), rel=0, abs=1e-15 * size)
