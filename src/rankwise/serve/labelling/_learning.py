"""Rankers fitted on labelled rows, how good they are on other queries, and what the next round may add to that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from scipy.stats import linregress

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels import LabelRound
from rankwise.metrics import evaluate
from rankwise.rankers._base import Ranker
from rankwise.sampling import Pool
from rankwise.types import FloatArray

FOLDS = 5
GAIN_POINTS = 5
GAIN_MIN_POINTS = 3
GAIN_IN_WORDS = (
    f"the slope of a straight line through the last {GAIN_POINTS} points of the curve (at least {GAIN_MIN_POINTS}) "
    "over the logarithm of the number of labels, ± its standard error"
)


class StoppedError(Exception):
    """Fitting was given up because the program ends."""


def can_learn(data: RankingData) -> bool:
    """Whether some query has two different grades: a ranker learns from nothing less.

    >>> can_learn(RankingData([[0.0]] * 3, [1, 0, -1], qid=[1, 2, 2]))
    False
    """
    pool = Pool(data, data.y, None)
    return pool.can_learn(pool.labelled, data.y[pool.labelled])


@dataclass(frozen=True)
class Learner:
    """What is fitted after each round, and how it is evaluated: on `test`, or by cross-validation over queries."""

    make: Callable[[], Any]  # a new ranker, not fitted
    metric: str
    test: RankingData | None = None
    seed: int = 0

    @property
    def measure(self) -> str:
        """The name under which the store keeps the values; those of test data make a curve of their own."""
        return self.metric if self.test is None else f"{self.metric} on test data"

    @property
    def evaluated_on(self) -> str:
        """In words, for the page."""
        if self.test is not None:
            return f"test data of {self.test.groups.n_queries} queries"
        return f"labelled queries that it was not fitted on ({FOLDS}-fold cross-validation over queries)"

    def fit(self, data: RankingData, stop: Event) -> Ranker:
        """A ranker fitted on the rows that have a label: to a ranker, one without would be irrelevant."""

        def give_up(number: int, values: dict[str, float]) -> None:
            if stop.is_set():
                raise StoppedError

        rows = data.rows(np.flatnonzero(data.y >= 0))
        ranker: Ranker = self.make().fit(rows, callbacks=[give_up])
        return ranker

    def value(self, ranker: Ranker, data: RankingData, stop: Event) -> float | None:
        """The metric of a ranker fitted on `data`, None where it cannot be told yet."""
        scores: FloatArray | None
        if self.test is not None:
            eval_set = self.test.rows(self.test.y >= 0)
            scores = ranker.predict(eval_set)
        else:
            eval_set = data.rows(np.flatnonzero(data.y >= 0))
            scores = self._held_out_scores(data, stop)
        if scores is None:
            return None
        value = float(evaluate(eval_set.y, scores, eval_set.qid, self.metric)[self.metric])
        return value if math.isfinite(value) else None

    def _held_out_scores(self, data: RankingData, stop: Event) -> FloatArray | None:
        """Scores of the labelled rows, each by a ranker of the other folds; None if one of these cannot be fitted."""
        labelled = np.flatnonzero(data.y >= 0)
        # A query stays in its fold from round to round, or the curve would also show how folds are drawn.
        fold_of_query = np.random.default_rng(self.seed).permutation(data.groups.n_queries) % FOLDS
        fold = fold_of_query[data.groups.query_of_row()[labelled]]
        scores = np.empty(labelled.size)
        for held_out in np.unique(fold):
            train = labelled[fold != held_out]
            if train.size == 0 or not can_learn(data.rows(train)):
                return None
            try:
                ranker = self.fit(data.rows(train), stop)
            except DataError:  # trees need some dozens of rows
                return None
            scores[fold == held_out] = ranker.predict(data.rows(labelled[fold == held_out]))
        return scores


@dataclass(frozen=True)
class CurvePoint:
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


def learning_curve(rounds: Sequence[LabelRound], measure: str) -> list[CurvePoint]:
    """The points that rounds have of a measure."""
    return [CurvePoint(r.number, r.labelled, r.metrics[measure]) for r in rounds if measure in r.metrics]


def expected_gain(curve: Sequence[CurvePoint], n_labels: int) -> Gain | None:
    """What so many labels should add if the metric grows with the logarithm of labels as it last did.

    None before there are three points with different numbers of labels.

    >>> gain = expected_gain([CurvePoint(1, 10, 0.3), CurvePoint(2, 20, 0.4), CurvePoint(3, 40, 0.5)], n_labels=40)
    >>> round(gain.value, 6), round(gain.error, 6)
    (0.1, 0.0)
    """
    recent = [point for point in curve if point.labels > 0][-GAIN_POINTS:]
    if len({point.labels for point in recent}) < GAIN_MIN_POINTS or n_labels < 1:
        return None
    line = linregress(np.log([point.labels for point in recent]), [point.value for point in recent])
    step = math.log1p(n_labels / recent[-1].labels)
    return Gain(float(line.slope) * step, float(line.stderr) * step, n_labels)
