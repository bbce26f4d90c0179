"""Rate objectives of linear models solved another way: as linear programs, and by bisection on the weight (Eban 2017
(7)).

All are for the hinge loss, w·x against a threshold b for each anchor, without regularization. Values are costs in
shares of the positives.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog


def _blocks(X, y, anchors):
    """Rows of  sign·(w·x − b_t) + slack >= 1  as linprog's A_ub, over the variables w, b_1..K, slack_{t,i}."""
    n = len(X)
    sign = np.where(y > 0, 1.0, -1.0)
    rows = []
    for t in range(anchors):
        thresholds = np.zeros((n, anchors))
        thresholds[:, t] = sign
        slack = np.zeros((n, anchors * n))
        slack[:, t * n : (t + 1) * n] = -np.eye(n)
        rows.append(np.hstack([-sign[:, None] * X, thresholds, slack]))
    return np.vstack(rows), -np.ones(n * anchors)


def _hinge_program(X, y, costs, constraints, limits):
    """min Σ costs·slack s.t. constraints_t·slack_t <= limits_t; infinite where no model meets them."""
    n, d = X.shape
    K = len(costs)
    A, rhs = _blocks(X, y, K)
    c = np.concatenate([np.zeros(d + K), *costs])
    extra = np.zeros((K, d + K + K * n))
    for t, one in enumerate(constraints):
        extra[t, d + K + t * n : d + K + (t + 1) * n] = one
    keep = np.isfinite(limits)
    bounds = [(None, None)] * (d + K) + [(0, None)] * (K * n)
    found = linprog(c, np.vstack([A, extra[keep]]), np.concatenate([rhs, np.asarray(limits)[keep]]), bounds=bounds)
    return found.fun if found.status == 0 else np.inf, found.x


def recall_at_precision_program(X, y, alphas, weight=None):
    """Mean over α of the least L+ with α L− + (1−α) L+ <= (1−α)|Y+|: Eban 2017 (5), (12)."""
    w = np.ones(len(y)) if weight is None else weight
    plus, minus = w * (y > 0), w * (y <= 0)
    costs = [plus / plus.sum() / len(alphas) for _ in alphas]
    constraints = [a * minus + (1 - a) * plus for a in alphas]
    return _hinge_program(X, y, costs, constraints, [(1 - a) * plus.sum() for a in alphas])[0]


def precision_at_recall_program(X, y, beta):
    """Least L−/|Y+| with L+ <= (1−β)|Y+|: Eban 2017 (9)."""
    plus, minus = 1.0 * (y > 0), 1.0 * (y <= 0)
    return _hinge_program(X, y, [minus / plus.sum()], [plus], [(1 - beta) * plus.sum()])[0]


def tpr_at_fpr_program(X, y, phis):
    """Mean over φ of the least L+/|Y+| with L− <= φ|Y−|."""
    plus, minus = 1.0 * (y > 0), 1.0 * (y <= 0)
    costs = [plus / plus.sum() / len(phis) for _ in phis]
    return _hinge_program(X, y, costs, [minus for _ in phis], [p * minus.sum() for p in phis])[0]


def fbeta_program(X, y, beta):
    """Eban 2017 (13): the least (β²|Y+| + fp)/tp of hinge counts, by the linear-fractional transformation; ω has a
    bias."""
    Z = np.hstack([X, np.ones((len(y), 1))])
    pos, neg = Z[y > 0], Z[y <= 0]
    m, n, d = len(pos), len(neg), Z.shape[1]
    # variables: ω, τ (m), φ (n), ε
    c = np.concatenate([np.zeros(d + m), np.ones(n), [beta**2 * m]])
    A = np.zeros((m + m + n, d + m + n + 1))
    A[:m, d : d + m], A[:m, -1] = np.eye(m), -1.0  # τ <= ε
    A[m : 2 * m, :d], A[m : 2 * m, d : d + m] = -pos, np.eye(m)  # τ <= ω·x
    A[2 * m :, :d], A[2 * m :, d + m : -1], A[2 * m :, -1] = neg, -np.eye(n), 1.0  # φ >= ε + ω·x
    equal = np.zeros((1, d + m + n + 1))
    equal[0, d : d + m] = 1.0
    bounds = [(None, None)] * (d + m) + [(0, None)] * (n + 1)
    found = linprog(c, A, np.zeros(2 * m + n), equal, [1.0], bounds=bounds)
    assert found.status == 0, found.message
    return found.fun


def recall_at_precision_by_bisection(X, y, alpha, rounds=40):
    """The dual of Eban 2017 (6) by bisection on its one multiplier: each a weighted SVM (7), here a linear program."""
    plus, minus = 1.0 * (y > 0), 1.0 * (y <= 0)
    m = plus.sum()
    low, high, best = 0.0, 1e3, -np.inf
    for _ in range(rounds):
        lam = np.sqrt(max(low, 1e-4) * high)
        weighted = ((1 + lam) * plus + lam * alpha / (1 - alpha) * minus) / m
        value, z = _hinge_program(X, y, [weighted], [plus], [np.inf])
        slack = z[X.shape[1] + 1 :]
        best = max(best, value - lam)
        excess = (alpha / (1 - alpha) * minus + plus) @ slack / m - 1
        low, high = (lam, high) if excess > 0 else (low, lam)
    return best
