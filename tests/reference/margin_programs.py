"""Suehiro 2011's linear programs, each written out as printed and solved by HiGHS: slow, exact, small data only.

All take hypothesis values `plus` (p x N) and `minus` (n x N) in [−1, 1]. A margin of a pair is (h(x+) − h(x−))/2.
In (5) and (8) a row has its own margin, h(x+) + b or −h(x−) − b; the mean of two of these is the margin of the pair, so
that ρ means the same in all programs, and (8) halves the price of a row's slack to match (7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, eye, hstack


@dataclass(frozen=True)
class Primal:
    """`value` is the objective; `slack` holds ξ: p x n over pairs, ξ+ then ξ− over rows, empty for hard margins."""

    value: float
    alpha: np.ndarray
    rho: float
    slack: np.ndarray
    bias: float = 0.0


@dataclass(frozen=True)
class PairDual:
    value: float
    d: np.ndarray


@dataclass(frozen=True)
class RowDual:
    value: float
    d_plus: np.ndarray
    d_minus: np.ndarray
    nu_plus: float


def soft_over_pairs(plus, minus, nu, time_limit=None) -> Primal:
    """(2): max ρ − Σ ξ/ν over all pairs. Raises TimeoutError after `time_limit` seconds."""
    p, n, N = len(plus), len(minus), plus.shape[1]
    margins = _pair_margins(plus, minus)
    A = hstack([csr_matrix(-margins), np.ones((p * n, 1)), -eye(p * n)], format="csr")  # type: ignore[call-overload]  # ρ − ξ − α·margin <= 0
    c = np.concatenate([np.zeros(N), [-1.0], np.full(p * n, 1.0 / nu)])
    bounds = [(0, None)] * N + [(None, None)] + [(0, None)] * (p * n)
    value, z = _least(c, A, np.zeros(p * n), [np.arange(N)], bounds, time_limit)
    return Primal(-value, z[:N], z[N], z[N + 1 :].reshape(p, n))


def soft_over_pairs_dual(plus, minus, nu) -> PairDual:
    """(3): the least γ that bounds every hypothesis' margin under a distribution over pairs, no weight above 1/ν."""
    p, n, N = len(plus), len(minus), plus.shape[1]
    A = np.hstack([_pair_margins(plus, minus).T, -np.ones((N, 1))])
    c = np.append(np.zeros(p * n), 1.0)
    bounds = [(0, 1.0 / nu)] * (p * n) + [(None, None)]
    value, z = _least(c, A, np.zeros(N), [np.arange(p * n)], bounds)
    return PairDual(value, z[:-1].reshape(p, n))


def hard_over_pairs(plus, minus) -> Primal:
    """(4): the largest margin that every pair has; negative where the pairs cannot be separated."""
    margins, N = _pair_margins(plus, minus), plus.shape[1]
    A = np.hstack([-margins, np.ones((len(margins), 1))])
    c = np.append(np.zeros(N), -1.0)
    bounds = [(0, None)] * N + [(None, None)]
    value, z = _least(c, A, np.zeros(len(margins)), [np.arange(N)], bounds)
    return Primal(-value, z[:N], z[N], np.empty(0))


def hard_with_bias(plus, minus) -> Primal:
    """(5): the largest margin that every row has, over α and b."""
    p, n, N = len(plus), len(minus), plus.shape[1]
    signs = np.concatenate([np.ones(p), -np.ones(n)])[:, None]
    A = np.hstack([-signs * np.vstack([plus, minus]), np.ones((p + n, 1)), -signs])  # ρ − s(α·h + b) <= 0
    c = np.concatenate([np.zeros(N), [-1.0, 0.0]])
    bounds = [(0, None)] * N + [(None, None)] * 2
    value, z = _least(c, A, np.zeros(p + n), [np.arange(N)], bounds)
    return Primal(-value, z[:N], z[N], np.empty(0), z[N + 1])


def soft_over_rows_dual(plus, minus, nu_plus, nu_minus) -> RowDual:
    """(7): as (3), the distribution over pairs being a product, its factors capped by 1/ν+ and 1/ν−."""
    p, n = len(plus), len(minus)
    bounds = [(0, 1.0 / nu_plus)] * p + [(0, 1.0 / nu_minus)] * n + [(None, None)]
    A, c = _row_margins(plus, minus), np.append(np.zeros(p + n), 1.0)
    value, z = _least(c, A, np.zeros(len(A)), [np.arange(p), np.arange(p, p + n)], bounds)
    return RowDual(value, z[:p], z[p : p + n], nu_plus)


