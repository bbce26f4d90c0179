"""Budgets are kept, Ctrl-C keeps what is there, and a search that is killed ends as if it had not been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError, ModelFileError
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.selection import _search
from rankwise.selection._fold_fits import FoldFit, fit_fold
from rankwise.selection._search_state import SearchState
from rankwise.selection._stopwatch import Stopwatch
from tests.rankers.factories import TRAIN
from tests.selection.factories import TREES, small_auto

SOURCE = Path(__file__).parents[2]
MANY = {f"C={number}": rw.RankSVM("ndcg@5", C=float(number)) for number in range(1, 5)}


class Clock:
    """Fits take as many seconds as they are said to, whatever the machine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: dict[float, float]) -> None:
        self.now, self.seconds, self.fits = 0.0, seconds, 0
        monkeypatch.setattr("rankwise.selection._stopwatch.time.monotonic", lambda: self.now)
        monkeypatch.setattr(_search, "fit_fold", self.fit)

    def fit(self, estimator: Any, rows: Any, folds: Any, fold: int, metric: Any, callbacks: Any) -> FoldFit:
        result = fit_fold(estimator, rows, folds, fold, metric)
        for step in range(10):
            self.now += self.seconds[estimator.C] / 10
            for callback in callbacks:
                callback(step, {})
        self.fits += 1
        return FoldFit(result.scores, self.seconds[estimator.C], self.seconds[estimator.C], result.chosen)


def outcomes(model: rw.AutoRanker) -> dict[str, str]:
    return {entry.name: entry.outcome for entry in model.leaderboard_}


def test_what_would_not_end_in_time_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, {1.0: 1.0, 2.0: 1.0, 3.0: 4.0, 4.0: 1.0})
    model = small_auto(candidates=MANY, budget=10.5).fit(TRAIN)
    # Two candidates of two folds are 4 s; the first fold of the third takes 4, its second and a refit would take 4 + 8.
    assert outcomes(model)["C=3"] == "left out: it would take 12.0 s of 2.5 s left"
    assert outcomes(model)["C=4"].startswith("left out: it would take")
    assert clock.fits == 5
    assert clock.now <= 10.5
    assert set(model.weights_) <= {"C=1", "C=2"}


def test_a_fit_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, {1.0: 1.0, 2.0: 100.0, 3.0: 1.0, 4.0: 1.0})
    model = small_auto(candidates=MANY, budget=12.0).fit(TRAIN)
    assert outcomes(model)["C=2"] == "left out: a fit took more than what was left of 12 s"
    assert clock.now <= 12.0 + 10.0  # a step of it
    assert list(model.weights_) == ["C=1"]


def test_the_first_candidate_is_fitted_whatever_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, dict.fromkeys((1.0, 2.0, 3.0, 4.0), 50.0))
    model = small_auto(candidates=MANY, budget=1.0).fit(TRAIN)
    assert list(model.weights_) == ["C=1"]
    assert outcomes(model)["C=2"] == "left out: it would take 200.0 s of 0.0 s left"


@pytest.mark.parametrize(("max_fits", "tried"), [(1, 1), (5, 2), (6, 2), (7, 3), (100, 4)])
def test_fits_are_counted_with_those_to_all_rows(max_fits: int, tried: int) -> None:
    calls: list[int] = []
    model = small_auto(candidates=MANY, max_fits=max_fits)
    model.fit(TRAIN, callbacks=[lambda number, values: calls.append(number)])
    assert sum(entry.value is not None for entry in model.leaderboard_) == tried
    assert calls == list(range(1, 2 * tried + 1))
    assert model.max_rounds(TRAIN.y, TRAIN.qid) >= 2 * tried + 1


def test_compiling_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("rankwise.selection._stopwatch.time.monotonic", lambda: now[0])
    with Stopwatch(spent=1.0) as watch:
        now[0] = 2.0
        watch._on_compile(True)
        now[0] = 50.0
        assert watch.seconds == 3.0
        watch._on_compile(False)
        now[0] = 51.0
    assert watch.seconds == 4.0


def interrupt_at(number: int) -> Any:
    def callback(count: int, values: dict[str, float]) -> None:
        if count == number:
            raise KeyboardInterrupt

    return callback


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    file = tmp_path / "search.npz"
    model = small_auto(candidates=MANY).fit(TRAIN, callbacks=[interrupt_at(5)], checkpoint=file)
    assert model.interrupted_
    assert outcomes(model)["C=3"] == "stopped by Ctrl-C"
    assert set(model.weights_) <= {"C=1", "C=2"}
    resumed = small_auto(candidates=MANY).fit(TRAIN, checkpoint=file, resume=True)
    whole = small_auto(candidates=MANY).fit(TRAIN)
    assert not resumed.interrupted_
    assert resumed.leaderboard_.entries[0].name == whole.leaderboard_.entries[0].name
    assert np.array_equal(resumed.predict(TRAIN), whole.predict(TRAIN))
    with pytest.raises(KeyboardInterrupt):
        small_auto(candidates=MANY).fit(TRAIN, callbacks=[interrupt_at(1)])


