"""α-nDCG: rankings judged by the subtopics of a query that they cover."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # not scipy.stats, which takes half a second to import

from rankwise._validation import as_numbers, as_vector, check_real, check_whole
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.kernels.sorting._ranks import run_starts
from rankwise.metrics._evaluation import Evaluation, LeftOut
from rankwise.metrics._fields import MAX_CUTOFF
from rankwise.metrics._ranking import descending_order
from rankwise.metrics.catalogue._dcg import log_discount
from rankwise.types import BoolArray, FloatArray, IntArray


def alpha_ndcg(
    subtopics: ArrayLike, scores: ArrayLike, qid: ArrayLike | None = None, *, alpha: float = 0.5, k: int = 10
) -> Evaluation:
    """Evaluate scores by novelty and diversity: a subtopic counts less each time that it is shown again.

    It is a function and not a `Metric`, because a row has a label for every subtopic of its query here.

    Parameters
    ----------
    subtopics : array-like of shape (n_rows, n_subtopics)
        Above 0 where the row's document is about the subtopic; columns are the subtopics of each query, in any order.
    scores : array-like of shape (n_rows,)
        The higher, the better the rank; −inf means "not retrieved".
    qid : array-like of shape (n_rows,), optional
        The query of each row. By default all rows are one list.
    alpha : float, default=0.5
        How much of its worth a subtopic loses each time, from 0 to 1.
    k : int, default=10
        The cut-off.

    Returns
    -------
    Evaluation
        The values of every query, by the name `alpha-ndcg@10`, and their mean; queries without a document about any
        subtopic are left out.

    Raises
    ------
    DataError
        If the arrays cannot be ranked, or do not fit together.

    Notes
    -----
    The gain of rank i is Σ_t J(d_i, t)·(1 − α)^{how often t stands above}, discounted by log2(1 + i). The best order is
    hard to find, so the sum is divided by that of the greedy one, as the authors do and as TREC's `ndeval` does; a
    ranking that beats it has a value above 1. Equal scores count the mean over their orders, exactly: the subtopic's
    documents above a place of a run are distributed hypergeometrically.

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon (2008). Novelty and diversity in information
    retrieval evaluation. SIGIR.

    Examples
    --------
    >>> about = [[1, 0], [1, 0], [0, 1]]
    >>> alpha_ndcg(about, [3, 1, 2])["alpha-ndcg@10"]  # both subtopics first
    1.0
    >>> alpha_ndcg(about, [3, 2, 1])["alpha-ndcg@10"]  # (1 + 0.5/log2(3) + 1/2) / (1 + 1/log2(3) + 0.5/2)
    0.965195...
    """
    judged = as_numbers("subtopics", subtopics)
    values = as_vector("scores", scores, low=-np.inf)
    if judged.ndim != 2 or judged.shape[1] == 0 or judged.shape[0] != values.size:
        raise ShapeError(
            f"subtopics must have a row per score and a column per subtopic, got shape {judged.shape} for "
            f"{values.size} scores; pass a table of 0 and 1"
        )
    if not np.isfinite(judged).all():
        raise DataError("subtopics must be 0 or 1 everywhere, got a number that is not finite; fill it")
    keep, depth = 1.0 - check_real("alpha", alpha, 0.0, 1.0), check_whole("k", k, 1, MAX_CUTOFF)
    groups = QueryGroups.of_rows(qid, values.size)
    about, values = groups.grouped(judged) > 0, groups.grouped(values)
    order = descending_order(values, groups.offsets)
    per_query = np.full(groups.n_queries, np.nan)
    for q in range(groups.n_queries):
        rows = order[groups.offsets[q] : groups.offsets[q + 1]]
        ideal = _greedy_dcg(about[rows], keep, depth)
        if ideal > 0:
            rows = rows[values[rows] > -np.inf]
            per_query[q] = _tied_dcg(about[rows], run_starts(values[rows]), keep, depth) / ideal
    name, empty = f"alpha-ndcg@{depth}", int(np.isnan(per_query).sum())
    return Evaluation(
        qids=groups.qids,
        per_query={name: per_query},
        left_out={name: LeftOut(empty, "needs a document about a subtopic" if empty else "")},
        query_weight=None,
        convention="standard",
        ties="expected",
        empty="skip",
    )


def _greedy_dcg(about: BoolArray, keep: float, k: int) -> float:
    """Discounted gains of the order that takes the document of the highest gain next.

    Of equal gains it takes the one about the first subtopics, so that the order of the rows does not matter.
    """
    patterns, counts = np.unique(about, axis=0, return_counts=True)
    patterns, counts = patterns[::-1], counts[::-1].copy()
    worth, total = np.ones(about.shape[1]), 0.0
    for discount in log_discount(min(k, len(about))):
        gains = np.where(counts > 0, patterns @ worth, -1.0)
        best = int(np.argmax(gains))
        total += discount * gains[best]
        counts[best] -= 1
        worth[patterns[best]] *= keep
    return total


def _tied_dcg(about: BoolArray, runs: IntArray, keep: float, k: int) -> float:
    """Discounted gains from the top down, as the mean over orders within runs of equal scores."""
    discount: FloatArray = log_discount(min(k, len(about)))
    worth, total = np.ones(about.shape[1]), 0.0
    for start, stop in pairwise(runs):
        if start >= len(discount):
            break
        size, of_topic = stop - start, about[start:stop].sum(axis=0)
        if size == 1:  # most documents are tied with none
            total += discount[start] * float(of_topic @ worth)
        for place in range(min(size, len(discount) - start) if size > 1 else 0):
            shown = np.arange(place + 1)[:, None]  # of the subtopic, in the places of the run above this one
            others = np.maximum(of_topic - 1, 0)
            ways = _log_choose(others, shown) + _log_choose(size - 1 - others, place - shown)
            chance = np.exp(ways - _log_choose(size - 1, place))
            expected = (chance * keep**shown).sum(axis=0) * of_topic / size
            total += discount[start + place] * float(expected @ worth)
        worth *= keep**of_topic
    return total


def _log_choose(n: IntArray | int, k: IntArray | int) -> FloatArray:
    """log C(n, k), −inf where k is not from 0 to n."""
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))
