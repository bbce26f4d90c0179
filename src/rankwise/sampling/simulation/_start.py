"""The first labels: what a labeller has before the first round."""

from __future__ import annotations

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError
from rankwise.types import FloatArray

RELEVANT = 1.0  # labels from here on are those of relevant documents


def checked_start(start: tuple[int, int]) -> tuple[int, int]:
    """How many relevant and how many other documents of each query have a label at the start."""
    try:
        relevant, others = (int(count) for count in start if count == int(count))
    except (TypeError, ValueError):
        relevant = others = -1
    if relevant < 0 or others < 0 or relevant + others == 0:
        raise DataError(
            f"start must be two whole numbers, of relevant and of other documents per query, got {start!r}; "
            "pass for example (1, 10)"
        )
    return relevant, others


def first_labels(
    truth: FloatArray, groups: QueryGroups, start: tuple[int, int], rng: np.random.Generator
) -> FloatArray:
    """Labels of documents drawn from each query, so many relevant and so many others or what it has; −1 elsewhere.

    >>> groups = QueryGroups.from_sizes([4, 2])
    >>> labels = first_labels(np.array([2.0, 0, 0, 0, 0, 0]), groups, (1, 2), np.random.default_rng(0))
    >>> float(labels[0]), np.sort(labels[1:4]), labels[4:]
    (2.0, array([-1.,  0.,  0.]), array([0., 0.]))
    """
    query, drawn = groups.query_of_row(), rng.random(truth.size)
    labels = np.full(truth.size, -1.0)
    for wanted, count in zip((truth >= RELEVANT, truth < RELEVANT), start, strict=True):
        rows = np.flatnonzero(wanted)
        rows = rows[np.lexsort((drawn[rows], query[rows]))]
        place = np.arange(rows.size) - np.searchsorted(query[rows], query[rows])
        chosen = rows[place < count]
        labels[chosen] = truth[chosen]
    return labels


def short_queries(truth: FloatArray, groups: QueryGroups, start: tuple[int, int]) -> int:
    """How many queries have too few documents of a kind for the start."""
    query = groups.query_of_row()
    relevant = np.bincount(query, weights=truth >= RELEVANT)
    return int(np.count_nonzero((relevant < start[0]) | (groups.sizes - relevant < start[1])))