def soft_over_rows(plus, minus, nu_plus, nu_minus) -> Primal:
    """(8), the dual of (7): max ρ − Σ ξ+/(2ν+) − Σ ξ−/(2ν−)."""
    p, n, N = len(plus), len(minus), plus.shape[1]
    signs = np.concatenate([np.ones(p), -np.ones(n)])[:, None]
    A = np.hstack([-signs * np.vstack([plus, minus]), np.ones((p + n, 1)), -signs, -np.eye(p + n)])
    c = np.concatenate([np.zeros(N), [-1.0, 0.0], np.full(p, 0.5 / nu_plus), np.full(n, 0.5 / nu_minus)])
    bounds = [(0, None)] * N + [(None, None)] * 2 + [(0, None)] * (p + n)
    value, z = _least(c, A, np.zeros(p + n), [np.arange(N)], bounds)
    return Primal(-value, z[:N], z[N], z[N + 2 :], z[N + 1])


def tangent_program(plus, minus, nu, centre) -> RowDual:
    """(9): (7) with ν+ as a variable and ν− = ν/ν+, its cap 1/ν+ replaced by the tangent at ν+ = `centre`."""
    p, n, N = len(plus), len(minus), plus.shape[1]
    on_plus = np.hstack([np.eye(p), np.zeros((p, n + 1)), np.full((p, 1), centre**-2.0)])  # d+ + ν+/c² <= 2/c
    on_minus = np.hstack([np.zeros((n, p)), np.eye(n), np.zeros((n, 1)), np.full((n, 1), -1.0 / nu)])  # d− <= ν+/ν
    A = np.vstack([np.hstack([_row_margins(plus, minus), np.zeros((N, 1))]), on_plus, on_minus])
    limits = np.concatenate([np.zeros(N), np.full(p, 2.0 / centre), np.zeros(n)])
    c = np.concatenate([np.zeros(p + n), [1.0, 0.0]])
    bounds = [(0, None)] * (p + n) + [(None, None), (nu / n, 2.0 * centre - centre**2 / p)]
    value, z = _least(c, A, limits, [np.arange(p), np.arange(p, p + n)], bounds)
    return RowDual(value, z[:p], z[p : p + n], z[-1])


def alternation(plus, minus, epsilon, least_fall=1e-10) -> tuple[list[float], Primal]:
    """Section 4.2 from ν+ = √ε p: (9) at the last ν+ until γ falls no more, and (8) at the end; γ of every (9)."""
    p, n = len(plus), len(minus)
    nu, centre = epsilon * p * n, np.sqrt(epsilon) * p
    gammas = [soft_over_rows_dual(plus, minus, centre, nu / centre).value]
    while len(gammas) < 3 or gammas[-2] - gammas[-1] > least_fall:
        tangent = tangent_program(plus, minus, nu, centre)
        centre = tangent.nu_plus
        gammas.append(tangent.value)
    return gammas, soft_over_rows(plus, minus, centre, nu / centre)


def _pair_margins(plus, minus):
    return (plus[:, None, :] - minus[None, :, :]).reshape(-1, plus.shape[1]) / 2


def _row_margins(plus, minus):
    """Rows of  Σ d+ h(x+)/2 − Σ d− h(x−)/2 − γ <= 0  over the variables d+, d−, γ."""
    return np.hstack([plus.T / 2, -minus.T / 2, -np.ones((plus.shape[1], 1))])


def _least(c, A, limits, simplices, bounds, time_limit=None):
    """min c·z s.t. A z <= limits, bounds, and each set of `simplices` adds up to one."""
    sums = np.zeros((len(simplices), len(c)))
    for row, chosen in zip(sums, simplices, strict=True):
        row[chosen] = 1.0
    equal = csr_matrix(sums) if not isinstance(A, np.ndarray) else sums
    options = {} if time_limit is None else {"time_limit": time_limit}
    found = linprog(c, A, limits, equal, np.ones(len(sums)), bounds, method="highs", options=options)  # type: ignore[call-overload]
    if found.status == 1:
        raise TimeoutError(found.message)
    assert found.status == 0, found.message
    return float(found.fun), found.x
