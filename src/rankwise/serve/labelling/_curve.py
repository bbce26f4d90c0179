"""The learning curve, and what the next round may add to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.labels import Round

LAST_POINTS = 5
FEWEST_POINTS = 3
GAIN_IN_WORDS = (
    f"the slope of a straight line through the last {LAST_POINTS} points of the curve (at least {FEWEST_POINTS}) "
    "over the logarithm of the number of labels, ± its standard error"
)


@dataclass(frozen=True)
class Point:
    """How good the ranker was that chose a round, and how many labels had taught it."""

    round: int
    labels: int
    value: float


@dataclass(frozen=True)
class Gain:
    """What so many more labels are expected to add to the metric; `error` is a standard error."""

    value: float
    error: float
    labels: int


def curve_of(rounds: Sequence[Round], measure: str) -> list[Point]:
    """The points that rounds have of a measure."""
    return [Point(r.number, r.labelled, r.metrics[measure]) for r in rounds if measure in r.metrics]


def expected_gain(curve: Sequence[Point], more: int) -> Gain | None:
    """What `more` labels should add if the metric grows with the logarithm of labels as it last did.

    None before there are three points with different numbers of labels.

    >>> gain = expected_gain([Point(1, 10, 0.3), Point(2, 20, 0.4), Point(3, 40, 0.5)], more=40)
    >>> round(gain.value, 6), round(gain.error, 6)
    (0.1, 0.0)
    """
    last = [point for point in curve if point.labels > 0][-LAST_POINTS:]
    if len({point.labels for point in last}) < FEWEST_POINTS or more < 1:
        return None
    x = np.log([point.labels for point in last])
    y = np.array([point.value for point in last])
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float((x - x.mean()) @ (y - y.mean())) / spread
    left = y - y.mean() - slope * (x - x.mean())
    error = math.sqrt(float(left @ left) / (len(last) - 2) / spread)
    step = math.log1p(more / last[-1].labels)
    return Gain(slope * step, error * step, more)
