"""Sorting within queries: the order of scores, ideal orders, and runs of equal scores."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel, kernel_like
from rankwise.kernels.sorting._radix import CELLS_PER_ROW, sort_by_cells
from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

COUNTING_MAX_ROWS = 256  # up to here counting how many stand above beats sorting: no branch to mispredict
SHORT_RUN = 16  # equal scores up to which moving rows by one beats sorting, which takes memory
COUNTED_GRADES = 64  # whole labels below this are sorted by counting


@helper
def class_of(label: float, grades: FloatArray) -> int:
    """Place of a label among the rising grades."""
    low, high = 0, grades.size - 1
    while low < high:
        middle = (low + high) // 2
        if grades[middle] < label:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def merge_orders(scores: FloatArray, a: IntArray, b: IntArray, out: IntArray) -> None:
    """Merge two row orders, each by falling score; of equal scores those of `a` come first."""
    i, j = 0, 0
    for at in range(out.size):
        if j >= b.size or (i < a.size and scores[a[i]] >= scores[b[j]]):
            out[at] = a[i]
            i += 1
        else:
            out[at] = b[j]
            j += 1


@kernel
def _rank_by_counting(scores: FloatArray, offsets: IntArray, low: int, high: int, order: IntArray) -> None:
    """`rank_short_lists` for the queries of at most `COUNTING_MAX_ROWS` rows; others are left alone.

    A document's rank is the number of higher scores. Each pass counts four documents for all others at once.
    """
    above, taken = np.empty(COUNTING_MAX_ROWS, dtype=np.int64), np.empty(COUNTING_MAX_ROWS, dtype=np.int64)
    for q in range(low, high):
        start, n = offsets[q], offsets[q + 1] - offsets[q]
        if n > COUNTING_MAX_ROWS:
            continue
        values = scores[start : start + n]
        for i in range(n):
            above[i], taken[i] = 0, start
        j = 0
        while j + 4 <= n:
            a, b, c, d = values[j], values[j + 1], values[j + 2], values[j + 3]
            for i in range(n):
                above[i] += (a > values[i]) + (b > values[i]) + (c > values[i]) + (d > values[i])
            j += 4
        while j < n:
            a = values[j]
            for i in range(n):
                above[i] += a > values[i]
            j += 1
        for i in range(n):
            k = above[i]
            order[k + taken[k]] = start + i  # below equal ones that came before it
            taken[k] += 1


@kernel
def _rank_by_merging(scores: FloatArray, order: IntArray, buffer: IntArray) -> None:
    """The order of a longer list: pieces of `COUNTING_MAX_ROWS` rows by counting, merged pair by pair."""
    n = scores.size
    pieces = np.minimum(np.arange(0, n + COUNTING_MAX_ROWS, COUNTING_MAX_ROWS), n)
    _rank_by_counting(scores, pieces, 0, pieces.size - 1, order)
    width = COUNTING_MAX_ROWS
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            merge_orders(scores, order[start:middle], order[middle:stop], buffer[start:stop])
        for i in range(n):  # a copy of slices takes numba two seconds to compile
            order[i] = buffer[i]
        width *= 2


def _query_of_rows(offsets: IntArray, low: int, high: int) -> tuple[slice, IntArray]:
    """Rows of queries `low:high`, and the query of each."""
    return slice(offsets[low], offsets[high]), np.repeat(np.arange(low, high), np.diff(offsets[low : high + 1]))


def _rank_by_numpy(
    scores: FloatArray, offsets: IntArray, longest: int, low: int, high: int, order: IntArray
) -> None:  # fmt: skip
    """`rank_short_lists`, where no list is longer than `longest`."""
    rows, query = _query_of_rows(offsets, low, high)
    order[rows] = rows.start + np.lexsort((-scores[rows], query))


def _order_ties_by_numpy(
    scores: FloatArray, key: FloatArray, offsets: IntArray, longest: int, low: int, high: int, order: IntArray
) -> None:  # fmt: skip
    """`order_ties`, where no list is longer than `longest`."""
    rows, query = _query_of_rows(offsets, low, high)
    now = order[rows]
    order[rows] = now[np.lexsort((key[now], -scores[now], query))]


def _gather_by_numpy(values: AnyArray, order: AnyArray, low: int, high: int, out: AnyArray) -> None:
    """`gather`."""
    out[low:high] = values[order[low:high]]


def _retrieved_by_numpy(
    scores: FloatArray, offsets: IntArray, low: int, high: int, counts: IntArray, tied: BoolArray
) -> None:  # fmt: skip
    """`retrieved_counts`."""
    for q in range(low, high):
        ranked = scores[offsets[q] : offsets[q + 1]]
        counts[q] = np.count_nonzero(ranked > -np.inf)
        tied[q] = (ranked[1:] == ranked[:-1]).any()


def _sort_by_numpy(
    labels: FloatArray, offsets: IntArray, low: int, high: int, ideal: FloatArray, sorted_: BoolArray
) -> None:  # fmt: skip
    """`sort_grades`, which sorts labels of any kind."""
    rows, query = _query_of_rows(offsets, low, high)
    ideal[rows] = labels[rows][np.lexsort((-labels[rows], query))]
    sorted_[low:high] = True


@kernel_like(_rank_by_numpy)
def rank_short_lists(
    scores: FloatArray,
    offsets: IntArray,
    longest: int,
    low: int,
    high: int,
    order: IntArray,
) -> None:
    """Order the rows of queries `low:high` by falling score, equal scores as they stand.

    Equivalent to (and much faster than), for each query's rows: `start + np.argsort(-scores[rows], kind="stable")`.
    Queries of more than `longest` rows are left alone (`rank_long_list` is better there).
    """
    _rank_by_counting(scores, offsets, low, high, order)
    if longest <= COUNTING_MAX_ROWS:
        return
    buffer, values, rows = np.empty(CELLS_PER_ROW * longest + 1, dtype=np.int64), np.empty(longest), np.arange(longest)
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        if COUNTING_MAX_ROWS < stop - start <= longest:
            if not sort_by_cells(scores[start:stop], rows, buffer, values, order[start:stop]):
                _rank_by_merging(scores[start:stop], order[start:stop], buffer)
            order[start:stop] += start


@kernel
def order_runs(ranked: FloatArray, key: FloatArray, order: IntArray) -> None:
    """Within each run of equal scores of a ranked list, reorder its rows by rising `key` (equal keys as they stand)."""
    a = 0
    while a < ranked.size:
        b = a + 1
        while b < ranked.size and ranked[b] == ranked[a]:
            b += 1
        if b - a > SHORT_RUN:
            run = order[a:b].copy()
            order[a:b] = run[np.argsort(key[run], kind="mergesort")]
        else:
            for i in range(a + 1, b):
                row, j = order[i], i
                while j > a and key[order[j - 1]] > key[row]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = row
        a = b


@kernel_like(_order_ties_by_numpy)
def order_ties(
    scores: FloatArray,
    key: FloatArray,
    offsets: IntArray,
    longest: int,
    low: int,
    high: int,
    order: IntArray,
) -> None:
    """`order_runs` in each of the queries `low:high` that has at most `longest` rows."""
    ranked = np.empty(longest)
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        if stop - start <= longest:
            for i in range(start, stop):
                ranked[i - start] = scores[order[i]]
            order_runs(ranked[: stop - start], key, order[start:stop])


@kernel_like(_gather_by_numpy)
def gather(values: AnyArray, order: AnyArray, low: int, high: int, out: AnyArray) -> None:
    """`out[low:high] = values[order[low:high]]`."""
    for i in range(low, high):
        out[i] = values[order[i]]


@kernel_like(_sort_by_numpy)
def sort_grades(
    labels: FloatArray, offsets: IntArray, low: int, high: int, ideal: FloatArray, sorted_: BoolArray
) -> None:  # fmt: skip
    """`ideal[rows] = np.sort(labels[rows])[::-1]` for the rows of each query whose labels can be counted.

    `sorted_` says of which queries: those whose labels are whole numbers from 0 to `COUNTED_GRADES`.
    """
    counts = np.zeros(COUNTED_GRADES, dtype=np.int64)
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        counts[:] = 0
        sorted_[q] = True
        for i in range(start, stop):
            grade = int(labels[i]) if 0 <= labels[i] < COUNTED_GRADES else -1
            if grade < 0 or grade != labels[i]:
                sorted_[q] = False
                break
            counts[grade] += 1
        if sorted_[q]:
            at = start
            for grade in range(COUNTED_GRADES - 1, -1, -1):
                for _ in range(counts[grade]):
                    ideal[at] = grade
                    at += 1


@kernel_like(_retrieved_by_numpy)
def retrieved_counts(
    scores: FloatArray,
    offsets: IntArray,
    low: int,
    high: int,
    counts: IntArray,
    tied: BoolArray,
) -> None:
    """From scores in rank order: how many documents of each query were retrieved (score above −inf), and any ties."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        n = stop - start
        while n > 0 and scores[start + n - 1] == -np.inf:
            n -= 1
        counts[q] = n
        ties = 0
        for i in range(start + 1, stop):
            ties += scores[i] == scores[i - 1]
        tied[q] = ties > 0


@helper
def run_starts(scores: FloatArray) -> IntArray:
    """Where each run of equal scores starts in a ranked list, and last its length.

    >>> import numpy as np
    >>> run_starts(np.array([3.0, 2.0, 2.0, 1.0]))
    array([0, 1, 3, 4])
    """
    starts = np.empty(scores.size + 1, dtype=np.int64)
    runs = 0
    for i in range(scores.size):
        if i == 0 or scores[i] != scores[i - 1]:
            starts[runs] = i
            runs += 1
    starts[runs] = scores.size
    return starts[: runs + 1]
