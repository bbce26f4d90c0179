"""What a sampler chooses from: all documents, the labels so far, and the ranker that was fitted on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from rankwise._validation import as_array, as_places, as_vector
from rankwise.data import RankingData
from rankwise.data._row_hashes import row_hashes
from rankwise.errors import DataError, ShapeError
from rankwise.kernels._threads import by_queries
from rankwise.kernels.sorting import _rising_lists as rising_lists
from rankwise.kernels.sorting._top_rows import best_of_each
from rankwise.metrics._ranking import descending_order
from rankwise.rankers._base import Ranker
from rankwise.rankers._features import MatchedColumns
from rankwise.rankers.pairs.svm._linear_ranker import LinearPairRanker
from rankwise.types import BoolArray, Features, FloatArray, IntArray

MAX_SELECTED = 64  # documents per query that are selected without a sort of all
_ORDERS: WeakKeyDictionary[RankingData, IntArray] = WeakKeyDictionary()  # the data stay the same round after round


@dataclass(frozen=True, eq=False)
class QueryOrder:
    """Candidates by rising score within each query, flat: place k holds candidate `rows[k]`, of query `query[k]`.

    Query q has the places `offsets[q]:offsets[q + 1]`.
    """

    rows: IntArray
    query: IntArray
    scores: FloatArray
    offsets: IntArray

    @cached_property
    def ranks(self) -> FloatArray:
        """Rank of each place within its query, from 1 at the lowest score; equal scores share their mean rank."""
        ranks = np.empty(self.rows.size)
        by_queries(lambda low, high: rising_lists.mean_ranks(self.scores, self.offsets, low, high, ranks), self.offsets)
        return ranks

    def by_candidate(self, values: FloatArray) -> FloatArray:
        """Values by place as values by candidate."""
        out = np.empty_like(values)
        out[self.rows] = values
        return out


@dataclass(frozen=True, eq=False)
class Pool:
    """All documents, the labels so far, and a ranker fitted on these.

    `candidates` are the rows that may be chosen, grouped by query: query q has `candidates[offsets[q]:offsets[q + 1]]`.
    They are the rows without a label, less those that `closed` marks (a labeller skipped them). The ranker should be
    fitted on rows with a label only: to a ranker, as to a metric, a document that nobody judged is an irrelevant one.

    Parameters
    ----------
    data : RankingData
        All documents; its own labels are not read.
    y : ndarray of float64, shape (n_rows,)
        The labels so far, below 0 where there is none.
    ranker : estimator
        A fitted ranker, of this library or another, with `fit(X, y, qid=…)` and `predict(X)`.
    closed : ndarray of bool, shape (n_rows,), default=None
        Rows that must not be chosen, though they have no label.
    answer : ndarray of int64, shape (n_rows,), default=None
        The answer that each label came with, where labels are the order of the documents of one answer and mean nothing
        beyond it, as in `simulate(answer="order")`; below 0 where there is none. None: labels are grades.

    Attributes
    ----------
    query : ndarray of int64, shape (n_candidates,)
        The query of each candidate, as a number from 0.
    scores : ndarray of float64, shape (n_candidates,)
        The ranker's score of each candidate.
    labelled : ndarray of int64
        The rows that have a label.
    labelled_scores : ndarray of float64
        The ranker's score of each row that has a label.
    ascending : QueryOrder
        The candidates by rising score within each query, with their ranks.

    Examples
    --------
    >>> from rankwise.data import RankingData
    >>> from rankwise.rankers import RankSVM
    >>> data = RankingData([[0.0], [1.0], [2.0], [3.0]], [0, 1, -1, -1], qid=[1, 1, 1, 1])
    >>> pool = Pool(data, data.y, RankSVM().fit(data.X[:2], data.y[:2]))
    >>> pool.candidates, bool(pool.scores[1] > pool.scores[0])
    (array([2, 3]), True)
    """

    data: RankingData
    y: FloatArray
    ranker: BaseEstimator
    closed: BoolArray | None = None
    answer: IntArray | None = None

    def __post_init__(self) -> None:
        y = as_vector("labels", self.y)
        closed = None if self.closed is None else as_array("closed", self.closed).astype(bool)
        answer = None if self.answer is None else as_places("answer", self.answer)
        for name, rows in (("y", y), ("closed", closed), ("answer", answer)):
            if rows is not None and rows.shape != (len(self.data),):
                raise ShapeError(
                    f"{name} must have one entry per row: got shape {rows.shape} for {len(self.data)} rows"
                )
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "closed", closed)
        object.__setattr__(self, "answer", answer)

    @classmethod
    def from_arrays(cls, X: Features, y: ArrayLike, qid: ArrayLike | None, ranker: BaseEstimator) -> Pool:
        """The pool of plain arrays.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame, shape (n_rows, n_features)
            The features of all documents.
        y : array-like, shape (n_rows,)
            The labels so far, below 0 where there is none.
        qid : array-like, shape (n_rows,), or None
            The query of each row; None for one query.
        ranker : estimator
            A ranker fitted on the rows that have a label.

        Returns
        -------
        Pool
            The pool.

        Raises
        ------
        DataError
            If every row has a label.
        """
        data = RankingData(X, as_vector("labels", y), qid)
        if (data.y >= 0).all():
            raise DataError("every row has a label, so there is nothing to choose; mark rows without one by -1")
        return cls(data, data.y, ranker)

    @cached_property
    def _grouped_candidates(self) -> tuple[IntArray, IntArray]:
        groups = self.data.groups
        is_open = self.y < 0 if self.closed is None else (self.y < 0) & ~self.closed
        places = np.flatnonzero(groups.grouped(is_open))
        return places if groups.order is None else groups.order[places], np.searchsorted(places, groups.offsets)

    @property
    def candidates(self) -> IntArray:
        """Rows that may be chosen, grouped by query."""
        return self._grouped_candidates[0]

    @property
    def offsets(self) -> IntArray:
        """Where the candidates of each query start; queries without any are empty."""
        return self._grouped_candidates[1]

    @cached_property
    def query(self) -> IntArray:
        """The query of each candidate."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    @cached_property
    def scores(self) -> FloatArray:
        """The ranker's score of each candidate."""
        return self.scores_by(self.ranker)

    @cached_property
    def labelled(self) -> IntArray:
        """Rows that have a label."""
        return np.flatnonzero(self.y >= 0)

    @cached_property
    def labelled_scores(self) -> FloatArray:
        """The ranker's score of each row that has a label."""
        return _predict(self.ranker, self.data.X[self.labelled])

    @cached_property
    def ascending(self) -> QueryOrder:
        """The candidates by rising score."""
        return self.ascending_by(self.scores)

    def scores_by(self, ranker: BaseEstimator, subset: IntArray | None = None) -> FloatArray:
        """Scores of the candidates by any fitted ranker, checked.

        Parameters
        ----------
        ranker : estimator
            The fitted ranker.
        subset : ndarray of int64, default=None
            Indices of the candidates to score; None for all.

        Returns
        -------
        ndarray of float64
            One score per candidate.
        """
        rows = self.candidates if subset is None else self.candidates[subset]
        if 2 * rows.size > len(self.data):  # scoring a few rows more is faster than copying the others
            return _predict(ranker, self.data.X)[rows]
        return _predict(ranker, self.data.X[rows])

    def ascending_by(self, scores: FloatArray) -> QueryOrder:
        """The candidates by rising values of other scores.

        Parameters
        ----------
        scores : ndarray of float64, shape (n_candidates,)
            One score per candidate.

        Returns
        -------
        QueryOrder
            The candidates in order within each query, with their ranks.
        """
        rows = descending_order(-scores, self.offsets)
        return QueryOrder(rows, self.query, scores[rows], self.offsets)

    def descending(self, utilities: FloatArray, rng: np.random.Generator) -> IntArray:
        """The candidates of each query by falling utility, equal ones in random order.

        Parameters
        ----------
        utilities : ndarray of float64, shape (n_candidates,)
            One number per candidate.
        rng : numpy.random.Generator
            Decides between equal utilities.

        Returns
        -------
        ndarray of int64
            Indices of candidates.
        """
        return descending_order(utilities, self.offsets, self.random_numbers(rng)[self.candidates])

    def random_numbers(self, rng: np.random.Generator) -> FloatArray:
        """Random numbers that go with the documents, in whatever order the rows come (unless rows are alike).

        Parameters
        ----------
        rng : numpy.random.Generator
            The source of the numbers.

        Returns
        -------
        ndarray of float64, shape (n_rows,)
            One number from 0 to 1 per row.
        """
        numbers = np.empty(len(self.data))
        numbers[_order_by_features(self.data)] = rng.random(numbers.size)
        return numbers

    def best_per_query(self, utilities: FloatArray, count: int, rng: np.random.Generator) -> IntArray:
        """The candidates of highest utility of each query, equal ones at random.

        Parameters
        ----------
        utilities : ndarray of float64, shape (n_candidates,)
            One number per candidate.
        count : int
            How many per query at most.
        rng : numpy.random.Generator
            Decides between equal utilities.

        Returns
        -------
        ndarray of int64
            Indices of candidates, by query, the best first.
        """
        if count > MAX_SELECTED:
            return self.first_per_query(self.descending(utilities, rng), count)
        chosen, is_tied = self._best(utilities, np.empty(0), count)
        if is_tied:  # only then is anything left to chance
            chosen, _ = self._best(utilities, self.random_numbers(rng)[self.candidates], count)
        return chosen

    def _best(self, utilities: FloatArray, keys: FloatArray, count: int) -> tuple[IntArray, bool]:
        n_queries, offsets, tied = self.offsets.size - 1, self.offsets, []
        chosen, sizes = np.empty(n_queries * count, dtype=np.int64), np.empty(n_queries, dtype=np.int64)

        def choose(low: int, high: int) -> None:
            tied.append(best_of_each(utilities, keys, offsets, count, low, high, chosen, sizes))

        by_queries(choose, offsets)
        return chosen.reshape(n_queries, count)[np.arange(count) < sizes[:, None]], any(tied)

    def first_per_query(self, order: IntArray, count: int) -> IntArray:
        """The first candidates of each query in an order.

        Parameters
        ----------
        order : ndarray of int64, shape (n_candidates,)
            Indices of candidates, grouped by query.
        count : int
            How many per query at most.

        Returns
        -------
        ndarray of int64
            Indices of candidates.
        """
        return order[np.arange(order.size) - self.offsets[:-1][self.query] < count]

    def can_learn(self, rows: IntArray, labels: FloatArray) -> bool:
        """Whether some query has two different labels, or some answer, where labels are orders.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the data.
        labels : ndarray of float64
            One label per row.

        Returns
        -------
        bool
            False if there is nothing for a ranker to learn.
        """
        if rows.size == 0:
            return False
        lists = self._comparable(rows)
        low, high = (np.full(lists.max() + 1, end) for end in (np.inf, -np.inf))
        np.minimum.at(low, lists, labels)
        np.maximum.at(high, lists, labels)
        return bool((low < high).any())

    def refit(self, rows: IntArray, labels: FloatArray) -> BaseEstimator:
        """A copy of the ranker, fitted on these rows with these labels; where they are orders, answers are queries.

        Parameters
        ----------
        rows, labels : ndarray
            As in `can_learn`.

        Returns
        -------
        estimator
            The fitted copy.
        """
        qid = self.data.qid[rows] if self.answer is None else self._comparable(rows)
        ranker = clone(self.ranker).fit(self.data.X[rows], labels, qid=qid)
        if getattr(ranker, "interrupted_", False):
            raise KeyboardInterrupt  # our rankers take Ctrl-C as the end of their own training only
        return ranker

    def _comparable(self, rows: IntArray) -> IntArray:
        """The list of each row, a number from 0: rows of one list can be compared, a row without an answer with those
        of its query that have none."""
        query = self.data.groups.query_of_row()[rows]
        if self.answer is None:
            return query
        return np.where(self.answer[rows] < 0, query, self.data.groups.n_queries + self.answer[rows])


def _predict(ranker: BaseEstimator, X: Features) -> FloatArray:
    n_rows = X.shape[0]  # type: ignore[union-attr]
    if n_rows == 0:
        return np.empty(0)
    # The columns of a pool are those that its ranker was fitted on; rankers of others take plain arrays.
    # A subclass may predict in a way of its own.
    is_linear = isinstance(ranker, LinearPairRanker) and type(ranker).predict is LinearPairRanker.predict
    if is_linear and isinstance(X, np.ndarray):
        scores = ranker.checked_scores(X)
    else:
        scores = ranker.predict(MatchedColumns(X) if isinstance(ranker, Ranker) else X)
    scores = as_vector("scores", scores)
    if scores.size != n_rows:
        raise ShapeError(f"{type(ranker).__name__}.predict must give one score per row, got {scores.size} for {n_rows}")
    return scores


def _order_by_features(data: RankingData) -> IntArray:
    """The rows in an order that depends on their features alone."""
    if data not in _ORDERS:
        keys = row_hashes(sp.csr_matrix(data.X) if data.is_sparse else data.X)
        _ORDERS[data] = np.argsort(keys, kind="stable")
    return _ORDERS[data]
