"""Suehiro 2011's benchmark on stand-ins: what it calls best and chosen, rounds out of one fit, resuming, values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.papers import suehiro_run, suehiro_times
from benchmarks.papers.suehiro_methods import GAP, HEURISTIC, Method, methods
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


def unit(method: Method, draw: int = 1, nested: bool = False, data: str = "made") -> suehiro_run.Unit:
    return suehiro_run.Unit("made", data, method.name, draw, lambda seed: DATA, lambda: {method.name: method}, nested)


COLUMNS = Method("one column", tuple(range(10)), OneColumn)


def test_the_best_candidate_sees_the_test_rows() -> None:
    """As the paper chooses: the highest mean over the test folds, for each draw; noise and training rows beside it."""
    measured = suehiro_run.measure(unit(COLUMNS))
    summary = suehiro_run.summary([measured])
    parts = list(suehiro_run.folds(DATA, 1))
    means = {f"{c}": np.mean([suehiro_run.auc(test.y, test.X[:, c]) for _, test in parts]) for c in range(10)}
    best = max(means, key=means.__getitem__)
    assert summary["auc"]["best candidates"] == [best]
    assert summary["auc"]["best"] == {"mean": pytest.approx(means[best], abs=1e-7), "half": None}
    one = measured["candidates"]["3"]
    assert one["train auc"] == [round(suehiro_run.auc(train.y, train.X[:, 3]), 8) for train, _ in parts]
    assert one["without noise"] == [round(suehiro_run.auc(test.clean, test.X[:, 3]), 8) for _, test in parts]
    assert summary["true function"]["mean"] == pytest.approx(suehiro_run.auc(DATA.y, DATA.clean), abs=0.05)
    assert "chosen" not in summary["auc"]


def test_other_draws_choose() -> None:
    """Each draw has the candidate that is best in the others; the interval is Student's."""
    aucs = np.array([[0.9, 0.8], [0.6, 0.8], [0.5, 0.7], [0.9, 0.6]])
    draws = [{"draw": k, "candidates": {"a": {"auc": [a]}, "b": {"auc": [b]}}, "true function": []}
             for k, (a, b) in enumerate(aucs)]  # fmt: skip
    chosen = []
    for k in range(4):
        others = np.delete(aucs, k, axis=0).mean(axis=0)
        chosen.append(aucs[k, int(others[1] > others[0])])
    value = suehiro_run.summary(draws)["auc"]["chosen"]
    assert value["mean"] == pytest.approx(np.mean(chosen))
    low, high = stats.t.interval(0.95, 3, np.mean(chosen), stats.sem(chosen))
    assert value["half"] == pytest.approx((high - low) / 2)


def test_a_part_of_the_training_rows_chooses() -> None:
    measured = suehiro_run.measure(unit(COLUMNS, nested=True))
    chosen = []
    for train, test in suehiro_run.folds(DATA, 1):
        held = next(suehiro_run.folds(train, 1, number=4))[1]
        column = max(range(10), key=lambda c, held=held: suehiro_run.auc(held.y, held.X[:, c]))  # type: ignore[misc]
        chosen.append(suehiro_run.auc(test.y, test.X[:, column]))
    assert suehiro_run.summary([measured])["auc"]["chosen"]["mean"] == pytest.approx(np.mean(chosen), abs=1e-7)


@pytest.mark.parametrize("rounds", [40, 6])
def test_rounds_come_out_of_one_fit(rounds: int) -> None:
    """A model that stopped after 6 rounds keeps its last scores."""
    method = Method("staged", (3, 5, 40), lambda most: OneColumn(rounds=min(most, rounds)), staged=True)
    fits = list(method.fits(DATA, DATA))
    assert [fit.candidate for fit in fits] == [3, 5, 40]
    for fit in fits:
        np.testing.assert_array_equal(fit.test, DATA.X[:, : int(min(fit.candidate, rounds))].sum(axis=1))


def test_what_is_there_is_not_measured_again(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(suehiro_run.harness, "RESULTS", tmp_path)
    units = [unit(COLUMNS, draw, data=data) for data in ("one", "two") for draw in (0, 1)]
    for one in (units[1], units[0], units[2]):
        suehiro_run.keep(one, suehiro_run.measure(one))
    assert [suehiro_run.is_done(one) for one in units] == [True, True, True, False]
    rows = suehiro_run.rows_of("made")
    assert [(row["data"], [draw["draw"] for draw in row["draws"]]) for row in rows] == [("one", [0, 1]), ("two", [0])]
    assert rows[0]["summary"] == suehiro_run.summary(rows[0]["draws"])
    suehiro_run.keep(units[0], suehiro_run.measure(units[0]))
    assert [len(row["draws"]) for row in suehiro_run.rows_of("made")] == [2, 1]


def test_margins_have_the_hypotheses_of_the_paper_and_the_gap_stated() -> None:
    """Variables without their negatives; programs solved to the gap."""
    known = methods((5, 10, 20), negatives=False)
    method = Method("ours", (0.3,), known[HEURISTIC].make)
    measured = suehiro_run.measure(unit(method))
    assert max(measured["candidates"]["0.3"]["gap"]) <= GAP
    assert known[HEURISTIC].make(0.3).negatives is False
    assert known["RankBoost"].candidates == (5,)
    assert known["RankBoost for longer"].candidates == (10, 20)


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
