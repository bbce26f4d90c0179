"""What all runs of a simulation share: data, checked and grouped once, a ranker, and the metrics that evaluate it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, clone

from rankwise.data import RankingData
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, evaluate
from rankwise.metrics._names import parse_all
from rankwise.rankers import RankSVM
from rankwise.sampling._base import check_count
from rankwise.types import FloatArray

MIN_RELEVANT_LABEL = 1.0


@dataclass(frozen=True, eq=False)
class Experiment:
    """What all runs share. The labels of `data` are hidden (−1), so that no sampler can see what is in `truth`."""

    data: RankingData
    truth: FloatArray
    test: RankingData
    ranker: BaseEstimator
    metrics: tuple[Metric, ...]
    rounds: int
    per_query: int
    start: tuple[int, int]

    def fit(self, labels: FloatArray, random_state: int) -> BaseEstimator:
        """The ranker, fitted on the rows that have a label: to a ranker one without is irrelevant."""
        rows = np.flatnonzero(labels >= 0)
        ranker = clone(self.ranker)
        if ranker.get_params(deep=False).get("random_state", 0) is None:
            ranker.set_params(random_state=random_state)
        ranker.fit(self.data.X[rows], labels[rows], qid=self.data.qid[rows])
        if getattr(ranker, "interrupted_", False):
            raise KeyboardInterrupt  # our rankers take Ctrl-C as the end of their own training only
        return ranker

    def evaluate(self, ranker: BaseEstimator) -> dict[str, float]:
        """The metrics of a fitted ranker on the test data."""
        return evaluate(self.test.y, ranker.predict(self.test.X), self.test.qid, self.metrics).means

    def evaluate_full(self) -> dict[str, float]:
        """The metrics with all labels."""
        values = self.evaluate(self.fit(self.truth, 0))
        for metric, value in values.items():
            if np.isnan(value):
                raise DataError(f"{metric} has no value on the test data: it suits none of the queries; name another")
        return values


def make_experiment(
    data: RankingData,
    test: RankingData,
    ranker: BaseEstimator | None,
    rounds: int,
    per_query: int,
    start: tuple[int, int],
    metrics: str | Metric | Iterable[str | Metric],
) -> tuple[Experiment, list[str]]:
    """The arguments of `simulate`, checked and grouped once for all runs, and notes on them."""
    for name, value in (("data", data), ("test", test)):
        if not isinstance(value, RankingData):
            raise DataError(f"{name} must be a RankingData, got {type(value).__name__}; make one or use rankwise.read")
    if data.n_features != test.n_features:
        raise ShapeError(f"data and test must have the same features, got {data.n_features} and {test.n_features}")
    check_count("rounds", rounds, 1, example=5)
    check_count("per_query", per_query, 1, example=5)
    start, notes = check_start(start), []
    has_label = data.y >= 0
    if not has_label.all():
        notes.append(f"{np.count_nonzero(~has_label)} of {len(data)} rows have no label and were left out")
        if not has_label.any():
            raise DataError("no row of the data has a label, so there are none to give; pass labelled data")
        data = data.rows(has_label)
    hidden = RankingData(data.X, np.full(len(data), -1.0), data.groups.query_of_row())
    if not (first_labels(data.y, hidden.groups, start, np.random.default_rng(0)) >= 0).any():
        raise DataError(f"no document has a label to start with, got start={start}; ask for documents that there are")
    relevant = np.bincount(hidden.qid, weights=data.y >= MIN_RELEVANT_LABEL)
    short = np.count_nonzero((relevant < start[0]) | (hidden.groups.sizes - relevant < start[1]))
    if short:
        notes.append(
            f"{short} of {hidden.groups.n_queries} queries have fewer than {start[0]} relevant or {start[1]} other "
            "documents, and start with those they have"
        )
    test = RankingData(test.X, test.y, test.groups.query_of_row())
    parsed = tuple(parse_all(metrics).values())
    return Experiment(hidden, data.y, test, _unfitted(ranker), parsed, int(rounds), int(per_query), start), notes


def check_start(start: tuple[int, int]) -> tuple[int, int]:
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
    """Labels of random documents of each query, so many relevant and so many others or what it has; −1 elsewhere.

    >>> groups = QueryGroups.from_sizes([4, 2])
    >>> labels = first_labels(np.array([2.0, 0, 0, 0, 0, 0]), groups, (1, 2), np.random.default_rng(0))
    >>> float(labels[0]), np.sort(labels[1:4]), labels[4:]
    (2.0, array([-1.,  0.,  0.]), array([0., 0.]))
    """
    query, numbers = groups.query_of_row(), rng.random(truth.size)
    labels = np.full(truth.size, -1.0)
    is_relevant = truth >= MIN_RELEVANT_LABEL
    for mask, count in zip((is_relevant, ~is_relevant), start, strict=True):
        rows = np.flatnonzero(mask)
        rows = rows[np.lexsort((numbers[rows], query[rows]))]
        place = np.arange(rows.size) - np.searchsorted(query[rows], query[rows])
        chosen = rows[place < count]
        labels[chosen] = truth[chosen]
    return labels


def _unfitted(ranker: BaseEstimator | None) -> BaseEstimator:
    try:
        unfitted = clone(RankSVM() if ranker is None else ranker)
    except TypeError:
        unfitted = None
    if not (hasattr(unfitted, "fit") and hasattr(unfitted, "predict")):
        raise DataError(
            f"ranker must be a scikit-learn estimator that predicts, got {ranker!r}; pass one like RankSVM()"
        )
    return unfitted
