"""Boosting by its definitions: explicit pairs, all stumps tried, weights capped by bisection, margins by a program."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from tests.reference.stumps_by_definition import all_stumps, best_stumps, side


def pairs_of(y, qid, weight):
    """(better, worse, weight) of every pair of a query."""
    rows = range(len(y))
    found = [(i, j, weight[i] * weight[j]) for i in rows for j in rows if y[i] > y[j] and qid[i] == qid[j]]
    better, worse, weights = zip(*found, strict=True)
    return np.array(better), np.array(worse), np.array(weights)


def row_weights(pairs, D, rows):
    better, worse, _ = pairs
    return np.bincount(better, D, rows) - np.bincount(worse, D, rows)


def rankboost(X, pairs, rounds):
    """(feature, threshold, sign, α, edge, D) of each round (Freund et al. 2003, figure 1, with h from 0 to 1)."""
    better, worse, weights = pairs
    D, history = weights / weights.sum(), []
    for _ in range(rounds):
        _, feature, threshold, sign = best_stumps(X, row_weights(pairs, D, len(X)))[0]
        h = (1 + sign * side(X[:, feature].astype(float), threshold)) / 2
        r = np.sum(D * (h[better] - h[worse]))
        alpha = np.log((1 + r) / (1 - r)) / 2
        history.append((feature, threshold, sign, alpha, r, D))
        D = D * np.exp(-alpha * (h[better] - h[worse]))
        D /= D.sum()
    return history


def capped(exponents, weight, most):
    """w·min(most, z·e^x)/Σw that adds up to 1, z by bisection."""
    own = weight / weight.sum()
    low, high = -exponents.max() - 50.0, -exponents.min() + 50.0 + np.log(most)
    for _ in range(200):
        z = (low + high) / 2
        given = own * np.minimum(most, np.exp(np.minimum(exponents + z, 700.0)))
        low, high = (z, high) if given.sum() < 1.0 else (low, z)
    return given


def blocks_by_halving(y, qid):
    """(better rows, worse rows) of each block: grades of a query halved, the lower half the smaller, and so on."""
    found = []

    def halve(rows, grades) -> None:
        if len(grades) > 1:
            lower, upper = grades[: len(grades) // 2], grades[len(grades) // 2 :]
            found.append((rows[np.isin(y[rows], upper)], rows[np.isin(y[rows], lower)]))
            halve(rows, lower)
            halve(rows, upper)

    for query in np.unique(qid):
        rows = np.flatnonzero(qid == query)
        halve(rows, np.unique(y[rows]))
    return found


def shares_of(blocks, weight):
    pairs = np.array([weight[better].sum() * weight[worse].sum() for better, worse in blocks])
    return pairs / pairs.sum()


def best_soft_margin(X, blocks, epsilon, weight):
    """The optimum of Suehiro 2011's program (7) over all stumps, with weights for each block."""
    H = np.array([side(X[:, feature].astype(float), threshold) for feature, threshold in all_stumps(X)])
    H = np.vstack([H, -H])
    lists = [(rows, sign * share) for block, share in zip(blocks, shares_of(blocks, weight), strict=True)
             for rows, sign in zip(block, (1, -1), strict=True)]  # fmt: skip
    edges = np.hstack([share * H[:, rows] / 2 for rows, share in lists])
    bounds = [(0, w / weight[rows].sum() / np.sqrt(epsilon)) for rows, _ in lists for w in weight[rows]]
    of_list = np.repeat(np.arange(len(lists)), [len(rows) for rows, _ in lists])
    ones = (of_list == np.arange(len(lists))[:, None]).astype(float)
    found = linprog(
        np.append(np.zeros(len(bounds)), 1.0),
        A_ub=np.hstack([edges, -np.ones((len(H), 1))]),
        b_ub=np.zeros(len(H)),
        A_eq=np.hstack([ones, np.zeros((len(lists), 1))]),
        b_eq=np.ones(len(lists)),
        bounds=[*bounds, (None, None)],
    )
    return found.fun
