"""What all runs of a simulation share: data, checked and grouped once, a ranker, and what it is judged by."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from rankwise.data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, evaluate
from rankwise.metrics._names import parse_all
from rankwise.rankers import RankSVM
from rankwise.sampling.simulation._start import checked_start, first_labels, short_queries
from rankwise.types import FloatArray

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Trial:
    """What all runs share. The labels of `data` are hidden (−1), so that no sampler can see what is in `truth`."""

    data: RankingData
    truth: FloatArray
    test: RankingData
    ranker: Any
    metrics: tuple[Metric, ...]
    rounds: int
    per_query: int
    start: tuple[int, int]

    def fitted(self, labels: FloatArray, seed: int) -> Any:
        """The ranker, fitted on the rows that have a label: to a ranker one without is irrelevant."""
        rows = np.flatnonzero(labels >= 0)
        ranker = clone(self.ranker)
        if "random_state" in (settings := ranker.get_params(deep=False)) and settings["random_state"] is None:
            ranker.set_params(random_state=seed)
        log.addFilter(_is_of_use)
        try:
            ranker.fit(self.data.X[rows], labels[rows], qid=self.data.qid[rows])
        finally:
            log.removeFilter(_is_of_use)
        if getattr(ranker, "interrupted_", False):
            raise KeyboardInterrupt  # our rankers take Ctrl-C as the end of their own training only
        return ranker

    def judged(self, ranker: Any) -> dict[str, float]:
        """The metrics of a fitted ranker on the test data."""
        return evaluate(self.test.y, ranker.predict(self.test.X), self.test.qid, self.metrics).means

    def full(self) -> dict[str, float]:
        """The metrics with all labels."""
        found = self.judged(self.fitted(self.truth, 0))
        for metric, value in found.items():
            if np.isnan(value):
                raise DataError(f"{metric} has no value on the test data: it suits none of the queries; name another")
        return found


def make_trial(
    data: RankingData,
    test: RankingData,
    ranker: Any,
    rounds: int,
    per_query: int,
    start: tuple[int, int],
    metrics: str | Metric | Iterable[str | Metric],
) -> tuple[Trial, list[str]]:
    """What was given, checked and grouped once for all runs, and notes on it."""
    for name, given in (("data", data), ("test", test)):
        if not isinstance(given, RankingData):
            raise DataError(f"{name} must be a RankingData, got {type(given).__name__}; make one or use rankwise.read")
    if data.n_features != test.n_features:
        raise ShapeError(f"data and test must have the same features, got {data.n_features} and {test.n_features}")
    for name, count in (("rounds", rounds), ("per_query", per_query)):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise DataError(f"{name} must be a whole number from 1, got {count!r}; pass for example 5")
    start, notes = checked_start(start), []
    judged = data.y >= 0
    if not judged.all():
        notes.append(f"{np.count_nonzero(~judged)} of {len(data)} rows have no label and were left out")
        if not judged.any():
            raise DataError("no row of the data has a label, so there are none to give; pass labelled data")
        data = data.rows(judged)
    hidden = RankingData(data.X, np.full(len(data), -1.0), data.groups.query_of_row())
    if not (first_labels(data.y, hidden.groups, start, np.random.default_rng(0)) >= 0).any():
        raise DataError(f"no document has a label to start with, got start={start}; ask for documents that there are")
    short = short_queries(data.y, hidden.groups, start)
    if short:
        notes.append(
            f"{short} of {hidden.groups.n_queries} queries have fewer than {start[0]} relevant or {start[1]} other "
            "documents, and start with those they have"
        )
    test = RankingData(test.X, test.y, test.groups.query_of_row())
    asked = tuple(parse_all(metrics).values())
    return Trial(hidden, data.y, test, _unfitted(ranker), asked, int(rounds), int(per_query), start), notes


def _is_of_use(record: logging.LogRecord) -> bool:
    """Not that a ranker was interrupted and is kept: it is not."""
    return not record.getMessage().startswith("training was interrupted")


def _unfitted(ranker: Any) -> Any:
    try:
        found = clone(RankSVM() if ranker is None else ranker)
    except TypeError:
        found = None
    if not (hasattr(found, "fit") and hasattr(found, "predict")):
        raise DataError(
            f"ranker must be a scikit-learn estimator that predicts, got {ranker!r}; pass one like RankSVM()"
        )
    return found
