"""Means and deviations of features, dense and sparse, weighted or with missing values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError


def features() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((500, 6)) < 0.5, 0.0, rng.normal(size=(500, 6)) * 10.0 ** np.arange(-3, 3))
    X[:, 5] += 1e6
    X[:, 1] = 7.3
    return X


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_moments_are_numpys(weighted: bool, form: type) -> None:
    X = features()
    weight = np.random.default_rng(1).uniform(0, 2, 500) if weighted else None
    deviation = np.sqrt(np.cov(X.T, aweights=weight, bias=True).diagonal())
    deviation[1] = np.inf  # a constant feature never counts
    fitted = Standardizer.of(form(X), weight=weight)
    np.testing.assert_allclose(fitted.scale, 1.0 / deviation, rtol=1e-8)
    np.testing.assert_allclose(fitted.mean, np.average(X, axis=0, weights=weight), rtol=1e-9, atol=1e-12)


def test_missing_values_count_for_nothing() -> None:
    X = features()
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    X[0] = np.nan
    X[:, 3] = np.nan
    fitted = Standardizer.of(X, missing=True)
    others = [0, 2, 4, 5]
    np.testing.assert_allclose(fitted.mean[others], np.nanmean(X[:, others], axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fitted.scale[others], 1.0 / np.nanstd(X[:, others], axis=0), rtol=1e-8)
    assert fitted.scale[[1, 3]].tolist() == [0.0, 0.0]
    assert np.array_equal(np.isnan(fitted.apply(X)), np.isnan(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("size", "words"), [(1e200, "feature 0 is too large"), (1e-200, "feature 1 is too small")])
def test_squares_that_are_no_numbers_are_refused(form: type, size: float, words: str) -> None:
    X = features()[:, [0, 2]]
    X[:, int(size < 1)] *= size
    with pytest.raises(DataError, match=words):
        Standardizer.of(form(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_tiny_constant_never_counts(form: type) -> None:
    X = np.column_stack([np.full(3, 1e-300), np.arange(1.0, 4.0)])
    assert Standardizer.of(form(X)).scale[0] == 0.0
