"""Other lists of the same size as one list: its rows drawn with replacement, as many of each label as there are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels.rows._row_draws import draw_samples
from rankwise.metrics._ranking import Ranking
from rankwise.metrics.comparison._statistics import blocks
from rankwise.types import FloatArray, IntArray

MAX_DRAWN_ROWS = 20_000_000
"""Rows of all samples together, one or two seconds of work: a list of 10,000 rows is drawn 2,000 times."""

MIN_SAMPLES = 50
"""However long the list is; they tell the standard deviation to a tenth."""


class RowSamples:
    """Samples of the rows of one list; which rows they hold depends on its labels and the seed alone.

    So the same rows are drawn for every system, which makes the differences of two systems paired.
    """

    def __init__(self, labels: FloatArray) -> None:
        _, stratum = np.unique(labels, return_inverse=True)
        sizes = np.bincount(stratum)
        self._rows = np.argsort(stratum, kind="stable")  # by label
        self._starts = np.concatenate(([0], np.cumsum(sizes)))
        self.smallest = int(sizes.min())
        self.n_labels = sizes.size

    def allowed(self, samples: int) -> int:
        """How many samples are drawn if so many are wanted."""
        return min(samples, max(MIN_SAMPLES, MAX_DRAWN_ROWS // self._rows.size))

    def rankings(
        self, order: IntArray, labels: FloatArray, scores: FloatArray, tied: bool, samples: int, random_state: int
    ) -> Iterator[Ranking]:
        """Samples as the queries of rankings, some at a time; `order` are the rows of the list from the top down.

        A row that is drawn twice follows itself, so only rows that were tied in the list need to be averaged.
        """
        n, done = order.size, 0
        rank_of_row = np.empty(n, dtype=np.int64)
        rank_of_row[order] = np.arange(n)
        places, labels, scores = rank_of_row[self._rows], labels[order], scores[order]
        seed = np.random.default_rng(random_state).integers(2**63, dtype=np.uint64)
        for count in blocks(samples, n):
            offsets = np.arange(count + 1, dtype=np.int64) * n
            drawn_labels, drawn_scores = np.empty(count * n), np.empty(count * n)
            retrieved = np.empty(count, dtype=np.int64)
            source, target = (seed, done, places, self._starts, labels, scores), (drawn_labels, drawn_scores, retrieved)
            tasks = [partial(draw_samples, *source, low, high, *target) for low, high in threads.chunks(offsets)]
            threads.run(tasks)
            yield Ranking(drawn_labels, drawn_scores, offsets, retrieved, np.full(count, tied))
            done += count
