"""Threads share a store, processes open one each: every judgement arrives, and each chain of grades is whole."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.data import RankingData
from rankwise.errors import RankwiseError
from rankwise.labels import LabelStore

WRITER = """
import sys
from rankwise.labels import LabelStore
with LabelStore.open(sys.argv[1]) as store:
    for turn in range(int(sys.argv[3])):
        store.judge(turn % 6, turn % 5, sys.argv[2])
        store.judge(turn % 6, turn % 5, "everybody")
"""


def check_chains(store: LabelStore) -> None:
    """Each judgement's previous grade is the grade of the one before it: no two were written at once."""
    for item in range(6):
        held: dict[str, int | None] = {}
        for act in store.history(item):
            assert act.previous == held.get(act.labeller)
            held[act.labeller] = act.grade


def at_once(*tasks: Callable[[], object]) -> None:
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads(path: Path, store: LabelStore) -> None:
    failed: list[Exception] = []

    def write(to: LabelStore, who: str) -> None:
        try:
            for turn in range(20):
                to.judge(turn % 6, turn % 5, who)
                to.judge(turn % 6, turn % 5, "everybody")
                assert to.labels(who)[turn % 6] == turn % 5
        except Exception as problem:
            failed.append(problem)

    with LabelStore.open(path) as other:
        writers = {"a": store, "b": store, "c": other, "d": other}
        at_once(*(lambda who=who, to=to: write(to, who) for who, to in writers.items()))
    assert failed == []
    assert sum(len(store.history(item)) for item in range(6)) == 4 * 20 * 2
    check_chains(store)


@pytest.mark.slow
def test_processes(path: Path, store: LabelStore) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), who, "30"]) for who in "abc"]
    assert [writer.wait(timeout=600) for writer in writers] == [0, 0, 0]
    assert sum(len(store.history(item)) for item in range(6)) == 3 * 30 * 2
    assert store.labellers() == ["a", "b", "c", "everybody"]
    check_chains(store)


def test_a_round_begins_once(path: Path, store: LabelStore) -> None:
    outcomes: list[bool] = []

    def begin(to: LabelStore) -> None:
        try:
            to.begin_round(1, [0], sampler="top", ranker="ranksvm")
            outcomes.append(True)
        except RankwiseError:
            outcomes.append(False)

    with LabelStore.open(path) as other:
        at_once(*(lambda to=to: begin(to) for to in (store, other, store, other)))
    assert sorted(outcomes) == [False, False, False, True]
    assert len(store.rounds()) == 2


def test_one_of_many_creates_a_store(path: Path, data: RankingData) -> None:
    made: list[LabelStore] = []

    def create() -> None:
        try:
            made.append(LabelStore.create(path, data))
        except RankwiseError:
            return

    at_once(*[create] * 8)
    assert len(made) == 1
    assert len(made[0].data) == 6
    made[0].close()
