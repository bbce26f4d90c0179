"""`tune`: every trial is what `cross_validate` says, the best is refitted, and what is odd is said."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import web
from rankwise.errors import DataError, MetricError
from rankwise.selection import _fold_fits, _samplers
from rankwise.selection._space import Choices, Range, as_space

DATA = web(queries=20, documents=12, features=5, seed=1)
TREES = rw.LambdaMART("ndcg@5", n_estimators=8, num_leaves=4, min_child_samples=5, n_jobs=1, random_state=0)


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_every_trial_is_a_cross_validation(sampler: Any) -> None:
    tuned = rw.tune(rw.RankSVM(), DATA, {"C": (0.01, 10.0, "log")}, "map", trials=5, folds=3, sampler=sampler)
    assert tuned.trials[0].params == {}
    for trial in tuned.trials:
        if trial.value is not None:
            model = rw.RankSVM(**trial.params)
            assert trial.value == rw.cross_validate(model, DATA, "map", folds=3)["map"]
    assert tuned.best.value == max(trial.value for trial in tuned.trials if trial.value is not None)
    assert np.array_equal(tuned.estimator.predict(DATA), rw.RankSVM(**tuned.best_params).fit(DATA).predict(DATA))


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_the_same_seed_is_the_same_search(sampler: Any) -> None:
    first, second = (
        rw.tune(TREES, DATA, {"num_leaves": (2, 9), "reg_lambda": [0.0, 5.0]}, trials=4, folds=2, sampler=sampler)
        for _ in range(2)
    )
    assert [(trial.params, trial.value) for trial in first.trials] == [(t.params, t.value) for t in second.trials]
    assert np.array_equal(first.estimator.predict(DATA), second.estimator.predict(DATA))


def test_rounds_of_the_refit_follow_from_the_median_of_the_folds() -> None:
    tuned = rw.tune(TREES, DATA, {"num_leaves": [3]}, trials=1, folds=3)
    rounds = [chosen["n_estimators"] for chosen in rw.cross_validate(TREES, DATA, folds=3).chosen]
    assert tuned.estimator.n_estimators == max(1, round(sorted(rounds)[1] * 3 / 2))
    assert TREES.n_estimators == 8


def test_a_value_chosen_in_each_fold_is_refitted_too() -> None:
    tuned = rw.tune(rw.RankSVM(C=[0.1, 1.0, 10.0]), DATA, {"pair_weighting": ["pairs"]}, trials=1, folds=3)
    chosen = sorted(fold["C"] for fold in rw.cross_validate(rw.RankSVM(C=[0.1, 1.0, 10.0]), DATA, folds=3).chosen)
    assert chosen[1] == tuned.estimator.C


class Reports:
    """A sampler that gives up on one trial, and remembers what it was told."""

    def __init__(self) -> None:
        self.asked, self.told, self.heard = 0, [], []  # type: ignore[var-annotated]

    def ask(self) -> dict[str, Any]:
        self.asked += 1
        return {"C": float(self.asked)}

    def is_hopeless(self, fold: int, value: float) -> bool:
        self.heard.append((self.asked, fold))
        return self.asked == 2 and fold == 1

    def tell(self, value: float | None) -> None:
        self.told.append(value)


def test_a_pruned_trial_ends_after_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Reports()
    monkeypatch.setattr("rankwise.selection._tune.make_sampler", lambda *a: sampler)
    tuned = rw.tune(rw.RankSVM(), DATA, {"C": [1.0]}, trials=4, folds=3)
    assert [trial.folds for trial in tuned.trials] == [3, 3, 2, 3]
    assert tuned.trials[2].note == "pruned after 2 of 3 folds"
    assert sampler.heard == [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]
    assert sampler.told == [trial.value for trial in tuned.trials[1:]]
    assert sampler.told[1] is None


def test_optuna_prunes_what_is_below_the_median() -> None:
    space = as_space({"C": (0.0, 1.0)}, {"C": 1})
    sampler = _samplers.TPESampler(space, 0)
    for value in (0.5, 0.6, 0.7, 0.6, 0.5):
        sampler.ask()
        assert not sampler.is_hopeless(0, value)
        sampler.tell(value)
    sampler.ask()
    assert not sampler.is_hopeless(0, 0.65)
    sampler.tell(0.65)
    sampler.ask()
    assert sampler.is_hopeless(0, 0.4)


def test_without_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_samplers, "find_spec", lambda name: None)
    assert isinstance(_samplers.make_sampler("auto", {}, 0), _samplers.RandomSampler)
    monkeypatch.setattr("rankwise.errors.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"optuna is not installed; run: pip install 'rankwise\[tune\]'"):
        rw.tune(rw.RankSVM(), DATA, {"C": [1.0]}, sampler="tpe")


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_a_small_space_is_tried_once(sampler: Any) -> None:
    tuned = rw.tune(rw.RankSVM(), DATA, {"C": [0.1, -1.0]}, trials=9, folds=2, sampler=sampler)
    assert len(tuned.trials) == 3
    failed = next(trial for trial in tuned.trials if trial.params == {"C": -1.0})
    assert failed.note.startswith("failed: C must be a number above 0")
    assert tuned.notes == ("the space has no more than 2 settings, all of which were tried",)


def test_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("rankwise.selection._stopwatch.time.monotonic", lambda: clock[0])
    fit = _fold_fits.fit_fold

    def slow(*arguments: Any) -> Any:
        clock[0] += 1.0
        result = fit(*arguments)
        return _fold_fits.FoldFit(result.scores, 1.0, 1.0, {})

    monkeypatch.setattr("rankwise.selection._tune.fit_fold", slow)
    tuned = rw.tune(rw.RankSVM(), DATA, {"C": (0.1, 1.0)}, trials=9, folds=2, budget=8.0)
    assert len(tuned.trials) == 3  # of 2 s each; a fourth and a refit would end at 9
    assert tuned.notes == ("3 of 9 trials fitted into the budget of 8 s; raise it for more",)


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def stop(number: int, values: dict[str, float]) -> None:
        if number == 3:
            raise KeyboardInterrupt

    tuned = rw.tune(rw.RankSVM(), DATA, {"C": (0.1, 1.0)}, trials=9, folds=2, callbacks=[stop])
    assert tuned.interrupted
    assert len(tuned.trials) == 3
    assert tuned.estimator.predict(DATA).shape == (len(DATA),)


def test_draws() -> None:
    rng = np.random.default_rng(0)
    whole = [Range(2, 5, False, True).draw(rng) for _ in range(4000)]
    counts = np.bincount(whole)[2:]
    assert counts.size == 4
    assert counts.min() > 900
    logs = np.log10([Range(1e-3, 1e3, True, False).draw(rng) for _ in range(2000)])
    assert abs(np.mean(logs)) < 0.15
    assert abs(np.mean(logs < -1.5) - 0.25) < 0.05
    assert {Choices((None, "l2")).draw(rng) for _ in range(50)} == {None, "l2"}


def test_what_it_says() -> None:
    tuned = rw.tune(TREES, DATA, {"init": [None, "l2"], "num_leaves": [2]}, trials=3, folds=2, sampler="random")
    plain = json.loads(json.dumps(tuned.to_dict(), allow_nan=False))
    assert plain["best"] in plain["trials"]
    header, rows = tuned.table()
    assert header == ("trial", "ndcg@5", "95% interval", "init", "num_leaves", "fit seconds")
    assert [float(row[1]) for row in rows] == sorted((float(row[1]) for row in rows), reverse=True)
    assert not math.isnan(tuned.trials[0].interval[0])


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({}, "name at least one"),
        ({"depth": [1]}, "space has the parameter 'depth', which the estimator lacks; name one of C, loss"),
        ({"C": (2.0, 1.0)}, "low below high"),
        ({"C": (0.0, 1.0, "log")}, "above 0 for log"),
        ({"C": []}, "a list of values"),
        ({"C": 3}, "a list of values"),
    ],
)
def test_spaces_that_are_refused(space: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rw.tune(rw.RankSVM(), DATA, space)


def test_what_else_is_refused() -> None:
    with pytest.raises(DataError, match="trials must be a whole number from 1 to 1000000, got 0"):
        rw.tune(rw.RankSVM(), DATA, {"C": [1.0]}, trials=0)
    with pytest.raises(MetricError, match="sampler must be one of auto, tpe, random"):
        rw.tune(rw.RankSVM(), DATA, {"C": [1.0]}, sampler="grid")  # type: ignore[arg-type]
