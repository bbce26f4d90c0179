"""Order of one long list by falling score: a radix sort, stable, in threads.

Scores are spread over 2^33 cells of equal width, whose numbers have three digits of eleven bits: three passes instead
of the six that the bits of a double would take. A digit at a time, lowest first, each thread counts the digits of its
range of rows, and then moves its rows to where the counts of all threads say they go. Scores that share a
cell are put in order at the end; where most share one, because of an outlier, numpy sorts instead.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import helper, kernel
from rankwise.types import AnyArray, FloatArray, IntArray

BITS, PASSES = 11, 3
DIGITS = 1 << BITS
CELLS = float((1 << (BITS * PASSES)) - 1)
MASK = DIGITS - 1
MAX_MEAN_MOVES = 8  # places that a row may be off on average before sorting by cells gives up


@helper
def _cell(score: float, highest: float, scale: float) -> int:
    """Number of a score's cell, rising as scores fall."""
    return int((highest - score) * scale)


@kernel
def count_digits(
    scores: FloatArray, highest: float, scale: float, shift: int, low: int, high: int, counts: IntArray
) -> None:
    """How often each digit occurs in a range of rows."""
    counts[:] = 0
    for i in range(low, high):
        counts[(_cell(scores[i], highest, scale) >> shift) & MASK] += 1


@kernel
def move(
    scores: FloatArray, rows: AnyArray, highest: float, scale: float, shift: int, low: int, high: int, places: IntArray,
    moved_scores: FloatArray, moved_rows: AnyArray,
) -> None:  # fmt: skip
    """Put each score and its row at the next free place of its digit."""
    for i in range(low, high):
        digit = (_cell(scores[i], highest, scale) >> shift) & MASK
        place = places[digit]
        places[digit] = place + 1
        moved_scores[place] = scores[i]
        moved_rows[place] = rows[i]


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


def radix_argsort(scores: FloatArray) -> AnyArray:
    """`np.argsort(-scores, kind="stable")`, for scores without NaN.

    >>> radix_argsort(np.array([0.5, -1.0, 2.0, 0.5, -0.0]))
    array([2, 0, 3, 4, 1], dtype=int32)
    """
    n, highest = scores.size, float(scores.max())
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = CELLS / (highest - scores.min())
    if not 0.0 < scale < np.inf:
        return np.argsort(-scores, kind="stable")
    workers = threads.thread_count()
    borders = np.linspace(0, n, workers + 1).astype(np.int64)
    ranges = list(enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)))
    values, spare_values = scores.copy(), np.empty(n)
    rows = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
    spare_rows = np.empty_like(rows)
    for shift in range(0, BITS * PASSES, BITS):
        counts = np.empty((workers, DIGITS), dtype=np.int64)
        key = (highest, scale, shift)
        threads.run([partial(count_digits, values, *key, a, b, counts[w]) for w, (a, b) in ranges])
        before = np.cumsum(counts.T.ravel()) - counts.T.ravel()  # by digit, then by thread
        places = np.ascontiguousarray(before.reshape(DIGITS, workers).T)
        source = (values, rows, *key)
        threads.run([partial(move, *source, a, b, places[w], spare_values, spare_rows) for w, (a, b) in ranges])
        values, spare_values, rows, spare_rows = spare_values, values, spare_rows, rows
    return rows if insertion_sort(values, rows) else np.argsort(-scores, kind="stable")
