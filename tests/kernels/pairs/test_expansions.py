"""Sums of exponentials against the functions that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.kernels.pairs import _expansions as expansions
from rankwise.types import FloatArray


def rates_of(terms: expansions.PairTerms) -> FloatArray:
    if not terms.between:
        return np.arange(1.0, terms.right.size + 1)
    doubled = terms.slowest * 2.0 ** np.arange(terms.right.size - 2)
    k = terms.between
    return np.append(doubled, doubled[k : k + 2] + doubled[k + 1 : k + 3])


def test_plain_terms_are_the_logistic_function() -> None:
    terms, x = expansions.plain_terms(), np.linspace(0, 40, 1000)
    basis, z = np.exp(-np.outer(x, rates_of(terms))), np.exp(-x)
    np.testing.assert_allclose(basis @ terms.right, z / (1 + z), atol=2e-9)
    np.testing.assert_allclose(terms.constant + basis @ terms.wrong, 1 / (1 + z), atol=2e-9)
    np.testing.assert_allclose(basis @ terms.curvature, z / (1 + z) ** 2, atol=3e-8)


@pytest.mark.parametrize(("c", "depth"), [(0.01, 0), (0.01, 1), (0.002, 0)])
def test_divided_terms_are_that_over_the_gap(c: float, depth: int) -> None:
    terms = expansions.divided_terms(c, depth)
    x = np.append(0.0, np.geomspace(1e-5, expansions.MAX_DISTANCE, 2000))
    basis, z = np.exp(-np.outer(x, rates_of(terms))), np.exp(-x)
    wrong = 1 / (1 + z) / (c + x)
    np.testing.assert_allclose(basis @ terms.wrong, wrong, rtol=2e-3, atol=1e-3 * expansions.MIN_VALUE_SHARE * wrong[0])
    for weights, values in ((terms.right, z / (1 + z)), (terms.curvature, z / (1 + z) ** 2)):
        assert np.abs(basis @ weights - values / (c + x)).max() < 1e-3 * (values / (c + x)).max()


def test_reach_grows_with_the_spread() -> None:
    assert [expansions.reach(spread) for spread in (0.0, 200.0, 201.0, 3200.0, 3201.0)] == [0, 0, 1, 1, 2]
    assert expansions.reach(1e300) == expansions.MAX_REACH


def test_least_squares_is_numpys() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(30, 6)), rng.normal(size=30)
    np.testing.assert_allclose(expansions.least_squares(A, b), np.linalg.lstsq(A, b)[0], rtol=1e-9)
