"""Bags that are trained at once are those that are trained one after the other, bit for bit."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rankwise.rankers import LambdaMART
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.rankers.trees import _local as local
from rankwise.rankers.trees import _training as training
from tests.rankers.factories import EVAL_SET, TRAIN

OPTIONS: dict[str, Any] = {
    "n_estimators": 5, "num_leaves": 7, "bags": 3, "colsample_bytree": 0.5, "init": "l2", "early_stopping_rounds": 2,
    "random_state": 0,
}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"split_noise": 0.0},
    "noisy": {"split_noise": 1.0, "ranking_noise": 0.1, "query_subsample": 0.7},
    "symmetric": {"grow_policy": "symmetric"},
}


class KilledError(Exception):
    """Stands for the end of the process."""


def fitted(callback: Any = None, path: Path | None = None, **parameters: Any) -> LambdaMART:
    model = LambdaMART("ndcg@10", **{**OPTIONS, **parameters})
    callbacks = [] if callback is None else [callback]
    rows: dict[str, Any] = {"qid": TRAIN.qid, "eval_set": EVAL_SET, "checkpoint": path, "resume": path is not None}
    return model.fit(TRAIN.X, TRAIN.y, callbacks=callbacks, **rows)


def described(model: LambdaMART) -> tuple[list[str], Any]:
    return [booster.model_to_string() for booster in model.boosters_], model.evals_result_


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing(kind: str) -> None:
    alone = described(fitted(n_jobs=1, **KINDS[kind]))
    assert len(set(alone[0])) == 3
    for n_jobs in (2, 7):
        assert described(fitted(n_jobs=n_jobs, **KINDS[kind])) == alone


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_goes_on_with_other_threads(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "MAX_IO_SHARE", 1e9)

    def kill(after: int, number: int, _: Any) -> None:
        if number >= after:
            raise KilledError

    for after, n_jobs in ((4, 3), (9, 1), (15, 2), (24, 3)):
        with pytest.raises(KilledError):
            fitted(partial(kill, after), tmp_path / "run.npz", n_jobs=n_jobs, **KINDS[kind])
    resumed = fitted(None, tmp_path / "run.npz", n_jobs=2, **KINDS[kind])
    assert described(resumed) == described(fitted(n_jobs=1, **KINDS[kind]))


def test_rounds_are_numbered_in_the_thread_that_fits() -> None:
    seen: list[tuple[int, int]] = []
    model = fitted(lambda number, _: seen.append((number, threading.get_ident())), n_jobs=2, early_stopping_rounds=None)
    # Two bags in turns, in two stages of 5 rounds, then the third by itself.
    assert [number for number, _ in seen] == list(range(1, model.max_rounds(TRAIN.y, TRAIN.qid) + 1))
    assert {thread for _, thread in seen} == {threading.get_ident()}


@pytest.mark.parametrize(("stop_after", "rounds"), [(7, [4, 4]), (13, [7, 7]), (22, [10, 10])])
def test_ctrl_c_keeps_whole_bags_or_the_rounds_of_each(stop_after: int, rounds: list[int]) -> None:
    def interrupt(number: int, _: Any) -> None:
        if number == stop_after:
            raise KeyboardInterrupt

    model = LambdaMART("ndcg@10", **(OPTIONS | {"early_stopping_rounds": None}), n_jobs=2)
    model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, callbacks=[interrupt])
    assert model.interrupted_
    assert [booster.current_iteration() for booster in model.boosters_] == rounds


def test_ctrl_c_while_threads_grow_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes to the thread that waits; what the others grow meanwhile is no round of the model."""
    grow = training.BagRun.grow

    def interrupted(run: training.BagRun) -> list[float] | None:
        values = grow(run)
        if run.state.bag == 0 and run.n_rounds == 3:
            raise KeyboardInterrupt
        return values

    monkeypatch.setattr(training.BagRun, "grow", interrupted)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    model = fitted(n_jobs=3, early_stopping_rounds=None, init=None)
    assert model.interrupted_
    assert len(model.boosters_) == 3
    assert all(len(values["ndcg@10"]) == 3 for values in model.evals_result_.values())


def test_large_bags_are_trained_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    widths = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, n_threads: int, **options: Any) -> None:
            widths.append(n_threads)
            super().__init__(n_threads, **options)

    monkeypatch.setattr(training, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    fitted(n_jobs=3)
    monkeypatch.setattr(local, "MAX_ROWS_AT_ONCE", 2 * len(TRAIN))
    fitted(n_jobs=3)
    monkeypatch.setattr(local, "MAX_ROWS_AT_ONCE", len(TRAIN) - 1)
    fitted(n_jobs=3)
    assert widths == [3, 2]
