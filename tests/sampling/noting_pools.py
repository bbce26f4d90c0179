"""Pools with a ranker that notes what it is fitted on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.sampling import Pool


class Noting(BaseEstimator):  # type: ignore[misc]
    """Scores by features times how they go with the labels; notes the rows of every fit (the last feature tells)."""

    fits: ClassVar[list[list[int]]] = []

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        if len(y) < self.least:
            raise DataError("too few rows")
        self.fits.append(X[:, -1].astype(int).tolist())
        self.weights_ = np.round(X[:, :-1].T @ (y - y.mean()), 1)
        return self

    def predict(self, X: Any) -> Any:
        return X[:, :-1].astype(float) @ self.weights_


def made_pool(queries: int, labelled: int, candidates: int, seed: int, least: int = 0) -> Pool:
    rng = np.random.default_rng(seed)
    each = labelled + candidates
    X = rng.integers(-2, 3, (queries * each, 3)).astype(np.float32)
    X[:, -1] = np.arange(len(X))
    y = np.where(np.arange(len(X)) % each < labelled, np.arange(len(X)) % each % 3, -1.0)
    qid = np.repeat(np.arange(queries), each)
    known = y >= 0
    ranker = Noting(least).fit(X[known], y[known])
    Noting.fits.clear()
    return Pool(RankingData(X, y, qid), y, ranker)
