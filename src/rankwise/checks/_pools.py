"""Pools that samplers are put to the test on: whose scores are exact, so that what should be equal is so to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from rankwise.data import RankingData, cubic
from rankwise.data._groups import QueryGroups
from rankwise.sampling import Pool
from rankwise.types import FloatArray, IntArray

GRID = 64.0  # features are whole numbers of 1/GRID, of which sums and products are exact


class Straight(BaseEstimator):  # type: ignore[misc]
    """Scores by the sum of features, each weighed by how it goes with the labels within queries."""

    def __init__(self, times: float = 1.0, add: float = 0.0) -> None:
        self.times, self.add = times, add

    def fit(self, X: Any, y: FloatArray, *, qid: Any = None) -> Self:
        """Weigh the features."""
        query = QueryGroups.of_rows(qid, y.size).query_of_row()
        above = np.bincount(query)[query] * y - np.bincount(query, y)[query]
        self.weights_ = X.T.astype(np.float64) @ above
        return self

    def predict(self, X: Any) -> FloatArray:
        """Scores of rows."""
        return np.asarray(self.times * (X.astype(np.float64) @ self.weights_) / GRID + self.add)


def pool_of(X: Any, y: FloatArray, qid: Any, ranker: Any = None, closed: Any = None) -> Pool:
    """The pool of these rows, with a ranker (`Straight` unless told) that is fitted on those that have a label."""
    known = y >= 0
    fresh = Straight() if ranker is None else ranker
    if known.any():
        fresh.fit(X[known], y[known], qid=np.asarray(qid)[known])
    else:
        fresh.weights_ = np.arange(1.0, X.shape[1] + 1)
    return Pool(RankingData(X, y, qid), y, fresh, closed)


def usual_pool(grades: int = 5, ranker: Any = None) -> Pool:
    """Eight queries of 14 documents in a mixed order, of which 6 have labels and one is closed."""
    data = cubic(queries=8, documents=14, features=4, grades=grades, seed=3)
    rng = np.random.default_rng(3)
    X = (np.round(data.X * GRID) / GRID).astype(np.float32)
    y = np.where(np.arange(len(data)) % 14 < 6, data.y, -1.0)
    y[::14], y[1::14] = 0.0, grades - 1.0  # so that every query has something to learn
    order = rng.permutation(len(data))
    closed = np.arange(len(data)) % 14 == 13
    return pool_of(X[order], y[order], data.qid[order], ranker, closed[order])


def rescored(pool: Pool, times: float = 1.0, add: float = 0.0) -> Pool:
    """The pool with the scores of its `Straight` ranker, and of copies of it, times a number and plus another."""
    ranker = Straight(times, add)
    ranker.weights_ = pool.ranker.weights_
    return replace(pool, ranker=ranker)


def moved(pool: Pool, order: IntArray) -> Pool:
    """The pool with its rows in another order."""
    closed = None if pool.closed is None else pool.closed[order]
    return Pool(pool.data.rows(order), pool.y[order], pool.ranker, closed)


def odd_pools() -> dict[str, Pool]:
    """Pools that come up in practice and are easily forgotten, by what is odd about them."""
    usual = usual_pool()
    X, y, qid = usual.data.X, usual.y, usual.data.qid
    first, unlabelled = qid == 0, np.full(y.size, -1.0)
    one_left = np.where(np.cumsum(y < 0) == np.cumsum(y < 0)[-1], y, np.abs(y))
    apart, full = np.where(qid == 0, np.arange(1000, 1000 + y.size), qid), np.where(qid == 0, np.abs(y), y)
    return {
        "labels 0 and 1": usual_pool(grades=2),
        "a query without candidates": pool_of(X, full, qid),
        "queries of one document": pool_of(X, y, apart),
        "one candidate": pool_of(X, one_left, qid),
        "no candidates": pool_of(X, np.abs(y), qid),
        "all candidates closed": Pool(usual.data, y, usual.ranker, np.ones(y.size, dtype=bool)),
        "one query": pool_of(X[first], y[first], qid[first]),
        "a query without labels": pool_of(X, np.where(qid == 1, -1.0, y), qid),
        "one label": pool_of(X, np.where(np.arange(y.size) == np.argmax(y), y, -1.0), qid),
        "labels of one grade": pool_of(X, np.where(y >= 0, 0.0, -1.0), qid),
        "no labels": pool_of(X, unlabelled, qid),
        "sparse features": pool_of(sp.csr_array(X), y, qid, closed=usual.closed),
        "documents that are alike": pool_of(np.repeat(X[::7], 7, axis=0), y, qid),
        "equal scores": rescored(usual, times=0.0, add=0.1),
        "large scores": rescored(usual, times=1e6),
        "small scores": rescored(usual, times=1e-6),
    }
