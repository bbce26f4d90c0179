"""What labelling has told so far: grades, or the order of the few documents that were asked for together."""

from __future__ import annotations

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.types import FloatArray, IntArray


class Answers:
    """Labels by row, −1 where there is none, and which of them can be compared.

    A grade is the same wherever it was given, so that all documents of a query can be compared. The answer to a set of
    documents of one query may be their order alone: their labels are then 0, 1, … from the worst on, equal ones the
    same, and only documents of one answer can be compared.

    >>> answers = Answers(np.array([2.0, 0, 4, 2, 0]), QueryGroups.from_sizes([4, 1]), orders=True)
    >>> answers.give(np.array([0, 2, 3]))
    >>> answers.labels
    array([ 0., -1.,  1.,  0., -1.])
    """

    def __init__(self, truth: FloatArray, groups: QueryGroups, orders: bool) -> None:
        self._truth, self._query, self._n_queries = truth, groups.query_of_row(), groups.n_queries
        self.labels = np.full(truth.size, -1.0)
        self.answer: IntArray | None = np.full(truth.size, -1) if orders else None
        self._n_given = 0

    @property
    def lists(self) -> IntArray:
        """The number of the list that each row is compared in; for labelled rows only."""
        return self._query if self.answer is None else self.answer

    def give(self, rows: IntArray) -> None:
        """Tell what these rows are, those of each query being one answer."""
        if self.answer is None:
            self.labels[rows] = self._truth[rows]
            return
        self.answer[rows] = self._n_given * self._n_queries + self._query[rows]
        self._n_given += 1
        ordered = rows[np.lexsort((self._truth[rows], self._query[rows]))]
        query, truth = self._query[ordered], self._truth[ordered]
        is_first = np.append(True, query[1:] != query[:-1])[: ordered.size]
        rises = np.append(False, (query[1:] == query[:-1]) & (truth[1:] > truth[:-1]))[: ordered.size]
        level = np.cumsum(rises)
        self.labels[ordered] = level - np.maximum.accumulate(np.where(is_first, level, 0))