class Interrupted(rw.RankSVM):
    """Trees, nets and linear models end by themselves on Ctrl-C, with the best so far."""

    def fit(self, X: Any, y: Any = None, **options: Any) -> Any:
        super().fit(X, y, **options)
        self.interrupted_ = self.C == 3.0
        return self


def test_a_fit_that_ctrl_c_ended_does_not_count() -> None:
    candidates = {f"C={number}": Interrupted("ndcg@5", C=float(number)) for number in range(1, 5)}
    model = small_auto(candidates=candidates).fit(TRAIN)
    assert model.interrupted_
    assert {entry.name for entry in model.leaderboard_ if entry.value is not None} == {"C=1", "C=2"}


def test_a_state_is_read_as_it_was_written() -> None:
    state = SearchState(
        {"a, b": [FoldFit(np.array([0.5, -1.0]), 1.0, 2.0, {"n_estimators": 7.5})], "c": []}, {"c": "left out"}
    )
    fields, arrays = state.to_arrays()
    again = SearchState.from_arrays(fields, arrays)
    assert again.dropped == state.dropped
    assert again.fits["c"] == []
    (fit,) = again.fits["a, b"]
    assert np.array_equal(fit.scores, [0.5, -1.0])
    assert (fit.cpu_seconds, fit.seconds, fit.chosen) == (1.0, 2.0, {"n_estimators": 7.5})


def test_a_checkpoint_of_other_data_or_candidates_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "search.npz"
    small_auto(candidates=MANY).fit(TRAIN, checkpoint=file)
    with pytest.raises(DataError, match="belongs to training with other data or parameters"):
        small_auto(candidates=dict(list(MANY.items())[:2])).fit(TRAIN, checkpoint=file, resume=True)
    other = rw.RankingData(TRAIN.X + 1, TRAIN.y, TRAIN.qid)
    with pytest.raises(DataError, match="belongs to training with other data or parameters"):
        small_auto(candidates=MANY).fit(other, checkpoint=file, resume=True)
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(ModelFileError, match="not a whole checkpoint"):
        small_auto(candidates=MANY).fit(TRAIN, checkpoint=file, resume=True)


SCRIPT = """
import sys
import rankwise as rw
from rankwise.rankers import _checkpoint as checkpoint
from tests.rankers.factories import TRAIN
from tests.selection.test_search import killed_search
checkpoint.CHECKPOINT_SECONDS, checkpoint.MAX_IO_SHARE = 0.0, 1e9
rw.save(killed_search().fit(TRAIN, checkpoint=sys.argv[1], resume=True), sys.argv[2])
"""


def killed_search() -> rw.AutoRanker:
    """Many fits, so that a kill comes before the last."""
    trees = {
        f"{leaves} leaves": rw.LambdaMART("ndcg@5", **TREES | {"num_leaves": leaves, "n_estimators": 60})
        for leaves in range(2, 12)
    }
    return small_auto(candidates={"linear": rw.RankSVM("ndcg@5"), **trees}, folds=3, random_state=None)


@pytest.mark.slow
def test_killed_twice_and_resumed_is_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out = tmp_path / "search.npz", tmp_path / "m.rw"
    counts = []
    for renewals in (1, 4):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(file), str(out)],
            env={**os.environ, "PYTHONPATH": f"{SOURCE / 'src'}:{SOURCE}"},
        )
        seen: set[int] = {file.stat().st_mtime_ns} if file.exists() else set()
        wanted = len(seen) + renewals
        while len(seen) < wanted and process.poll() is None:
            seen |= {file.stat().st_mtime_ns} if file.exists() else set()
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
        held = checkpoint.read_checkpoint(file, SearchState)
        assert held.state is not None
        counts.append(held.state.count)
    assert 1 <= counts[0] < counts[1] < 33
    fits: list[int] = []
    resumed = killed_search().fit(TRAIN, checkpoint=file, resume=True, callbacks=[lambda n, _: fits.append(n)])
    assert fits[0] == counts[1] + 1
    whole = killed_search()
    monkeypatch.setattr("rankwise.selection._auto_ranker.check_random_state", lambda _: Seed(held.seed))
    whole.fit(TRAIN)
    assert [(e.name, e.value, e.outcome) for e in resumed.leaderboard_] == [
        (e.name, e.value, e.outcome) for e in whole.leaderboard_
    ]
    assert np.array_equal(resumed.predict(TRAIN), whole.predict(TRAIN))


class Seed:
    """Draws the seed that an earlier run drew."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed

    def randint(self, high: int) -> int | None:
        return self.seed
