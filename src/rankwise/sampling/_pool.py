"""What a sampler chooses from: all documents, the labels so far, and the ranker that was fitted on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import clone

from rankwise._validation import as_vector
from rankwise.data import RankingData
from rankwise.data._row_hashes import row_keys
from rankwise.errors import DataError, ShapeError
from rankwise.kernels._threads import by_queries
from rankwise.kernels.sorting import _rising_lists as rising_lists
from rankwise.metrics._ranking import falling_rows
from rankwise.types import BoolArray, FloatArray, IntArray

FEW = 64  # documents of a query that are kept sorted one by one; to choose more, all are sorted
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
        found = np.empty(self.rows.size)
        by_queries(lambda low, high: rising_lists.mean_ranks(self.scores, self.offsets, low, high, found), self.offsets)
        return found

    @cached_property
    def run_bounds(self) -> tuple[IntArray, IntArray]:
        """For each place the first and the last place of its query that have the same score."""
        is_first = np.ones(self.rows.size, dtype=bool)
        is_first[1:] = (self.scores[1:] != self.scores[:-1]) | (self.query[1:] != self.query[:-1])
        firsts = np.flatnonzero(is_first)
        lasts = np.append(firsts[1:], self.rows.size) - 1
        run = np.cumsum(is_first) - 1
        return firsts[run], lasts[run]

    def back(self, values: FloatArray) -> FloatArray:
        """Values by place as values by candidate."""
        out = np.empty_like(values)
        out[self.rows] = values
        return out


@dataclass(frozen=True, eq=False)
class Pool:
    """All documents, labels so far (`y`, below 0 where there is none), and a ranker fitted on these.

    `candidates` are the rows that may be chosen, grouped by query: query q has `candidates[offsets[q]:offsets[q + 1]]`.
    They are the rows without a label, less those that `closed` marks (a labeller skipped them). The ranker should be
    fitted on rows with a label only: to a ranker, as to a metric, a document that nobody judged is an irrelevant one.

    >>> from rankwise.rankers import RankSVM
    >>> data = RankingData([[0.0], [1.0], [2.0], [3.0]], [0, 1, -1, -1], qid=[1, 1, 1, 1])
    >>> pool = Pool(data, data.y, RankSVM().fit(data.X[:2], data.y[:2]))
    >>> pool.candidates, bool(pool.scores[1] > pool.scores[0])
    (array([2, 3]), True)
    """

    data: RankingData
    y: FloatArray
    ranker: Any
    closed: BoolArray | None = None

    def __post_init__(self) -> None:
        y = as_vector("labels", self.y)
        closed = None if self.closed is None else np.asarray(self.closed, dtype=bool)
        for name, rows in (("y", y), ("closed", closed)):
            if rows is not None and rows.shape != (len(self.data),):
                raise ShapeError(
                    f"{name} must have one entry per row: got shape {rows.shape} for {len(self.data)} rows"
                )
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "closed", closed)

    @cached_property
    def _open(self) -> tuple[IntArray, IntArray]:
        groups = self.data.groups
        free = self.y < 0 if self.closed is None else (self.y < 0) & ~self.closed
        grouped = groups.grouped(free)
        rows = np.flatnonzero(free) if groups.order is None else groups.order[grouped]
        return rows, np.append(0, np.cumsum(grouped))[groups.offsets]

    @property
    def candidates(self) -> IntArray:
        """Rows that may be chosen, grouped by query."""
        return self._open[0]

    @property
    def offsets(self) -> IntArray:
        """Where the candidates of each query start; queries without any are empty."""
        return self._open[1]

    @cached_property
    def query(self) -> IntArray:
        """The query of each candidate."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    @cached_property
    def scores(self) -> FloatArray:
        """The ranker's score of each candidate."""
        return self.scores_by(self.ranker)

    def scores_by(self, ranker: Any, some: IntArray | None = None) -> FloatArray:
        """Scores of the candidates, or of some of them (by number), by a ranker, checked."""
        rows = self.candidates if some is None else self.candidates[some]
        if 2 * rows.size > len(self.data):  # scoring a few rows more is faster than copying the others
            return _scores(ranker, self.data.X)[rows]
        return _scores(ranker, self.data.X[rows])

    @cached_property
    def known_scores(self) -> FloatArray:
        """The ranker's score of each row that has a label."""
        return _scores(self.ranker, self.data.X[self.labelled])

    @cached_property
    def labelled(self) -> IntArray:
        """Rows that have a label."""
        return np.flatnonzero(self.y >= 0)

    @cached_property
    def rising(self) -> QueryOrder:
        """The candidates by rising score."""
        return self.rising_by(self.scores)

    def rising_by(self, scores: FloatArray) -> QueryOrder:
        """The candidates by other scores."""
        rows = falling_rows(-scores, self.offsets)
        return QueryOrder(rows, self.query, scores[rows], self.offsets)

    def falling_by(self, utilities: FloatArray, rng: np.random.Generator) -> IntArray:
        """Candidates (by number) of each query, the highest first, equal ones in a random order."""
        return falling_rows(utilities, self.offsets, self.drawn(rng)[self.candidates])

    def drawn(self, rng: np.random.Generator) -> FloatArray:
        """A random number for each row, from 0 to 1, the same in whatever order rows come (unless they are alike)."""
        numbers = np.empty(len(self.data))
        numbers[_by_content(self.data)] = rng.random(numbers.size)
        return numbers

    def best_of_each(self, utilities: FloatArray, count: int, rng: np.random.Generator) -> IntArray:
        """The first `count` candidates of each query by falling utility, equal ones at random."""
        if count > FEW:
            return self.first_of(self.falling_by(utilities, rng), count)
        chosen, is_tied = self._best(utilities, np.empty(0), count)
        if is_tied:  # only then is anything left to chance
            chosen, _ = self._best(utilities, self.drawn(rng)[self.candidates], count)
        return chosen

    def _best(self, utilities: FloatArray, keys: FloatArray, count: int) -> tuple[IntArray, bool]:
        n_queries, offsets, tied = self.offsets.size - 1, self.offsets, []
        chosen, found = np.empty(n_queries * count, dtype=np.int64), np.empty(n_queries, dtype=np.int64)

        def choose(low: int, high: int) -> None:
            tied.append(rising_lists.best_of_each(utilities, keys, offsets, count, low, high, chosen, found))

        by_queries(choose, offsets)
        return chosen.reshape(n_queries, count)[np.arange(count) < found[:, None]], any(tied)

    def places(self, order: IntArray) -> IntArray:
        """For each candidate its place in its query by this order, from 0."""
        place = np.empty_like(order)
        place[order] = np.arange(order.size) - self.offsets[:-1][self.query]
        return place

    def first_of(self, order: IntArray, count: int) -> IntArray:
        """The first `count` candidates of each query by this order."""
        return order[np.arange(order.size) - self.offsets[:-1][self.query] < count]

    def can_learn(self, rows: IntArray, labels: FloatArray) -> bool:
        """Whether some query has two different labels."""
        if not rows.size:
            return False
        query = self.data.groups.query_of_row()[rows]
        low, high = (np.full(self.data.groups.n_queries, end) for end in (np.inf, -np.inf))
        np.minimum.at(low, query, labels)
        np.maximum.at(high, query, labels)
        return bool((low < high).any())

    def refitted(self, rows: IntArray, labels: FloatArray) -> Any:
        """A copy of the ranker, fitted on these rows with these labels."""
        found = clone(self.ranker).fit(self.data.X[rows], labels, qid=self.data.qid[rows])
        if getattr(found, "interrupted_", False):
            raise KeyboardInterrupt  # our rankers take Ctrl-C as the end of their own training only
        return found

    @classmethod
    def of(cls, X: Any, y: ArrayLike, qid: ArrayLike | None, ranker: Any) -> Pool:
        """The pool of plain arrays; labels below 0 are those to be had."""
        data = RankingData(X, as_vector("labels", y), qid)  # type: ignore[arg-type]
        if (data.y >= 0).all():
            raise DataError("every row has a label, so there is nothing to choose; mark rows without one by -1")
        return cls(data, data.y, ranker)


def _scores(ranker: Any, X: Any) -> FloatArray:
    if X.shape[0] == 0:
        return np.empty(0)
    found = as_vector("scores", ranker.predict(X))
    if found.size != X.shape[0]:
        raise ShapeError(
            f"{type(ranker).__name__}.predict must give one score per row, got {found.size} for {X.shape[0]}"
        )
    return found


def _by_content(data: RankingData) -> IntArray:
    """The rows in an order that depends on their features alone."""
    if data not in _ORDERS:
        keys = row_keys(sp.csr_matrix(data.X) if data.is_sparse else data.X, np.zeros(len(data)))
        _ORDERS[data] = np.argsort(keys, kind="stable")
    return _ORDERS[data]
