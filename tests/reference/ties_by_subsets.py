"""ERR of documents of equal score by its recursion over subsets, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def err_of_ties(stops: Sequence[float], start: int, places: int) -> float:
    """What the first `places` of a run behind `start` documents are worth in the mean over all its orders.

    A reader passes p documents with the mean over all p-subsets of the chance to pass each, for which one document
    after the other is added: a p-subset of c documents has the c-th with chance p/c.
    """
    means = [Fraction(1)] + [Fraction(0)] * len(stops)
    for c, stop in enumerate(map(Fraction, stops), start=1):
        for p in range(min(c, places), 0, -1):
            means[p] += Fraction(p, c) * ((1 - stop) * means[p - 1] - means[p])
    return float(sum((means[p - 1] - means[p]) / (start + p) for p in range(1, places + 1)))
