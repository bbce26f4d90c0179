"""The best rows of each list, without sorting it."""

from __future__ import annotations

from rankwise.kernels._compile import kernel
from rankwise.types import FloatArray, IntArray


@kernel
def best_of_each(
    values: FloatArray,
    keys: FloatArray,
    offsets: IntArray,
    count: int,
    low: int,
    high: int,
    chosen: IntArray,
    counts: IntArray,
) -> bool:
    """The `count` rows of highest value of each of the queries `low:high`, best first; equal ones by rising key.

    Those of query q go to `chosen[q * count:]`, their number to `counts[q]`. Without keys (an empty array) equal ones
    stay as they stand, and the answer is whether any were met that keys would have to order.
    """
    tied = False
    for q in range(low, high):
        first, n = q * count, 0
        for row in range(offsets[q], offsets[q + 1]):
            value = values[row]
            if n == count:
                worst = chosen[first + n - 1]
                if value < values[worst]:
                    continue
                if value == values[worst]:
                    tied = True
                    if keys.size == 0 or keys[row] >= keys[worst]:
                        continue
                n -= 1
            place = first + n
            while place > first:
                above = chosen[place - 1]
                if values[above] > value:
                    break
                if values[above] == value:
                    tied = True
                    if keys.size == 0 or keys[above] <= keys[row]:
                        break
                chosen[place] = above
                place -= 1
            chosen[place] = row
            n += 1
        counts[q] = n
    return tied
