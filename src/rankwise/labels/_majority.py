"""One label an item, from all who judged it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.data.io._trec import UNJUDGED
from rankwise.types import FloatArray


def majority(items: Sequence[int], grades: Sequence[int], n_items: int) -> FloatArray:
    """The grade that most labellers gave to each item, of equally frequent ones the lowest; -1 where there is none.

    The lowest, because a relevant document is the rarer and the stronger claim: it needs a majority.

    >>> majority(items=[0, 0, 0, 2, 2], grades=[3, 1, 3, 4, 0], n_items=3)
    array([ 3., -1.,  0.])
    """
    labels = np.full(n_items, UNJUDGED)
    if len(items):
        judged, place = np.unique(items, return_inverse=True)
        votes = np.zeros((len(judged), max(grades) + 1), dtype=np.int64)
        np.add.at(votes, (place, np.asarray(grades)), 1)
        labels[judged] = votes.argmax(axis=1)  # the first of equal counts
    return labels
