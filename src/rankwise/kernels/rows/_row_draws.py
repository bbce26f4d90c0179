"""Rows of a ranked list drawn with replacement, label by label, in the order of the list."""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

STEP = np.uint64(0x9E3779B97F4A7C15)  # splitmix64: Steele, Lea & Flood (2014)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
HALF = np.uint64(32)


@helper
def _mixed(word: np.uint64) -> np.uint64:
    """The output of splitmix64 for a state."""
    word = (word ^ (word >> np.uint64(30))) * FIRST
    word = (word ^ (word >> np.uint64(27))) * SECOND
    return word ^ (word >> np.uint64(31))


@kernel
def draw_samples(
    seed: np.uint64, first: int, places: IntArray, starts: IntArray, labels: FloatArray, scores: FloatArray,
    low: int, high: int, drawn_labels: FloatArray, drawn_scores: FloatArray, retrieved: IntArray,
) -> None:  # fmt: skip
    """Samples `first + low` to `first + high`, each as long as the list and with random numbers of its own.

    `places[starts[c]:starts[c + 1]]` are the ranks of the rows of the c-th label, `labels` and `scores` those of the
    list from the top down; `retrieved` counts the drawn rows of a score above −inf.
    """
    n = labels.size
    counts = np.empty(n, dtype=np.int32)
    for sample in range(low, high):
        state = _mixed(seed + _mixed(np.uint64(first + sample) * STEP + STEP))
        counts[:] = 0
        for c in range(starts.size - 1):
            size = np.uint64(starts[c + 1] - starts[c])
            for _ in range(starts[c], starts[c + 1]):
                state += STEP
                # The upper half of the word, scaled: off from uniform by size / 2^32 at most.
                counts[places[starts[c] + np.int64(((_mixed(state) >> HALF) * size) >> HALF)]] += 1
        at, ranked = sample * n, 0
        for rank in range(n):
            for _ in range(counts[rank]):
                drawn_labels[at] = labels[rank]
                drawn_scores[at] = scores[rank]
                at += 1
            if scores[rank] > -np.inf:
                ranked += counts[rank]
        retrieved[sample] = ranked
