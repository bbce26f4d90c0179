"""Every parameter of every model: its range is stated and checked, and an absurd value is refused by a sentence."""

from __future__ import annotations

import inspect
import os
import signal
from typing import Any

import numpy as np
import pytest

import rankwise as rw
import rankwise.selection  # whose models become known by being imported
from rankwise.data import web
from rankwise.errors import DataError, MetricError, RankwiseError
from rankwise.rankers._base import model_kinds
from rankwise.rankers._parameters import SHARED, check_parameters
from tests.doc_tables import check_table, markdown

DATA = web(queries=4, documents=8, features=3, seed=1)
ABSURD: list[Any] = [
    None, True, -1, 0, 0.5, float("nan"), float("inf"), 1e300, 1e-300, 10**9, 2**63, 10**400, "x", "", "\ud800", b"x",
    [], {}, set(), [None], [float("nan")], [10**6] * 101, [[]], {None: 1}, np.float32("nan"), np.array([1, 2]),
    np.array("x"), 1 + 2j, object(), len, range(3), np.random.default_rng(0),
]  # fmt: skip


# Rankers that tests of the same process made are none of ours.
KINDS = [kind for kind, model in sorted(model_kinds().items()) if model.__module__.startswith("rankwise.")]


def parameters_of(kind: str) -> list[str]:
    return list(inspect.signature(model_kinds()[kind]).parameters)


def constraints_of(kind: str) -> dict[str, Any]:
    return SHARED | model_kinds()[kind]._parameter_constraints


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_has_a_range(kind: str) -> None:
    assert set(parameters_of(kind)) <= set(constraints_of(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_absurd_values_are_accepted_or_refused_by_a_sentence(kind: str) -> None:
    for name in parameters_of(kind):
        for value in ABSURD:
            model = model_kinds()[kind](**{name: value})
            said = _refusal(model)
            assert said.startswith(("", "there is no metric") if name == "objective" or not said else name), said
            assert len(said) < 600


def _refusal(model: Any) -> str:
    try:
        check_parameters(model)
    except (DataError, MetricError) as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("kind", ["ranksvm", "rankboost", "logistic", "lambdamart"])
def test_what_is_accepted_can_be_trained(kind: str) -> None:
    few = {"n_estimators": 2, "n_jobs": 1, "num_leaves": 3, "min_child_samples": 1, "grow_policy": "lossguide"}
    base = {name: value for name, value in few.items() if name in parameters_of(kind)}
    for name in parameters_of(kind):
        for value in ABSURD[:12] if name not in ("n_estimators", "bags") else ABSURD[:5]:
            model: Any = model_kinds()[kind](**base | {name: value})
            try:
                model.fit(DATA)
            except RankwiseError:
                continue
            assert np.isfinite(model.predict(DATA)).all(), (name, value)


def test_the_least_hessian_of_a_leaf_can_be_trained() -> None:
    """At 0 LightGBM fails on every other seed: it takes rounding for rows of a leaf."""
    few: dict[str, Any] = {"n_estimators": 2, "num_leaves": 3, "min_child_samples": 1, "grow_policy": "lossguide"}
    for seed in range(20):
        model = rw.LambdaMART(min_sum_hessian_in_leaf=1e-6, random_state=seed, n_jobs=1, **few)
        assert np.isfinite(model.fit(DATA).predict(DATA)).all()
    with pytest.raises(DataError, match="min_sum_hessian_in_leaf must be a number from 1e-06"):
        rw.LambdaMART(min_sum_hessian_in_leaf=0, **few).fit(DATA)


@pytest.mark.parametrize(
    "model",
    [
        rw.RankBoost(n_estimators=10**6),
        rw.SmoothRankBoost(n_estimators=10**6, early_stopping_rounds=None),
        # A seed, since by some draws of its noise no split of so few rows is worth making, and training ends at once.
        rw.LambdaMART(n_estimators=10**6, min_child_samples=1, early_stopping_rounds=None, n_jobs=1, random_state=0),
        rw.LambdaRank(epochs=10**6, hidden=()),
        rw.MarginRanker(epsilon=[1e-9, 0.5, 1.0], max_iter=10**9, tol=1e-300),
        rw.RankSVM(C=[1e-12, 1.0], max_iter=10**9, tol=1e-300),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_takes_forever_ends_at_ctrl_c(model: Any) -> None:
    """The signal is sent by the training itself, so that the test need not guess when it is at work."""
    rounds: list[int] = []

    def interrupt(number: int, _: object) -> None:
        rounds.append(number)
        if number == 2:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        model.fit(DATA, eval_set=DATA, callbacks=[interrupt])
    finally:
        signal.signal(signal.SIGINT, before)
    assert rounds[:2] == [1, 2]
    assert len(rounds) <= 3
    assert model.interrupted_ or len(rounds) == 2  # or it had come to its end


def test_the_ranges_in_the_document_are_those_checked() -> None:
    models: dict[tuple[str, str], list[str]] = {}
    for kind in KINDS:
        for name in parameters_of(kind):
            quoted = [text for one in constraints_of(kind)[name] for text in getattr(one, "quoted", None) or [str(one)]]
            models.setdefault((name, ", ".join(quoted)), []).append(kind)
    rows = [[f"`{name}`", text, ", ".join(kinds)] for (name, text), kinds in sorted(models.items())]
    check_table("docs/reliability.md", "ranges", markdown(["parameter", "may be", "of"], rows))
