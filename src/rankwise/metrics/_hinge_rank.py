"""The hinge rank loss of Steck (2007), and the bound of AUC that Donmez 2009 (3) builds on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector, is_finite_number
from rankwise.data._groups import QueryGroups
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._evaluate import labelled_rows
from rankwise.metrics._ranking import descending_order
from rankwise.types import BoolArray, FloatArray, IntArray


def hinge_rank_loss(
    y: ArrayLike | RankingData, scores: ArrayLike, qid: ArrayLike | None = None, *, threshold: float | None = None
) -> FloatArray:
    """Hinge rank loss of each query, Donmez 2009 (1): Σ [½ − y_i (r_i − θ̄)]₊, with y_i = 1 if relevant and −1 if not.

    Ranks rise with the scores, from 1. A relevant document above the rank threshold θ̄ and another one below cost
    nothing; others cost as many ranks as they are away from the nearest right one. Equal scores have the mean loss over
    all their orders.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or RankingData
        Labels; above 0 means relevant. RankingData brings its queries along.
    scores : array-like of shape (n_rows,)
        The higher, the better.
    qid : array-like of shape (n_rows,), optional
        The query of each row. By default all rows are one list.
    threshold : float, optional
        The score θ that decides: θ̄ is half a rank above the documents of scores up to θ. By default as many documents
        are below θ̄ as are not relevant, so that the ideal order costs nothing.

    Returns
    -------
    ndarray of float64, shape (n_queries,)
        The loss of each query, in order of first appearance.

    References
    ----------
    Steck (2007). Hinge rank loss and the area under the ROC curve. ECML.
    Donmez & Carbonell (2009). Active sampling for rank learning via optimizing the area under the ROC curve. ECIR.

    Examples
    --------
    >>> from rankwise.metrics import hinge_rank_loss
    >>> hinge_rank_loss([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])  # the third and the second are one rank off
    array([2.])
    """
    lists = _rising_lists(y, scores, qid, threshold)
    return lists.loss(lists.relevant, lists.tie_starts)


def auc_lower_bound(
    y: ArrayLike | RankingData, scores: ArrayLike, qid: ArrayLike | None = None, *, threshold: float | None = None
) -> FloatArray:
    """Lower bound of each query's AUC by its hinge rank loss, Donmez 2009 (3): 1 − (L − C) / (n⁺ n⁻).

    C is the loss of the ideal order at the same rank threshold, which does not depend on the scores' order.

    Parameters
    ----------
    y, scores, qid, threshold : array-like, array-like, array-like, float
        As in `hinge_rank_loss`.

    Returns
    -------
    ndarray of float64, shape (n_queries,)
        The bound for each query, in order of first appearance; NaN where all documents are relevant, or none.

    Examples
    --------
    >>> from rankwise.metrics import auc_lower_bound, evaluate
    >>> labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    >>> auc_lower_bound(labels, scores), evaluate(labels, scores, metrics="auc")["auc"]
    (array([0.5]), 0.75)
    """
    lists = _rising_lists(y, scores, qid, threshold)
    ideal = lists.place >= lists.n_others[lists.query]
    excess = lists.loss(lists.relevant, lists.tie_starts) - lists.loss(ideal, np.arange(ideal.size))
    pairs = lists.n_others * (np.diff(lists.offsets) - lists.n_others)
    share: FloatArray = np.divide(excess, pairs, out=np.full(pairs.size, np.nan), where=pairs > 0)
    return 1.0 - share


@dataclass(frozen=True, eq=False)
class _RisingLists:
    """Documents by rising score within each query, flat."""

    relevant: BoolArray
    query: IntArray
    place: IntArray  # within the query, from 0
    offsets: IntArray
    tie_starts: IntArray
    n_others: IntArray  # documents of each query that are not relevant
    n_below: IntArray  # documents of each query below the rank threshold

    def loss(self, relevant: BoolArray, tie_starts: IntArray) -> FloatArray:
        """The loss of each query if these places were relevant, and places from one start to the next were tied."""
        distance = self.place + 1 - (self.n_below[self.query] + 0.5)
        sizes = np.diff(np.append(tie_starts, relevant.size))
        too_low, too_high = (
            np.repeat(np.add.reduceat(np.maximum(0.5 - sign * distance, 0.0), tie_starts) / sizes, sizes)
            for sign in (1, -1)
        )
        return np.asarray(np.add.reduceat(np.where(relevant, too_low, too_high), self.offsets[:-1]))


def _rising_lists(
    y: ArrayLike | RankingData, scores: ArrayLike, qid: ArrayLike | None, threshold: float | None
) -> _RisingLists:
    labels, query_ids, _, _ = labelled_rows(y, qid)
    labels, scores = as_vector("labels", labels), as_vector("scores", scores)
    groups = QueryGroups.of_rows(query_ids, labels.size)
    if scores.size != labels.size:
        raise ShapeError(f"scores must have one entry per row, got {scores.size} for {labels.size} rows")
    if threshold is not None and not is_finite_number(threshold):
        raise DataError(f"threshold must be a number or None, got {threshold!r}; pass a score")
    offsets, query = groups.offsets, np.repeat(np.arange(groups.n_queries), groups.sizes)
    grouped = groups.grouped(scores)
    order = descending_order(-grouped, offsets)
    rising, relevant = grouped[order], groups.grouped(labels)[order] > 0
    n_others = np.add.reduceat(~relevant, offsets[:-1], dtype=np.int64)
    below = n_others if threshold is None else np.add.reduceat(rising <= threshold, offsets[:-1], dtype=np.int64)
    is_first = np.append(True, (rising[1:] != rising[:-1]) | (query[1:] != query[:-1]))
    place = np.arange(query.size) - offsets[:-1][query]
    return _RisingLists(relevant, query, place, offsets, np.flatnonzero(is_first), n_others, below)
