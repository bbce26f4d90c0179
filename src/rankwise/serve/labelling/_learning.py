"""Rankers fitted on labelled rows, and how good they are on queries that they have not seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import evaluate
from rankwise.sampling import Pool
from rankwise.types import FloatArray

FOLDS = 5


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
    """What is fitted after each round, and how it is judged: on `test`, or by cross-validation over queries."""

    make: Callable[[], Any]  # a new ranker, not fitted
    metric: str
    test: RankingData | None = None
    seed: int = 0

    @property
    def measure(self) -> str:
        """The name under which the store keeps the values; those of test data make a curve of their own."""
        return self.metric if self.test is None else f"{self.metric} on test data"

    @property
    def judged_on(self) -> str:
        """In words, for the page."""
        if self.test is not None:
            return f"test data of {self.test.groups.n_queries} queries"
        return f"labelled queries that it was not fitted on ({FOLDS}-fold cross-validation over queries)"

    def fit(self, data: RankingData, stop: Event) -> Any:
        """A ranker fitted on the rows that have a label: to a ranker, one without would be irrelevant."""

        def give_up(number: int, values: dict[str, float]) -> None:
            if stop.is_set():
                raise StoppedError

        rows = data.rows(np.flatnonzero(data.y >= 0))
        return self.make().fit(rows, callbacks=[give_up])

    def value(self, ranker: Any, data: RankingData, stop: Event) -> float | None:
        """The metric of a ranker fitted on `data`, None where it cannot be told yet."""
        scores: FloatArray | None
        if self.test is not None:
            judged = self.test.rows(self.test.y >= 0)
            scores = ranker.predict(judged)
        else:
            judged = data.rows(np.flatnonzero(data.y >= 0))
            scores = self._held_out_scores(data, stop)
        if scores is None:
            return None
        found = float(evaluate(judged.y, scores, judged.qid, self.metric)[self.metric])
        return found if math.isfinite(found) else None

    def _held_out_scores(self, data: RankingData, stop: Event) -> FloatArray | None:
        """Scores of the labelled rows, each by a ranker of the other folds; None if one of these cannot be fitted."""
        judged = np.flatnonzero(data.y >= 0)
        # A query stays in its fold from round to round, or the curve would also show how folds are drawn.
        drawn = np.random.default_rng(self.seed).permutation(data.groups.n_queries)
        fold = (drawn % FOLDS)[data.groups.query_of_row()[judged]]
        scores = np.empty(judged.size)
        for held_out in np.unique(fold):
            rest = judged[fold != held_out]
            if rest.size == 0 or not can_learn(data.rows(rest)):
                return None
            try:
                ranker = self.fit(data.rows(rest), stop)
            except DataError:  # trees need some dozens of rows
                return None
            scores[fold == held_out] = ranker.predict(data.rows(judged[fold == held_out]))
        return scores
