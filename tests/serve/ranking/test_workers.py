"""Several processes at one port: each picks up a new model, one that dies is replaced, and all end together."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.serve.ranking.factories import X, command
from tests.serve.ranking.load import Load, put, two_models

pytestmark = pytest.mark.slow

BODY = json.dumps({"features": X.tolist()}).encode()


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(6000):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("this was waited for in vain")


def test_workers(tmp_path: Path) -> None:
    scores = two_models(tmp_path)
    path = tmp_path / "m.rw"
    put(tmp_path / "one.rw", path)
    with command(path, "--workers", "2") as (process, client):
        load = Load(client, BODY, lambda status, said: status == 200)
        load.enough.set()
        for thread in load.start(threads=8, requests=10):
            thread.join()
        assert (load.wrong, list(load.versions.values())) == ([], [80])

        def counts(line: str) -> bool:
            return f"{line}\n" in client.send("GET", "/metrics")[1]

        def workers() -> set[int]:
            found = [one for one in psutil.Process(process.pid).children() if one.status() != psutil.STATUS_ZOMBIE]
            return {one.pid for one in found if "spawn_main" in " ".join(one.cmdline())}

        until(lambda: counts('rankwise_requests_total{route="/rank",status="200"} 80'))  # those of both together
        first = workers()
        assert len(first) == 2
        put(tmp_path / "two.rw", path)
        (new,) = set(scores) - set(load.versions)
        until(lambda: {client.rank(BODY)[1]["model"]["version"] for _ in range(20)} == {new})

        psutil.Process(min(first)).kill()
        until(lambda: len(workers() - first) == 1)  # the killed one may be listed for a moment yet
        until(lambda: len(workers()) == 2)
        last = workers()
        assert len(last - first) == 1
        assert client.rank(BODY)[1]["scores"] == scores[new]
        process.terminate()
        assert process.wait(300) == 0
        assert not [pid for pid in last if psutil.pid_exists(pid)]


def test_workers_do_not_outlive_a_first_process_that_is_killed(tree_file: Path) -> None:
    with command(tree_file, "--workers", "2") as (process, client):
        assert client.rank(BODY)[0] == 200
        workers = psutil.Process(process.pid).children()
        process.kill()
        assert psutil.wait_procs(workers, timeout=300)[1] == []
