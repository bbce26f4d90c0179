"""Ranges of queries and the threads that run them."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
import pytest

from rankwise.kernels import _threads as threads


@pytest.mark.parametrize("sizes", [[1], [5, 4], [30_000] * 7, [1] * 50_000, [200_000, 1, 1]])
def test_ranges_of_queries_are_all_of_them_once(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "3")
    ranges = threads.chunks(np.append(0, np.cumsum(sizes)))
    assert [q for low, high in ranges for q in range(low, high)] == list(range(len(sizes)))
    assert len(ranges) <= 4 * 3


def test_many_rows_are_split_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "2")
    ranges = threads.chunks(np.arange(0, 1_000_001, 100))
    assert [high - low for low, high in ranges] == [1250] * 8


def test_tasks_run_in_as_many_threads_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "2")
    barrier, names = threading.Barrier(2, timeout=60), []

    def meet() -> None:
        barrier.wait()
        names.append(threading.current_thread().name)

    threads.run([meet, meet])  # either alone would wait for the other
    assert len(set(names)) == 2
    with threads.limit_threads(1):
        assert threads.thread_count() == 1
        names.clear()
        threads.run([partial(names.append, threading.current_thread().name)] * 3)
    assert names == [threading.current_thread().name] * 3
    assert threads.thread_count() == 2


def test_an_error_of_a_task_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        threads.run([lambda: 1 / 0, lambda: None])


@pytest.mark.parametrize(("setting", "count"), [("3", 3), ("0", 1)])
def test_the_environment_sets_the_number(setting: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", setting)
    assert threads.thread_count() == count
