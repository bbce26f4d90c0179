"""Rankers put to the test: rows to learn from, fits whose failure is a sentence, and what several checks assert."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rankwise.data import RankingData, cubic
from rankwise.errors import RankwiseError
from rankwise.metrics import evaluate
from rankwise.types import FloatArray


@cache
def made_rows() -> tuple[RankingData, RankingData]:
    """Rows to learn from, and others."""
    data = cubic(queries=30, documents=10, features=5, grades=3, seed=1)
    return data.rows(np.arange(200)), data.rows(np.arange(200, 300))


def name_of(ranker: object) -> str:
    """What messages call a ranker."""
    return type(ranker).__name__


@contextmanager
def works(ranker: object, what: str) -> Iterator[None]:
    """Whatever the block raises is what the ranker does not do."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as problem:
        raise AssertionError(f"{name_of(ranker)} does not {what}: {type(problem).__name__}: {problem}") from problem


def new(ranker: Any) -> Any:
    """An unfitted copy with a fixed seed, if it has one at all."""
    with works(ranker, "clone"):
        fresh = clone(ranker)
        return fresh.set_params(random_state=0) if "random_state" in fresh.get_params(deep=False) else fresh


def fitted(ranker: Any, X: Any, y: Any, qid: Any, what: str) -> Any:
    """A new model of these rows."""
    fresh = new(ranker)
    with works(ranker, f"fit {what}"):
        fresh.fit(X, y, qid=qid)
    return fresh


def usual(ranker: Any) -> Any:
    """A new model of the usual rows."""
    train, _ = made_rows()
    return fitted(ranker, train.X, train.y, train.qid, "plain rows")


def scores(ranker: Any, X: Any, y: Any, qid: Any, what: str) -> FloatArray:
    """Scores that a new model of these rows gives to others."""
    model = fitted(ranker, X, y, qid, what)
    with works(ranker, f"predict after fitting {what}"):
        return np.asarray(model.predict(made_rows()[1].X))


def assert_keeps(ranker: Any, given: dict[str, Any], by: str) -> None:
    """The parameters are the very objects that were given."""
    found = ranker.get_params(deep=False)
    changed = [name for name, value in given.items() if found.get(name) is not value]
    assert not changed, f"{name_of(ranker)} does not keep {', '.join(changed)} as given, by {by}"


def assert_learns(model: Any, rows: RankingData, what: str) -> None:
    """The model ranks these rows better than equal scores do."""
    with works(model, f"predict {what}"):
        found = model.predict(rows.X)
    value, equal = (evaluate(rows.y, one, rows.qid, model.metric)[model.metric] for one in (found, 0.0 * rows.y))
    assert value > equal, f"{name_of(model)} ranks {what} no better than equal scores do: {value} against {equal}"


def assert_unfitted(ranker: object, what: str, call: Callable[[], object]) -> None:
    """The call raises scikit-learn's NotFittedError."""
    said = f"{what} of an unfitted {name_of(ranker)} must raise NotFittedError"
    try:
        call()
    except NotFittedError:
        return
    except Exception as problem:
        raise AssertionError(f"{said}, not {type(problem).__name__}") from problem
    raise AssertionError(f"{said}, but it works")


def assert_refused(ranker: object, what: str, call: Callable[[], object]) -> None:
    """The call raises a RankwiseError of one sentence."""
    try:
        call()
    except RankwiseError as problem:
        said = str(problem)
        one_sentence = said and "\n" not in said and not re.search(r"[.!?]\s+[A-Z]", said)
        assert one_sentence, f"{name_of(ranker)} must refuse {what} in one sentence, not by {said!r}"
        return
    except Exception as problem:
        kind = type(problem).__name__
        raise AssertionError(f"{name_of(ranker)} refuses {what} by {kind}, which is no RankwiseError") from problem
    raise AssertionError(f"{name_of(ranker)} does not refuse {what}")
