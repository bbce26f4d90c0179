"""The best length of weights whose direction is settled.

Where all pairs can be told apart, rounding the hinge leaves the closest of them a little short of the margin, and a
large C makes much of it; longer weights cost next to nothing. Scores in another length have the same order, so that a
trial needs neither a sort nor a product with X.
"""

from __future__ import annotations

import numpy as np

from rankwise.rankers.pairs.svm._newton import Iterate, dot

TRIALS = 12
SHORTEST = 1e-9  # factor: no weights can be worse than hardly any
ENOUGH = 0.1  # of the gap: what a better length can no more than save


def stretch(at: Iterate, C: float, bound: float) -> tuple[float, float]:
    """The factor of least ½|factor·w|² + C · hinge, and that objective; `bound` is no more than any objective.

    The hinge is convex in the factor, so it lies above its tangents; the next factor is the best by the two tangents
    nearest to the least, one falling faster than the other.
    """
    square = dot(at.w, at.w)
    if square == 0.0:
        return 1.0, C * at.place.hinge
    best, objective, factor = 1.0, np.inf, 1.0
    below: tuple[float, float] | None = None  # tangents: height at factor 0, slope
    above: tuple[float, float] | None = None
    for _ in range(TRIALS):
        hinge, slope = at.place.stretched(factor)
        here = 0.5 * factor**2 * square + C * hinge
        if here < objective:
            best, objective = factor, here
        tangent = (hinge - factor * slope, slope)
        if factor * square + C * slope < 0.0:
            below = tangent
        else:
            above = tangent
        factor, least = _least(square, C, below, above)
        if objective - least <= ENOUGH * (objective - bound):
            break
    return best, objective


def _least(
    square: float, C: float, below: tuple[float, float] | None, above: tuple[float, float] | None
) -> tuple[float, float]:
    """Where ½ factor² · square + C · (the higher of two tangents) is least, and what it is there."""
    tangents = [tangent for tangent in (below, above) if tangent is not None]
    factors = [-C * slope / square for _, slope in tangents]
    if below is not None and above is not None and above[1] > below[1]:
        factors.append((below[0] - above[0]) / (above[1] - below[1]))
    value, factor = min(
        (0.5 * factor**2 * square + C * max(height + factor * slope for height, slope in tangents), factor)
        for factor in (max(factor, SHORTEST) for factor in factors)
    )
    return factor, value
