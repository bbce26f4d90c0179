"""Order of one long list by falling score, stable, in threads, in two passes over memory.

Scores are spread over buckets of equal width, small enough that one stays in the cache while it is put in order: each
thread counts the buckets of its range of rows, and then moves its rows to where the counts of all threads say they
go. A bucket is then sorted by a few cells per row. Where too many share a cell, the bucket is spread again,
or, if it is most of the list, numpy sorts it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import helper, kernel
from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

BUCKET_ROWS = 10_000  # on average; scores and rows of several times as many, before and after, fit the cache
MAX_BUCKETS = 1024  # more are more pages than a processor finds quickly
CELLS_PER_ROW = 2  # more take longer to count, fewer leave more rows to be put in order
MAX_MEAN_MOVES = 8  # places that a row may be off on average before sorting by cells gives up

Ranked = tuple[AnyArray, FloatArray]  # rows by falling score, and their scores


@helper
def _cell(score: float, highest: float, scale: float) -> int:
    """Number of a score's cell, rising as scores fall."""
    return int((highest - score) * scale)


@kernel
def count_buckets(scores: FloatArray, highest: float, scale: float, low: int, high: int, counts: IntArray) -> None:
    """How many of a range of rows fall into each bucket."""
    counts[:] = 0
    for i in range(low, high):
        counts[_cell(scores[i], highest, scale)] += 1


@kernel
def move(
    scores: FloatArray, highest: float, scale: float, low: int, high: int, places: IntArray, moved: FloatArray,
    rows: AnyArray,
) -> None:  # fmt: skip
    """Put each score, and its row, at the next free place of its bucket."""
    for i in range(low, high):
        bucket = _cell(scores[i], highest, scale)
        place = places[bucket]
        places[bucket] = place + 1
        moved[place], rows[place] = scores[i], i


@kernel
def insertion_sort(scores: FloatArray, rows: AnyArray) -> bool:
    """Put nearly sorted scores, and their rows, in falling order; False if they are not nearly sorted."""
    moves = 0
    for i in range(1, scores.size):
        score, row, j = scores[i], rows[i], i
        while j > 0 and scores[j - 1] < score:
            scores[j], rows[j] = scores[j - 1], rows[j - 1]
            j -= 1
        scores[j], rows[j] = score, row
        moves += i - j
        if moves > MAX_MEAN_MOVES * scores.size:
            return False
    return True


@kernel
def sort_by_cells(
    scores: FloatArray, rows: AnyArray, ends: IntArray, ranked: FloatArray, ranked_rows: AnyArray
) -> bool:  # fmt: skip
    """Scores and their rows by falling score, by `CELLS_PER_ROW`; `ends` is scratch space.

    False if they are not spread out (an outlier, a score of −∞), and `ranked` is then not made.
    """
    n, cells = scores.size, CELLS_PER_ROW * scores.size
    lowest, highest = scores[0], scores[0]
    for i in range(n):
        lowest, highest = min(lowest, scores[i]), max(highest, scores[i])
    span = highest - lowest
    scale = (cells - 1) / span if span > 0.0 else 0.0  # equal scores share a cell, in which they stay as they stand
    if not (span < np.inf and scale < np.inf):
        return False
    for i in range(cells + 1):
        ends[i] = 0
    for i in range(n):
        ends[_cell(scores[i], highest, scale) + 1] += 1
    for cell in range(cells):
        ends[cell + 1] += ends[cell]
    for i in range(n):
        cell = _cell(scores[i], highest, scale)
        place = ends[cell]
        ends[cell] = place + 1
        ranked[place], ranked_rows[place] = scores[i], rows[i]
    return insertion_sort(ranked[:n], ranked_rows[:n])


@kernel
def sort_buckets(
    scores: FloatArray, rows: AnyArray, offsets: IntArray, low: int, high: int, ranked: FloatArray,
    ranked_rows: AnyArray, is_sorted: BoolArray,
) -> None:  # fmt: skip
    """`sort_by_cells` for buckets `low:high`; `is_sorted` says of which it made the order."""
    longest = 0
    for bucket in range(low, high):
        longest = max(longest, offsets[bucket + 1] - offsets[bucket])
    ends = np.empty(CELLS_PER_ROW * longest + 1, dtype=np.int64)
    for bucket in range(low, high):
        a, b = offsets[bucket], offsets[bucket + 1]
        is_sorted[bucket] = a == b or sort_by_cells(scores[a:b], rows[a:b], ends, ranked[a:b], ranked_rows[a:b])


def rank_long_list(scores: FloatArray, space: FloatArray | None = None) -> Ranked:
    """`rows = np.argsort(-scores, kind="stable")` and `scores[rows]`, for scores without NaN.

    `space`, two numbers per row, is written over, if the caller has it: fresh memory is slow. The scores that are
    returned may be its second row.

    >>> rank_long_list(np.array([0.5, -1.0, 2.0, 0.5, -0.0]))
    (array([2, 0, 3, 4, 1], dtype=int32), array([ 2. ,  0.5,  0.5, -0. , -1. ]))
    """
    n, highest = scores.size, float(scores.max())
    moved, ranked = np.empty((2, n)) if space is None else space
    buckets = min(max(n // BUCKET_ROWS, 2), MAX_BUCKETS)
    with np.errstate(over="ignore", invalid="ignore"):
        span = highest - scores.min()
        scale = float((buckets - 1) / span) if span > 0.0 else 0.0
    if not (span < np.inf and scale < np.inf):
        return _rank_by_numpy(scores)
    rows, offsets = _spread(scores, highest, scale, buckets, moved)
    ranked_rows, is_sorted = np.empty_like(rows), np.empty(buckets, dtype=np.bool_)
    threads.by_queries(
        lambda low, high: sort_buckets(moved, rows, offsets, low, high, ranked, ranked_rows, is_sorted), offsets
    )
    for bucket in np.flatnonzero(~is_sorted).tolist():
        part = slice(offsets[bucket], offsets[bucket + 1])
        rank_again = rank_long_list if 2 * moved[part].size <= n else _rank_by_numpy
        order, ranked[part] = rank_again(moved[part])
        ranked_rows[part] = rows[part][order]
    return ranked_rows, ranked


def _rank_by_numpy(scores: FloatArray) -> Ranked:
    order = np.argsort(-scores, kind="stable")
    return order, scores[order]


def _spread(
    scores: FloatArray, highest: float, scale: float, buckets: int, moved: FloatArray
) -> tuple[AnyArray, IntArray]:  # fmt: skip
    """Scores by bucket into `moved`, within one as they stand; their rows, and where each bucket begins."""
    n, workers = scores.size, threads.thread_count()
    borders = np.linspace(0, n, workers + 1).astype(np.int64)
    ranges = list(enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)))
    counts = np.empty((workers, buckets), dtype=np.int64)
    threads.run([partial(count_buckets, scores, highest, scale, a, b, counts[w]) for w, (a, b) in ranges])
    ends = np.cumsum(counts.T.ravel())  # by bucket, then by thread
    places = np.ascontiguousarray((ends - counts.T.ravel()).reshape(buckets, workers).T)
    offsets = np.append(places[0], n)
    rows = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    threads.run([partial(move, scores, highest, scale, a, b, places[w], moved, rows) for w, (a, b) in ranges])
    return rows, offsets
