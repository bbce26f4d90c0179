"""Small data for boosting, with labels that are noisy sums of features."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rankwise.rankers._pair_rows import pair_rows

RNG = np.random.default_rng(3)
ROWS, COLUMNS = 60, 5
X = RNG.normal(size=(ROWS, COLUMNS))
NOISY = X @ np.array([1.0, -0.5, 0.3, 0.0, 0.0]) + RNG.normal(size=ROWS)
BINARY = (NOISY > 0.3).astype(float)
GRADED = np.digitize(NOISY, [-0.5, 0.3, 1.0]).astype(float)
QID = RNG.integers(0, 5, ROWS)
WEIGHT = RNG.random(ROWS) + 0.1
WEIGHT[::7] = 0.0
QUERY_WEIGHT = np.array([1.0, 2.0, 0.5, 3.0, 1.5])
GAPS = np.where(RNG.random((ROWS, COLUMNS)) < 0.2, np.nan, X)
WORDS = np.where(RNG.random((ROWS, COLUMNS)) < 0.6, 0.0, np.abs(X))

CASES = {
    "one list": {"X": X, "y": BINARY},
    "grades": {"X": X, "y": GRADED},
    "queries": {"X": X, "y": BINARY, "qid": QID},
    "queries and grades": {"X": X, "y": GRADED, "qid": QID},
    "a grade a row": {"X": X, "y": NOISY - NOISY.min()},
    "weights": {"X": X, "y": GRADED, "qid": QID, "sample_weight": WEIGHT, "query_weight": QUERY_WEIGHT},
    "missing values": {"X": GAPS, "y": GRADED, "qid": QID},
    "sparse": {"X": sp.csr_matrix(WORDS), "y": GRADED, "qid": QID},
}


def weighty(case):
    """Dense X, y, qid and weights, of which a pair weighs the product; rows that weigh nothing are left out."""
    fit_args = CASES[case]
    features, y, qid = fit_args["X"], fit_args["y"], fit_args.get("qid", np.zeros(ROWS, dtype=int))
    weight = fit_args.get("sample_weight", np.ones(ROWS))
    if "query_weight" in fit_args:
        names = list(dict.fromkeys(qid.tolist()))
        weight = weight * np.sqrt(fit_args["query_weight"][[names.index(q) for q in qid.tolist()]])
    weighs = weight > 0
    return (features.toarray() if sp.issparse(features) else features)[weighs], y[weighs], qid[weighs], weight[weighs]  # type: ignore[attr-defined]


def booster_rows(case):
    """The same as the ranker has them, in the order above."""
    features, y, qid, weight = weighty(case)
    return pair_rows("", features, y, qid, weight, None)


def fitted(model, case, **more):
    fit_args: dict[str, Any] = dict(CASES[case])
    return model.fit(fit_args.pop("X"), fit_args.pop("y"), **fit_args, **more)
