"""From scores to rankings: the one place where documents are sorted and ties are ordered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError
from rankwise.kernels import _threads as threads
from rankwise.kernels.sorting import _ranks as ranks
from rankwise.kernels.sorting._radix import rank_long_list
from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

Ties = Literal["expected", "worst", "best", "input", "docid"]

RADIX_MIN_ROWS = 20_000  # of a query, from which a radix sort in threads beats merging


@dataclass(frozen=True)
class Ranking:
    """Labels and scores of all queries in rank order, flat; query q owns rows `offsets[q]:offsets[q + 1]`."""

    labels: FloatArray
    scores: FloatArray
    offsets: IntArray
    retrieved: IntArray  # documents of each query that were ranked at all
    tied: BoolArray  # whether ties are to be averaged in the query

    @property
    def tells_apart(self) -> bool:
        """Whether two documents of some query have different scores."""
        return bool((self.scores[self.offsets[:-1]] != self.scores[self.offsets[1:] - 1]).any())

    @cached_property
    def ideal(self) -> FloatArray:
        """Labels of each query, best first."""
        return sorted_labels(self.labels, self.offsets)

    # A ranking whose cache held itself would be freed by the garbage collector alone, which counts objects, not bytes.
    @property
    def unjudged_as_irrelevant(self) -> Ranking:
        """The same with unjudged documents (label below 0) as irrelevant ones."""
        return self._judged or self

    @property
    def complete(self) -> Ranking:
        """The same with documents that were not retrieved tied at the bottom."""
        return self._completed or self

    @cached_property
    def _judged(self) -> Ranking | None:
        return replace(self, labels=np.maximum(self.labels, 0.0)) if (self.labels < 0).any() else None

    @cached_property
    def _completed(self) -> Ranking | None:
        sizes = np.diff(self.offsets)
        return None if np.array_equal(sizes, self.retrieved) else replace(self, retrieved=sizes)


def sorted_labels(labels: FloatArray, offsets: IntArray) -> FloatArray:
    """Labels of each query, best first."""
    out, counted = np.empty_like(labels), np.empty(offsets.size - 1, dtype=np.bool_)
    threads.by_queries(lambda low, high: ranks.sort_grades(labels, offsets, low, high, out, counted), offsets)
    return out if counted.all() else labels[descending_order(labels, offsets)]


def descending_order(
    scores: FloatArray, offsets: IntArray, key: AnyArray | None = None, longest: int | None = None
) -> IntArray:
    """Rows of grouped data by falling score within each query; equal scores by rising `key`, or as they stand.

    Queries of more than `longest` rows, if that is not None, are left out, and their part of the order is not set.
    """
    order = np.empty(scores.size, dtype=np.int64)
    sizes = np.diff(offsets)
    is_long = sizes > RADIX_MIN_ROWS
    short = int(sizes[~is_long].max(initial=0))
    threads.by_queries(lambda a, b: ranks.rank_short_lists(scores, offsets, short, a, b, order), offsets)
    if key is not None:
        threads.by_queries(lambda a, b: ranks.order_ties(scores, key, offsets, short, a, b, order), offsets)
    for q in np.flatnonzero(is_long):
        if longest is not None and sizes[q] > longest:
            continue
        rows = slice(offsets[q], offsets[q + 1])
        order[rows] = rank_one_list(scores[rows], None if key is None else key[rows])[0]
        order[rows] += rows.start
    return order


def rank_one_list(
    scores: FloatArray, key: AnyArray | None, space: FloatArray | None = None
) -> tuple[AnyArray, FloatArray]:
    """`rank_long_list`, but equal scores by rising `key`, where it is not None."""
    rows, ranked = rank_long_list(scores, space)
    if key is not None and (ranked[1:] == ranked[:-1]).any():
        rows = rows.astype(np.int64)
        ranks.order_runs(ranked, key, rows)
    return rows, ranked


def tie_key(ties: Ties, labels: FloatArray, doc_ids: AnyArray | None) -> FloatArray | None:
    """What orders equal scores, rising; None: as they stand."""
    if ties == "worst":
        return labels
    if ties == "best":
        return -labels
    if ties == "docid":
        if doc_ids is None:
            raise DataError("ties='docid' orders equal scores by document id, but there are no ids; pass doc_ids=")
        # trec_eval sorts equal scores by falling document id, compared as bytes.
        _, place = np.unique(np.array([str(d).encode() for d in doc_ids]), return_inverse=True)
        return -place.astype(np.float64)
    return None


def rank(
    labels: FloatArray,
    scores: FloatArray,
    groups: QueryGroups,
    ties: Ties,
    doc_ids: AnyArray | None = None,
) -> Ranking:
    """Rank the rows of each query by falling score (labels, scores and ids in the order of the input)."""
    key = tie_key(ties, labels, doc_ids)
    labels, scores, offsets = groups.grouped(labels), groups.grouped(scores), groups.offsets
    order = descending_order(scores, offsets, None if key is None else groups.grouped(key))
    ranked, sorted_scores = np.empty_like(labels), np.empty_like(scores)
    half = order.size // 2
    threads.run(
        [
            partial(ranks.gather, source, order, low, high, out)
            for source, out in ((labels, ranked), (scores, sorted_scores))
            for low, high in ((0, half), (half, order.size))
        ]
    )
    retrieved = np.empty(groups.n_queries, dtype=np.int64)
    tied = np.empty(groups.n_queries, dtype=np.bool_)
    threads.by_queries(lambda a, b: ranks.retrieved_counts(sorted_scores, offsets, a, b, retrieved, tied), offsets)
    return Ranking(ranked, sorted_scores, offsets, retrieved, tied if ties == "expected" else np.zeros_like(tied))
