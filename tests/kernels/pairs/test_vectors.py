"""Steps in vectors against the same steps a number at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankwise.kernels._compile import specialize
from rankwise.kernels.pairs import _lambda_sums as lambda_sums
from rankwise.kernels.pairs._expansions import SLOWEST
from tests.reference import sweep_by_scalars


@pytest.mark.parametrize("down", [True, False])
@pytest.mark.parametrize(("vectors", "between"), [(2, 0), (3, 0), (5, 7)])
@pytest.mark.parametrize(("factors", "classes"), [(1, 2), (1, 5), (2, 3), (2, 8)])
def test_sweep_is_its_scalar_twin(factors: int, classes: int, vectors: int, between: int, down: bool) -> None:
    rng = np.random.default_rng(factors + classes + vectors)
    n, terms = 40, 4 * vectors
    scores = np.sort(rng.normal(size=n) * 3)[::-1].copy()
    scores[5:9] = scores[5]
    own = rng.integers(0, classes, n)
    heights = np.sort(rng.uniform(size=(factors, n)), axis=1)[:, ::-1].copy()
    share = rng.uniform(0.5, 2.0, n)
    push, bend = rng.normal(size=(2, classes, factors, classes, terms))
    zero = np.zeros((classes, factors, lambda_sums.padded_classes(classes)))
    if not between:
        zero[:, :, :classes] = rng.normal(size=(classes, factors, classes))
    rates = np.arange(1.0, terms + 1)
    if between:
        rates = SLOWEST * 2.0 ** np.arange(terms)
        rates[-2:] = rates[between] + rates[between + 1], rates[between + 1] + rates[between + 2]
    by_scalars = sweep_by_scalars.sweep(
        scores.tolist(), own.tolist(), heights, rates, push, bend, zero[:, :, :classes], share.tolist(), down
    )
    compiled = specialize(lambda_sums.sweep, FACTORS=factors, CLASSES=classes, VECTORS=vectors, BETWEEN=between)
    pushes, bends = np.zeros(n), np.zeros(n)
    z = lambda_sums.decays(scores, rates[0])
    tables: Any = (table.reshape(classes, -1) for table in (push, bend, zero))
    compiled(z, own, heights, *tables, share, down, pushes, bends)  # type: ignore[call-arg]
    np.testing.assert_allclose(pushes, by_scalars[0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(bends, by_scalars[1], rtol=1e-11, atol=1e-12)
