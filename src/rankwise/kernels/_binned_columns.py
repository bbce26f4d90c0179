"""The best cut of dense columns: a pass over all rows by bins, and a look inside the bins that may hold the best.

A bin is a range of a column's rows by rising value: as many values as make `size` rows, or one value that has more
rows. The pass sums the weights of each bin, positive and negative ones apart. What lies below any cut inside a bin is
between what lies below the bin plus its negative weights and that plus its positive ones, so most bins cannot hold a
better cut than the best between bins; in the others every cut is tried. Weights are integers, so all of this is
exact. Reading rows in their order instead of by value is what makes it several times faster than a plain scan.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import kernel
from rankwise.kernels._decision_stumps import CUT, ROW
from rankwise.types import BoolArray, IntArray

Word = TypeVar("Word", np.uint32, np.uint64)

DIGIT_BITS = 11
DIGITS = 1 << DIGIT_BITS


@kernel
def rising_order(
    keys: NDArray[Word], order: NDArray[np.uint32], spare_keys: NDArray[Word], spare_order: NDArray[np.uint32],
    key_bits: int,
) -> NDArray[np.uint32]:  # fmt: skip
    """`order` sorted by its keys, unsigned integers of `key_bits` bits; a radix sort that uses up all arrays."""
    counts = np.empty(DIGITS, dtype=np.int64)
    for shift in range(0, key_bits, DIGIT_BITS):
        counts[:] = 0
        for i in range(keys.size):
            counts[(keys[i] >> shift) & (DIGITS - 1)] += 1
        if counts.max() == keys.size:
            continue  # the digit is the same everywhere
        place = 0
        for digit in range(DIGITS):
            counts[digit], place = place, place + counts[digit]
        for i in range(keys.size):
            digit = (keys[i] >> shift) & (DIGITS - 1)
            spare_keys[counts[digit]], spare_order[counts[digit]] = keys[i], order[i]
            counts[digit] += 1
        keys, spare_keys = spare_keys, keys
        order, spare_order = spare_order, order
    return order


@kernel
def make_bins(
    entries: NDArray[np.uint32], valued: int, size: int, codes: NDArray[np.uint16], starts: IntArray, mixed: BoolArray
) -> int:
    """Bins of a column: their starts among its entries, whether they have several values, and each row's bin.

    Rows without a value, from `valued` on, are in the bin after the last. The number of bins is returned.
    """
    bins, start, first, values = 0, 0, 0, 0  # where the present bin starts, the present value, and values before it
    for k in range(valued):
        end = k + 1
        if end < valued and not entries[k] & CUT:
            continue
        if values > 0 and end - first >= size:  # a value with many rows has a bin of its own
            starts[bins], mixed[bins] = start, values > 1
            bins, start, values = bins + 1, first, 0
        values += 1
        if end == valued or end - start >= size:
            starts[bins], mixed[bins] = start, values > 1
            bins, start, values = bins + 1, end, 0
        first = end
    starts[bins] = valued
    for b in range(bins):
        for k in range(starts[b], starts[b + 1]):
            codes[entries[k] & ROW] = b
    for k in range(valued, entries.size):
        codes[entries[k] & ROW] = bins
    return bins


@kernel
def best_binned_cuts(
    entries: NDArray[np.uint32], codes: NDArray[np.uint16], starts: IntArray, mixed: BoolArray, firsts: IntArray,
    weight: IntArray, total_weight: int, single: bool, low: int, high: int, edges: IntArray, places: IntArray,
) -> None:  # fmt: skip
    """Σ above − Σ below of each column at the cut where its size is largest, and its entry; of equal ones the lowest.

    `total_weight` is the sum of all weights. If a `single` cut is asked for, columns that have no better one than those
    before them are given up early, with some edge that is not larger. Without a cut the edge is 0.
    """
    floor, sums = 0, np.empty(0, dtype=np.int64)
    for c in range(low, high):
        first, bins = firsts[c], firsts[c + 1] - firsts[c] - 1
        if sums.size < 2 * bins + 2:
            sums = np.empty(2 * bins + 2, dtype=np.int64)
        sums[: 2 * bins + 2] = 0
        for i in range(weight.size):
            sums[2 * np.int64(codes[c, i]) + (weight[i] < 0)] += weight[i]
        total = total_weight - sums[2 * bins] - sums[2 * bins + 1]
        floor, below = floor if single else 0, 0
        for b in range(bins - 1):
            below += sums[2 * b] + sums[2 * b + 1]
            floor = max(floor, abs(total - 2 * below))
        best, place, below = 0, -1, 0
        for b in range(bins):
            lowest, highest = below + sums[2 * b + 1], below + sums[2 * b]
            end = starts[first + b + 1]
            if mixed[first + b] and max(abs(total - 2 * lowest), abs(total - 2 * highest)) >= max(floor, 1):
                inside = below
                for k in range(starts[first + b], end - 1):
                    entry = entries[c, k]
                    inside += weight[entry & ROW]
                    edge = total - 2 * inside
                    if abs(edge) > abs(best) and entry & CUT:
                        best, place = edge, k
            below = lowest + sums[2 * b]
            if b + 1 < bins and abs(total - 2 * below) > abs(best):
                best, place = total - 2 * below, end - 1
            floor = max(floor, abs(best))
        edges[c], places[c] = best, place
