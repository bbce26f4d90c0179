"""Rankers put to the test: rows to learn from, fits whose failure is a sentence, and what several checks assert."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rankwise.data import RankingData, polynomial
from rankwise.errors import RankwiseError
from rankwise.metrics import evaluate
from rankwise.rankers._base import Ranker
from rankwise.types import FloatArray, JsonObject


@cache
def train_and_test() -> tuple[RankingData, RankingData]:
    """Rows to learn from, and others."""
    data = polynomial(queries=30, documents=10, features=5, grades=3, seed=1)
    return data.rows(np.arange(200)), data.rows(np.arange(200, 300))


def class_name(ranker: object) -> str:
    """What messages call a ranker."""
    return type(ranker).__name__


@contextmanager
def must_work(ranker: object, what: str) -> Iterator[None]:
    """Whatever the block raises is what the ranker does not do."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as problem:
        raise AssertionError(f"{class_name(ranker)} does not {what}: {type(problem).__name__}: {problem}") from problem


def unfitted(ranker: Ranker) -> Ranker:
    """An unfitted copy with a fixed seed, if it has one at all."""
    with must_work(ranker, "clone"):
        copy: Ranker = clone(ranker)
        if "random_state" in copy.get_params(deep=False):
            copy.set_params(random_state=0)
    return copy


def fitted(ranker: Ranker, X: FloatArray, y: ArrayLike, qid: ArrayLike | None, what: str) -> Ranker:
    """A new model of these rows."""
    model = unfitted(ranker)
    with must_work(ranker, f"fit {what}"):
        model.fit(X, y, qid=qid)
    return model


def fitted_on_train(ranker: Ranker) -> Ranker:
    """A new model of the training rows."""
    train, _ = train_and_test()
    return fitted(ranker, train.X, train.y, train.qid, "plain rows")


def scores_after_fit(ranker: Ranker, X: FloatArray, y: ArrayLike, qid: ArrayLike | None, what: str) -> FloatArray:
    """Scores that a new model of these rows gives to others."""
    model = fitted(ranker, X, y, qid, what)
    with must_work(ranker, f"predict after fitting {what}"):
        return np.asarray(model.predict(train_and_test()[1].X))


def assert_same_scores(ranker: Ranker, variants: Iterable[tuple[str, FloatArray, ArrayLike, ArrayLike | None]]) -> None:
    """Variants of the training rows, each with its name, features, labels and queries, give the same scores."""
    train, _ = train_and_test()
    expected = scores_after_fit(ranker, train.X, train.y, train.qid, "plain rows")
    for what, X, y, qid in variants:
        same = np.array_equal(scores_after_fit(ranker, X, y, qid, what), expected)
        assert same, f"{class_name(ranker)} gives other scores for {what}"


def assert_keeps(ranker: Ranker, params: JsonObject, by: str) -> None:
    """The parameters are the very objects that were passed."""
    current = ranker.get_params(deep=False)
    changed = [name for name, value in params.items() if current.get(name) is not value]
    assert not changed, f"{class_name(ranker)} does not keep {', '.join(changed)} as passed, by {by}"


def assert_learns(model: Ranker, rows: RankingData, what: str) -> None:
    """The model ranks these rows better than equal scores do."""
    with must_work(model, f"predict {what}"):
        scores = model.predict(rows.X)
    value, equal = (evaluate(rows, s, metrics=model.metric)[model.metric] for s in (scores, 0.0 * rows.y))
    assert value > equal, f"{class_name(model)} ranks {what} no better than equal scores do: {value} against {equal}"


def assert_unfitted(ranker: object, what: str, call: Callable[[], object]) -> None:
    """The call raises scikit-learn's NotFittedError."""
    demand = f"{what} of an unfitted {class_name(ranker)} must raise NotFittedError"
    try:
        call()
    except NotFittedError:
        return
    except Exception as problem:
        raise AssertionError(f"{demand}, not {type(problem).__name__}") from problem
    raise AssertionError(f"{demand}, but it works")


def assert_refused(ranker: object, what: str, call: Callable[[], object]) -> None:
    """The call raises a RankwiseError of one sentence."""
    try:
        call()
    except RankwiseError as problem:
        message = str(problem)
        is_one_sentence = message and "\n" not in message and not re.search(r"[.!?]\s+[A-Z]", message)
        assert is_one_sentence, f"{class_name(ranker)} must refuse {what} in one sentence, not by {message!r}"
        return
    except Exception as problem:
        kind = type(problem).__name__
        raise AssertionError(f"{class_name(ranker)} refuses {what} by {kind}, which is no RankwiseError") from problem
    raise AssertionError(f"{class_name(ranker)} does not refuse {what}")
