"""Quadratic programs over the simplex, against scipy and against their optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.kernels.rows._simplex import ascend_simplex


def value(alpha, slope, bend):
    return float(slope @ alpha - 0.5 * alpha @ bend @ alpha)


def best_by_scipy(slope, bend):
    n = slope.size
    found = minimize(  # type: ignore[call-overload]
        lambda a: -value(a, slope, bend),
        np.full(n, 1.0 / n),
        jac=lambda a: bend @ a - slope,
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1.0, "jac": lambda a: np.ones(n)},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return -found.fun


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("rank", [0, 1, 3, 12])
@pytest.mark.parametrize("start", ["corner", "middle", "some"])
def test_the_optimum_is_scipys(n, rank, start) -> None:
    random = np.random.default_rng(n + 100 * rank)
    slope, z = random.normal(size=n), random.normal(size=(rank, n))
    bend = z.T @ z
    alpha = {"corner": np.eye(n)[-1], "middle": np.full(n, 1.0 / n), "some": np.append(np.zeros(n - 1), 1.0)}[start]
    if start == "some":
        alpha[: n // 2 + 1] += 1.0
        alpha /= alpha.sum()
    before = value(alpha, slope, bend)
    ascend_simplex(slope, bend, alpha, 100_000, 1e-9)
    assert (alpha >= 0.0).all()
    assert alpha.sum() == pytest.approx(1.0, abs=1e-12)
    here = slope - bend @ alpha
    assert here.max() - here[alpha > 0.0].min() <= 2e-9  # no weight can be moved to gain
    assert value(alpha, slope, bend) == pytest.approx(best_by_scipy(slope, bend), abs=1e-7)
    assert value(alpha, slope, bend) >= before


def test_every_step_rises_and_the_number_of_steps_is_kept() -> None:
    random = np.random.default_rng(0)
    slope, z = random.normal(size=30), random.normal(size=(40, 30))
    bend, values = z.T @ z, []
    for most in range(25):
        alpha = np.eye(30)[3]
        ascend_simplex(slope, bend, alpha, most, 0.0)
        values.append(value(alpha, slope, bend))
        assert np.count_nonzero(alpha) <= most + 1
    assert values[0] == value(np.eye(30)[3], slope, bend)
    assert (np.diff(values) > 0.0).all()


def test_where_there_is_nothing_to_gain_it_stays() -> None:
    alpha = np.array([0.2, 0.8, 0.0])
    ascend_simplex(np.array([1.0, 1.0, 0.5]), np.zeros((3, 3)), alpha, 10, 0.0)
    assert alpha.tolist() == [0.2, 0.8, 0.0]
