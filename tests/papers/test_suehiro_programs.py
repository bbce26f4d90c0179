"""Suehiro 2011's programs among themselves: duality, theorem 2, theorem 3, and the heuristic's fall, on noisy threshold
data."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference import margin_programs as programs

TOLERANCE = 1e-7  # HiGHS solves to 1e-7
SHAPES = [(4, 6, 3), (9, 5, 8), (12, 12, 6)]  # p, n, N


def made(p: int, n: int, N: int, seed: int, shift: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    plus, minus = random.uniform(-1, 1, (p, N)), random.uniform(-1, 1, (n, N))
    return np.clip(plus + shift, -1, 1), minus


def pair_margins(plus: np.ndarray, minus: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return np.subtract.outer(plus @ alpha, minus @ alpha) / 2


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_over_pairs_primal_and_dual_agree(shape: tuple[int, int, int], epsilon: float) -> None:
    plus, minus = made(*shape, seed=1)
    nu = max(1.0, epsilon * shape[0] * shape[1])
    primal, dual = programs.soft_over_pairs(plus, minus, nu), programs.soft_over_pairs_dual(plus, minus, nu)
    assert primal.value == pytest.approx(dual.value, abs=TOLERANCE)
    margins = pair_margins(plus, minus, primal.alpha)
    assert primal.value == pytest.approx(primal.rho - np.maximum(0, primal.rho - margins).sum() / nu, abs=TOLERANCE)
    assert (margins < primal.rho - TOLERANCE).sum() <= nu + TOLERANCE


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("shift", [0.0, 0.3, 1.5])
def test_hard_margins_over_pairs_and_with_bias_agree(shape: tuple[int, int, int], shift: float) -> None:
    """Theorem 2; without a shift the pairs are not separable and the margin is negative."""
    plus, minus = made(*shape, seed=2, shift=shift)
    pairs, bias = programs.hard_over_pairs(plus, minus), programs.hard_with_bias(plus, minus)
    assert pairs.value == pytest.approx(bias.value, abs=TOLERANCE)
    assert pair_margins(plus, minus, bias.alpha).min() == pytest.approx(pairs.rho, abs=TOLERANCE)
    assert programs.soft_over_pairs(plus, minus, 1.0).value == pytest.approx(pairs.value, abs=TOLERANCE)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("shares", [(0.2, 0.2), (0.3, 0.6), (1.0, 1.0)])
def test_over_rows_primal_and_dual_agree(shape: tuple[int, int, int], shares: tuple[float, float]) -> None:
    """(7) = (8), both at least (3) with ν = ν+ν−; theorem 3."""
    plus, minus = made(*shape, seed=3)
    p, n, _ = shape
    nu_plus, nu_minus = max(1.0, shares[0] * p), max(1.0, shares[1] * n)
    primal = programs.soft_over_rows(plus, minus, nu_plus, nu_minus)
    dual = programs.soft_over_rows_dual(plus, minus, nu_plus, nu_minus)
    assert primal.value == pytest.approx(dual.value, abs=TOLERANCE)
    assert dual.value >= programs.soft_over_pairs_dual(plus, minus, nu_plus * nu_minus).value - TOLERANCE
    reached = (pair_margins(plus, minus, primal.alpha) >= primal.rho - TOLERANCE).sum()
    assert reached >= (p - nu_plus) * (n - nu_minus) - TOLERANCE


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", [0.3, 0.55, 0.9])
def test_alternating_tangent_and_fixed_caps_falls(shape: tuple[int, int, int], start: float) -> None:
    """Suehiro 2011 4.2: γ falls, and never passes below the optimum over pairs."""
    plus, minus = made(*shape, seed=4)
    p, n, _ = shape
    nu = 0.25 * p * n
    centre = start * p
    values = [programs.soft_over_rows_dual(plus, minus, centre, nu / centre).value]
    for _ in range(4):
        tangent = programs.tangent_program(plus, minus, nu, centre)
        centre = tangent.nu_plus
        values += [tangent.value, programs.soft_over_rows_dual(plus, minus, centre, nu / centre).value]
    assert (np.diff(values) <= TOLERANCE).all()
    assert values[-1] >= programs.soft_over_pairs_dual(plus, minus, nu).value - TOLERANCE


def test_a_pair_program_stops_at_its_time_limit() -> None:
    plus, minus = made(40, 40, 10, seed=5)
    with pytest.raises(TimeoutError):
        programs.soft_over_pairs(plus, minus, 100.0, time_limit=0.0)
