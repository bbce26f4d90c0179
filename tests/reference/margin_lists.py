"""Suehiro 2011's duals for lists as the library has them: several queries, any grades, weights. HiGHS, small data only.

A block pairs all rows of a query and grade with all rows of lower grades in that query; of one list with two grades
there is one, and these are Suehiro 2011's own programs (`margin_programs`). `H` has a hypothesis per column, `weight`
one a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog


@dataclass(frozen=True)
class Dual:
    """The optimum, the weights u of rows with Σ d_ij (f_i − f_j) = Σ u_i f_i, and ν+ of each block."""

    value: float
    u: np.ndarray
    nu: np.ndarray


def pairs_of(y, qid):
    """(better row, worse row) of all pairs."""
    return np.nonzero((qid[:, None] == qid) & (y[:, None] > y))


def blocks_of(y, qid):
    """(better rows, worse rows) by rising query and grade."""
    found = []
    for query in np.unique(qid):
        grades = np.unique(y[qid == query])
        for grade in grades[1:]:
            found.append((np.flatnonzero((qid == query) & (y == grade)), np.flatnonzero((qid == query) & (y < grade))))
    return found


def over_pairs(H, y, qid, weight, epsilon) -> Dual:
    """(3): d_ij <= w_ij/ν, ν = ε·Σ w."""
    better, worse = pairs_of(y, qid)
    w = weight[better] * weight[worse]
    onto = np.zeros((len(y), better.size))
    onto[better, np.arange(better.size)] += 1.0
    onto[worse, np.arange(better.size)] -= 1.0
    bounds = [(0.0, one) for one in w / (epsilon * w.sum())]
    return _least(H, onto, np.ones((1, better.size)), np.zeros((0, better.size)), np.zeros(0), bounds, np.zeros(0))


def hard(H, y, qid) -> Dual:
    """The dual of (4): any distribution over pairs."""
    return over_pairs(H, y, qid, np.ones(len(y)), 1.0 / pairs_of(y, qid)[0].size)


def over_rows(H, y, qid, weight, epsilon, nu=None) -> Dual:
    """(7): in each block d+_i <= w_i/ν+ and d-_j <= w_j·ν+/ν; ν+ = √ε·p unless given."""
    blocks = blocks_of(y, qid)
    p = np.array([weight[better].sum() for better, _ in blocks])
    nu = np.sqrt(epsilon) * p if nu is None else nu
    return _of_blocks(H, blocks, weight, epsilon, nu, nu, nu)


def over_rows_and_nu(H, y, qid, weight, epsilon, centre) -> Dual:
    """(9): ν+ is free, and 1/ν+ is replaced by its tangent at `centre`."""
    blocks = blocks_of(y, qid)
    p = np.array([weight[better].sum() for better, _ in blocks])
    return _of_blocks(H, blocks, weight, epsilon, centre, epsilon * p, 2.0 * centre - centre**2 / p)


def _of_blocks(H, blocks, weight, epsilon, centre, low, high):
    """(9) with ν+ of each block from low to high; (7) where these are its centre, since the tangent touches there."""
    sizes = [better.size + worse.size + 1 for better, worse in blocks]
    starts, columns = np.append(0, np.cumsum(sizes)), sum(sizes)
    masses = np.array([(weight[better].sum(), weight[worse].sum()) for better, worse in blocks])
    share = masses.prod(axis=1) / masses.prod(axis=1).sum()
    onto, sums = np.zeros((len(H), columns)), np.zeros((2 * len(blocks), columns))
    caps, limits, bounds = [], [], []
    for b, (better, worse) in enumerate(blocks):
        start, nu_at = starts[b], starts[b + 1] - 1
        at_better, at_worse = start + np.arange(better.size), start + better.size + np.arange(worse.size)
        onto[better, at_better] += share[b]
        onto[worse, at_worse] -= share[b]
        sums[2 * b, at_better], sums[2 * b + 1, at_worse] = 1.0, 1.0
        for row, at in zip(better, at_better, strict=True):  # d+ + w ν+/c² <= 2w/c
            cap = np.zeros(columns)
            cap[at], cap[nu_at] = 1.0, weight[row] / centre[b] ** 2
            caps.append(cap)
            limits.append(2.0 * weight[row] / centre[b])
        for row, at in zip(worse, at_worse, strict=True):  # d- <= w ν+/ν
            cap = np.zeros(columns)
            cap[at], cap[nu_at] = 1.0, -weight[row] / (epsilon * masses[b].prod())
            caps.append(cap)
            limits.append(0.0)
        bounds += [(0.0, None)] * (sizes[b] - 1) + [(low[b], high[b])]
    return _least(H, onto, sums, np.array(caps), np.array(limits), bounds, starts[1:] - 1)


def _least(H, onto, sums, caps, limits, bounds, nu_at):
    """min γ over d with Hᵀ·onto·d/2 <= γ, sums·d = 1, caps·d <= limits."""
    count = onto.shape[1]
    edges = np.hstack([H.T @ onto / 2.0, -np.ones((H.shape[1], 1))])
    A = np.vstack([edges, np.hstack([caps, np.zeros((len(caps), 1))])])
    found = linprog(
        np.append(np.zeros(count), 1.0), A, np.append(np.zeros(H.shape[1]), limits),
        np.hstack([sums, np.zeros((len(sums), 1))]), np.ones(len(sums)), [*bounds, (None, None)], method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    assert found.status == 0, found.message
    return Dual(float(found.fun), onto @ found.x[:-1], found.x[:-1][np.asarray(nu_at, dtype=np.int64)])  # type: ignore[arg-type, index]
