"""Pools that samplers are checked on, with exact scores: what should be equal is equal to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from rankwise.data import RankingData, polynomial
from rankwise.data._groups import QueryGroups
from rankwise.sampling import Pool
from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

FEATURE_GRID = 64.0  # features are whole numbers of 1/FEATURE_GRID, of which sums and products are exact


class ExactScorer(BaseEstimator):  # type: ignore[misc]
    """Scores by the sum of features, each weighed by how it goes with the labels within queries."""

    def __init__(self, times: float = 1.0, add: float = 0.0) -> None:
        self.times, self.add = times, add

    def fit(self, X: AnyArray | sp.csr_array, y: FloatArray, *, qid: ArrayLike | None = None) -> Self:
        """Weigh the features."""
        query = QueryGroups.of_rows(qid, y.size).query_of_row()
        above = np.bincount(query)[query] * y - np.bincount(query, y)[query]
        self.weights_ = X.T.astype(np.float64) @ above
        return self

    def predict(self, X: AnyArray | sp.csr_array) -> FloatArray:
        """Scores of rows."""
        return np.asarray(self.times * (X.astype(np.float64) @ self.weights_) / FEATURE_GRID + self.add)


def make_pool(
    X: AnyArray | sp.csr_array,
    y: FloatArray,
    qid: ArrayLike,
    ranker: BaseEstimator | None = None,
    closed: BoolArray | None = None,
) -> Pool:
    """The pool of these rows, with a ranker (by default an `ExactScorer`) fitted on those that have a label."""
    labelled = y >= 0
    model = ExactScorer() if ranker is None else ranker
    if labelled.any():
        model.fit(X[labelled], y[labelled], qid=np.asarray(qid)[labelled])
    else:
        model.weights_ = np.arange(1.0, X.shape[1] + 1)
    return Pool(RankingData(X, y, np.asarray(qid)), y, model, closed)


def default_pool(grades: int = 5, ranker: BaseEstimator | None = None) -> Pool:
    """Eight queries of 14 documents in a mixed order, of which 6 have labels and one is closed."""
    data = polynomial(queries=8, documents=14, features=4, grades=grades, seed=3)
    rng = np.random.default_rng(3)
    X = (np.round(data.X * FEATURE_GRID) / FEATURE_GRID).astype(np.float32)
    y = np.where(np.arange(len(data)) % 14 < 6, data.y, -1.0)
    y[::14], y[1::14] = 0.0, grades - 1.0  # so that every query has something to learn
    order = rng.permutation(len(data))
    closed = np.arange(len(data)) % 14 == 13
    return make_pool(X[order], y[order], data.qid[order], ranker, closed[order])


def rescored(pool: Pool, times: float = 1.0, add: float = 0.0) -> Pool:
    """The pool with the scores of its `ExactScorer` ranker, and of copies of it, times a number and plus another."""
    ranker = ExactScorer(times, add)
    ranker.weights_ = pool.ranker.weights_
    return replace(pool, ranker=ranker)


def reordered(pool: Pool, order: IntArray) -> Pool:
    """The pool with its rows in another order."""
    closed = None if pool.closed is None else pool.closed[order]
    return Pool(pool.data.rows(order), pool.y[order], pool.ranker, closed)


def edge_case_pools() -> dict[str, Pool]:
    """Pools that come up in practice and are easily forgotten, by what is unusual about them."""
    pool = default_pool()
    X, y, qid = pool.data.X, pool.y, pool.data.qid
    first, unlabelled = qid == 0, np.full(y.size, -1.0)
    one_left = np.where(np.cumsum(y < 0) == np.cumsum(y < 0)[-1], y, np.abs(y))
    apart, full = np.where(qid == 0, np.arange(1000, 1000 + y.size), qid), np.where(qid == 0, np.abs(y), y)
    return {
        "labels 0 and 1": default_pool(grades=2),
        "a query without candidates": make_pool(X, full, qid),
        "queries of one document": make_pool(X, y, apart),
        "one candidate": make_pool(X, one_left, qid),
        "no candidates": make_pool(X, np.abs(y), qid),
        "all candidates closed": Pool(pool.data, y, pool.ranker, np.ones(y.size, dtype=bool)),
        "one query": make_pool(X[first], y[first], qid[first]),
        "a query without labels": make_pool(X, np.where(qid == 1, -1.0, y), qid),
        "one label": make_pool(X, np.where(np.arange(y.size) == np.argmax(y), y, -1.0), qid),
        "labels of one grade": make_pool(X, np.where(y >= 0, 0.0, -1.0), qid),
        "no labels": make_pool(X, unlabelled, qid),
        "sparse features": make_pool(sp.csr_array(X), y, qid, closed=pool.closed),
        "documents that are alike": make_pool(np.repeat(X[::7], 7, axis=0), y, qid),
        "equal scores": rescored(pool, times=0.0, add=0.1),
        "large scores": rescored(pool, times=1e6),
        "small scores": rescored(pool, times=1e-6),
    }
