"""Order of one long list by falling score: a radix sort over the bits of the scores, stable, in threads.

An eleven-bit digit at a time, lowest first, each thread counts the digits of its stretch of rows, and then moves
its rows to where the counts of all threads say they go.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import threads
from rankwise.kernels.compiled import kernel

__all__ = ["falling_order"]

BITS = 11
DIGITS = 1 << BITS
PASSES = 6  # 6 · 11 bits cover 64
SIGN, OTHERS, MASK = np.uint64(63), np.uint64((1 << 63) - 1), np.uint64(DIGITS - 1)


@kernel
def make_keys(bits: Any, low: int, high: int, keys: Any, rows: Any, counts: Any) -> None:
    """Whole numbers that rise as scores fall, their rows, and the counts of every digit.

    The bits of a positive double rise with it, so they are turned over; those of a negative one fall already.
    """
    for i in range(low, high):
        key = bits[i] if bits[i] >> SIGN else bits[i] ^ OTHERS
        keys[i] = key
        rows[i] = i
        for digit in range(PASSES):
            counts[digit, (key >> np.uint64(digit * BITS)) & MASK] += 1


@kernel
def count_digits(keys: Any, shift: Any, low: int, high: int, counts: Any) -> None:
    """`counts = np.bincount((keys[low:high] >> shift) & MASK, minlength=DIGITS)`."""
    counts[:] = 0
    for i in range(low, high):
        counts[(keys[i] >> shift) & MASK] += 1


@kernel
def move(keys: Any, rows: Any, shift: Any, low: int, high: int, places: Any, moved_keys: Any, moved_rows: Any) -> None:
    """Put each key and its row at the next free place of its digit."""
    for i in range(low, high):
        digit = (keys[i] >> shift) & MASK
        place = places[digit]
        places[digit] = place + 1
        moved_keys[place] = keys[i]
        moved_rows[place] = rows[i]


def falling_order(scores: NDArray[np.float64]) -> NDArray[Any]:
    """`np.argsort(-scores, kind="stable")`, for scores without NaN.

    >>> falling_order(np.array([0.5, -np.inf, 2.0, 0.5, -0.0]))
    array([2, 0, 3, 4, 1], dtype=int32)
    """
    n = scores.size
    workers = threads.thread_count()
    borders = np.linspace(0, n, workers + 1).astype(np.int64)
    stretches = list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))
    keys, spare_keys = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    rows = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    spare_rows = np.empty_like(rows)
    counts = np.zeros((workers, PASSES, DIGITS), dtype=np.int64)
    bits = (scores + 0.0).view(np.uint64)  # adding 0 makes −0 a plain 0
    threads.run([partial(make_keys, bits, a, b, keys, rows, counts[w]) for w, (a, b) in enumerate(stretches)])
    for digit in np.flatnonzero(counts.sum(axis=0).max(axis=1) < n):  # where all keys agree nothing moves
        shift = np.uint64(digit * BITS)
        mine = np.empty((workers, DIGITS), dtype=np.int64)
        threads.run([partial(count_digits, keys, shift, a, b, mine[w]) for w, (a, b) in enumerate(stretches)])
        before = np.cumsum(mine.T.ravel()) - mine.T.ravel()  # by digit, then by thread
        places = np.ascontiguousarray(before.reshape(DIGITS, workers).T)
        threads.run(
            [
                partial(move, keys, rows, shift, a, b, places[w], spare_keys, spare_rows)
                for w, (a, b) in enumerate(stretches)
            ]
        )
        keys, spare_keys, rows, spare_rows = spare_keys, keys, spare_rows, rows
    return rows
