"""Suehiro 2011's benchmark on stand-ins: what it calls best and chosen, rounds out of one fit, parts measured anew,
values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.papers import suehiro_run, suehiro_times
from benchmarks.papers.suehiro_methods import Method
from tests.reference.margin_programs import soft_over_pairs

DATA = suehiro_times.r_of_k(200, "7:3", 8, 0.1, seed=0)


class OneColumn:
    """Ranks by one feature; with `rounds`, by the sum of as many."""

    def __init__(self, column: int = 0, rounds: int = 0) -> None:
        self.column, self.rounds = column, rounds

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, self.column]

    def staged_predict(self, X):
        yield from np.cumsum(X[:, : self.rounds], axis=1).T


def columns_of(rows, measure):
    return {c: np.mean([row[measure] for row in rows if row["candidate"] == c]) for c in range(10)}


def test_best_sees_the_test_rows_and_chosen_does_not() -> None:
    method = Method("one column", tuple(range(10)), OneColumn)
    rows = suehiro_run.cross_validate(method, DATA, seed=1)
    assert len(rows) == 50
    found = suehiro_run.summary(rows)
    means = columns_of(rows, "auc")
    assert found["auc"]["best candidate"] == max(means, key=means.get)
    assert found["auc"]["best"] == max(means.values())
    for number, (train, test) in enumerate(suehiro_run.folds(DATA, 1)):
        held = next(suehiro_run.folds(train, 1, number=4))[1]
        column = max(range(10), key=lambda c, held=held: suehiro_run.auc(held.y, held.X[:, c]))  # type: ignore[misc]
        assert found["chosen candidates"][number] == column
        assert found["auc"]["folds"][number] == suehiro_run.auc(test.y, test.X[:, column])
        assert found["without noise"]["folds"][number] == suehiro_run.auc(test.clean, test.X[:, column])
    assert found["true function"] == pytest.approx(suehiro_run.auc(DATA.y, DATA.clean), abs=0.05)


@pytest.mark.parametrize("rounds", [40, 6])
def test_rounds_come_out_of_one_fit(rounds: int) -> None:
    """A model that stopped after 6 rounds keeps its last scores."""
    method = Method("staged", (3, 5, 40), lambda most: OneColumn(rounds=min(most, rounds)), staged=True)
    for wanted, scores, _ in method.scores(DATA, DATA.X):
        np.testing.assert_array_equal(scores, DATA.X[:, : min(wanted, rounds)].sum(axis=1))


def test_a_part_measured_anew_leaves_the_others(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(suehiro_run.harness, "RESULTS", tmp_path)
    data = {"one": lambda seed: DATA, "two": lambda seed: DATA}
    first, second = Method("first", (0,), OneColumn), Method("second", (1,), OneColumn)
    suehiro_run.run("made", data, [first, second], 1, {"one": {"first": 0.5}}, keep=True)
    before = json.loads((tmp_path / "suehiro-made.json").read_text())["rows"]
    suehiro_run.run("made", {"two": data["two"]}, [Method("first", (2,), OneColumn)], 1, {}, keep=True)
    after = json.loads((tmp_path / "suehiro-made.json").read_text())["rows"]
    assert [(row["data"], row["method"]) for row in before] == [
        (name, method) for name in data for method in ("first", "second")
    ]
    assert before[0]["published"] == 0.5
    assert after[:-1] == [row for row in before if (row["data"], row["method"]) != ("two", "first")]
    assert after[-1]["chosen candidates"] == [2] * 5


@pytest.mark.parametrize("m", [30, 41])
def test_the_value_of_scores_is_that_of_the_pair_program(m: int) -> None:
    data = suehiro_times.r_of_k(m, "5:5", 3, 0.05, seed=2, N=12, k=10)
    plus, minus = data.X[data.y == 1], data.X[data.y == 0]
    found = soft_over_pairs(plus, minus, suehiro_times.EPSILON * len(plus) * len(minus))
    assert suehiro_times.pair_value(data.y, data.X @ found.alpha) == pytest.approx(found.value, abs=1e-7)


def test_a_name_that_is_not_there_is_refused() -> None:
    assert suehiro_run.picked("earn,acq", ("acq", "crude", "earn")) == ["acq", "earn"]
    with pytest.raises(SystemExit, match="no corn; there are acq, crude"):
        suehiro_run.picked("corn", ("acq", "crude"))
