"""What SVMlight does by default in its ranking mode, as parameters of RankSVM."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances

from rankwise.errors import DataError
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.types import FloatArray

SVMLIGHT = "svmlight"
MAX_PAIRS = 10**9  # the lengths of more take minutes
BLOCK_PAIRS = 10**6


def svmlight_parameters(rows: PairRows) -> dict[str, Any]:
    """Parameters with which the mean over pairs is SVMlight's sum over pairs, with its default c."""
    lists = PairLists.of(rows.y, rows.offsets, rows.weight)
    length = mean_pair_length(rows.features, PairLists.of(rows.y, rows.offsets))
    if length == 0.0:
        raise DataError("the documents of every pair have the same features, so C='svmlight' is none; pass a number")
    return {"C": lists.pairs / length**2, "loss": "hinge", "pair_weighting": "pairs", "standardize": False}


def mean_pair_length(X: Matrix, lists: PairLists) -> float:
    """The mean of |x_i − x_j| over all pairs: a root for each, so that no sum over rows gives it."""
    if lists.pairs > MAX_PAIRS:
        raise DataError(
            f"C='svmlight' measures every pair, at most {MAX_PAIRS:,} of them, got {lists.pairs:,.0f}; pass a number"
        )
    total = 0.0
    for start, stop in zip(lists.offsets[:-1], lists.offsets[1:], strict=True):
        rows = start + np.argsort(lists.grade[start:stop], kind="stable")
        grade = lists.grade[rows]
        n_worse = np.searchsorted(grade, grade)  # rows of lower grades, which stand first
        step = max(1, BLOCK_PAIRS // rows.size)
        for low in range(0, rows.size, step):
            below = n_worse[low : low + step]
            if below[-1] > 0:  # the highest of them
                lengths = _distances(X[rows[low : low + step]], X[rows[: below[-1]]])
                total += float(lengths[np.arange(below[-1]) < below[:, None]].sum())
    return total / lists.pairs


def _distances(A: Matrix, B: Matrix) -> FloatArray:
    if isinstance(A, np.ndarray) and isinstance(B, np.ndarray):
        return np.asarray(cdist(A, B))  # adds up in the same order whatever the number of threads
    return np.asarray(euclidean_distances(A.astype(np.float64), B.astype(np.float64)))
