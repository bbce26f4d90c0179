"""What all runs of a simulation share: data, checked and grouped once, a ranker, and the metrics that evaluate it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Literal, get_args

import numpy as np
from sklearn.base import BaseEstimator, clone

from rankwise._validation import check_whole
from rankwise.data import RankingData
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, evaluate
from rankwise.metrics._names import parse_all
from rankwise.rankers import RankSVM
from rankwise.sampling._base import check_count
from rankwise.sampling.simulation._answers import Answers
from rankwise.types import FloatArray

MIN_RELEVANT_LABEL = 1.0
MAX_ROUNDS = 10**6
Answer = Literal["grades", "order"]


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
    answer: Answer = "grades"

    def first_answers(self, rng: np.random.Generator) -> Answers:
        """What is known before the first round."""
        answers = Answers(self.truth, self.data.groups, orders=self.answer == "order")
        answers.give(np.flatnonzero(first_labels(self.truth, self.data.groups, self.start, rng) >= 0))
        return answers

    def fit(self, answers: Answers, random_state: int) -> BaseEstimator:
        """The ranker, fitted on the rows that have a label: to a ranker one without is irrelevant."""
        rows = np.flatnonzero(answers.labels >= 0)
        ranker = clone(self.ranker)
        if ranker.get_params(deep=False).get("random_state", 0) is None:
            ranker.set_params(random_state=random_state)
        ranker.fit(self.data.X[rows], answers.labels[rows], qid=answers.lists[rows])
        if getattr(ranker, "interrupted_", False):
            raise KeyboardInterrupt  # our rankers take Ctrl-C as the end of their own training only
        return ranker

    def evaluate(self, ranker: BaseEstimator) -> dict[str, float]:
        """The metrics of a fitted ranker on the test data."""
        return evaluate(self.test.y, ranker.predict(self.test.X), self.test.qid, self.metrics).means

    def evaluate_full(self) -> dict[str, float]:
        """The metrics with all labels, as grades."""
        everything = Answers(self.truth, self.data.groups, orders=False)
        everything.give(np.arange(self.truth.size))
        values = self.evaluate(self.fit(everything, 0))
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
    answer: str,
) -> tuple[Experiment, list[str]]:
    """The arguments of `simulate`, checked and grouped once for all runs, and notes on them."""
    for name, value in (("data", data), ("test", test)):
        if not isinstance(value, RankingData):
            raise DataError(f"{name} must be a RankingData, got {type(value).__name__}; make one or use rankwise.read")
    if data.n_features != test.n_features:
        raise ShapeError(f"data and test must have the same features, got {data.n_features} and {test.n_features}")
    check_whole("rounds", rounds, 1, MAX_ROUNDS)
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
    shared = (parsed, int(rounds), int(per_query), start, check_answer(answer))
    return Experiment(hidden, data.y, test, _unfitted(ranker), *shared), notes


def check_answer(answer: str) -> Answer:
    """What labelling gives: the grade of each document, or the order of those that were chosen together."""
    for known in get_args(Answer):
        if isinstance(answer, str) and answer == known:
            return known  # type: ignore[no-any-return]
    raise DataError(f"answer must be one of {', '.join(get_args(Answer))}, got {answer!r:.100}; name one of these")


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


def _takes_queries(ranker: BaseEstimator) -> bool:
    parameters = signature(ranker.fit).parameters
    return "qid" in parameters or any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())


def _unfitted(ranker: BaseEstimator | None) -> BaseEstimator:
    try:
        unfitted = clone(RankSVM() if ranker is None else ranker)
    except TypeError:
        unfitted = None
    if not (hasattr(unfitted, "fit") and hasattr(unfitted, "predict") and _takes_queries(unfitted)):
        raise DataError(
            f"ranker must be an estimator that predicts, and that is fitted by qid, got {ranker!r:.100}; "
            "pass one like RankSVM()"
        )
    return unfitted
