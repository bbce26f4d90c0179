"""Sums over pairs of documents by a double loop, and SVMs by scikit-learn on the differences of all pairs."""

from __future__ import annotations

import numpy as np
from sklearn.svm import LinearSVC


def all_pairs(y, qid):
    """Rows (i, j) of one query with y_i > y_j."""
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if qid[i] == qid[j] and y[i] > y[j]]
    return np.array(pairs, dtype=int).reshape(-1, 2).T


def close_sums(scores, y, qid, weight, value, least, gap):
    """For each row: Σ w_j and Σ w_j v_j over worse rows that it is in reach above, and the other way."""
    worse, worse_value, better, better_value = np.zeros((4, len(y)))
    for i, j in all_pairs(y, qid).T:
        if least <= scores[i] - scores[j] < gap:
            worse[i] += weight[j]
            worse_value[i] += weight[j] * value[j]
            better[j] += weight[i]
            better_value[j] += weight[i] * value[i]
    return worse, worse_value, better, better_value


def pair_weights(y, qid, sample_weight=None, query_weight=None, per="pairs"):
    """Weights of `all_pairs`, adding up to 1; `query_weight` by query name."""
    i, j = all_pairs(y, qid)
    rows = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    weight = rows[i] * rows[j]
    for q in np.unique(qid):
        own = np.asarray(qid)[i] == q
        if weight[own].sum() > 0:
            whole = {"pairs": weight[own].sum(), "queries": 1.0, "documents": rows[np.asarray(qid) == q].sum()}[per]
            weight[own] *= whole / weight[own].sum() * (1.0 if query_weight is None else query_weight[q])
    return weight / weight.sum()


def objective(w, X, y, qid, weight, C, loss):
    """½|w|² + C Σ ω loss(1 − (s_i − s_j))."""
    i, j = all_pairs(y, qid)
    slack = np.maximum(0.0, 1.0 - (X[i] - X[j]) @ w)
    return 0.5 * w @ w + C * np.sum(weight * (slack if loss == "hinge" else slack**2))


def linear_svc(X, y, qid, weight, C, loss):
    """The weights that LinearSVC finds for the differences of all pairs, each once, every other one turned round."""
    i, j = all_pairs(y, qid)
    sign = np.where(np.arange(i.size) % 2, -1.0, 1.0)
    model = LinearSVC(C=C, loss=loss, fit_intercept=False, tol=1e-10, max_iter=10**7, dual=loss == "hinge")
    return model.fit(sign[:, None] * (X[i] - X[j]), sign, sample_weight=weight).coef_[0]
