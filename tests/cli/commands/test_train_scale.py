"""`rankwise train` and `predict` on Parquet in passes, and on a cluster of two processes."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster
from pyarrow import parquet

import rankwise as rw
from rankwise.data import polynomial, write
from rankwise.rankers.trees.dask import _failure as failure
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SET
from tests.rankers.trees.dask.crashes import at_most

pytestmark = pytest.mark.slow

SOURCE = Path(rw.__file__).parents[1]
CTRL_C = """
import signal, sys
if __name__ == "__main__":
    # which a test run in the background may have been told to ignore
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from rankwise.cli import app
    from rankwise.rankers import _checkpoint as checkpoint
    checkpoint.SECONDS = 0.0
    app(sys.argv[1:])
"""
DATA = polynomial(queries=30, documents=15, features=4, seed=1)


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    order = np.random.default_rng(0).permutation(300)
    for number in range(3):
        write(DATA.rows(order[number * 100 : number * 100 + 100]), f"part.{number}.parquet")
    write(DATA.rows(order), "train.txt")
    for name in ("valid.parquet", "valid.txt"):
        write(DATA.rows(np.arange(300, 450)), name)


def trees(path: str) -> list[str]:
    return [booster.model_to_string() for booster in rw.load(path).boosters_]


def test_parquet_in_passes_is_the_model_of_the_same_rows_as_text(run: Run) -> None:
    streamed = run("train", "part.*.parquet", "--valid", "valid.parquet", "-o", "a.rw", "--json", *SET)
    held = run("train", "train.txt", "--valid", "valid.txt", "-o", "b.rw", "--json", *SET)
    mixed = run("train", "part.*.parquet", "--valid", "valid.txt", "-o", "c.rw", "--json", *SET)
    assert (streamed.exit_code, held.exit_code, mixed.exit_code) == (0, 0, 0), streamed.output
    assert trees("a.rw") == trees("b.rw") == trees("c.rw")
    told = [json.loads(result.stdout) for result in (streamed, held)]
    for name in ("rounds", "best_round", "train", "valid"):
        assert told[0][name] == told[1][name]
    assert run("predict", "a.rw", "part.*.parquet", "-o", "s.parquet").stdout == "s.parquet: 300 scores\n"
    run("predict", "a.rw", "train.txt", "-o", "s.txt")
    assert parquet.read_table("s.parquet")["score"].to_pylist() == list(map(float, Path("s.txt").read_text().split()))
    assert run("eval", "train.txt", "--scores", "s.parquet").exit_code == 0


def test_two_processes_of_this_machine(run: Run) -> None:
    spread = run(
        *("train", "part.*.parquet", "--valid", "valid.parquet", "-o", "a.rw", "--json", *SET, "--dask", "local:2")
    )
    assert (spread.exit_code, spread.stderr) == (0, ""), spread.output
    held = run("train", "train.txt", "--valid", "valid.txt", "-o", "b.rw", "--json", *SET)
    told, expected = json.loads(spread.stdout), json.loads(held.stdout)
    assert told["train"] is None
    assert told["valid"] == pytest.approx(expected["valid"])
    assert not [child for child in psutil.Process().children(recursive=True) if "spawn_main" in str(child.cmdline())]


def test_a_real_ctrl_c_reaches_all_processes_and_the_best_so_far_is_written(run: Run) -> None:
    many = ("--set", "n_estimators=3000", "--set", "early_stopping_rounds=none", "--set", "n_jobs=1")
    command = ("train", "part.*.parquet", "--valid", "valid.parquet", "-o", "a.rw", "--checkpoint", "run", *many)
    Path("main.py").write_text(CTRL_C)
    process = subprocess.Popen(
        [sys.executable, "main.py", *command, "--dask", "local:2"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with at_most(300):
        while not Path("run/training.npz").exists() and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, said = process.communicate()
    assert process.returncode == 130, said
    *_, first, second = said.splitlines()
    assert first == "rankwise: note: training was interrupted; the best rounds so far are kept"
    assert "stopped by Ctrl-C: a.rw holds the best so far" in second
    assert rw.load("a.rw").interrupted_


def test_a_worker_of_a_cluster_is_killed_and_training_resumed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure, "STUCK_SECONDS", 1.0)
    options: dict[str, Any] = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": "127.0.0.1:0",
        "silence_logs": logging.CRITICAL,
    }
    with LocalCluster(**options) as cluster, Client(cluster) as client, at_most(300):
        where = ("--dask", cluster.scheduler_address)
        command = ("train", "part.*.parquet", "--valid", "valid.parquet", "-o", "a.rw", *SET, "--checkpoint", "run")
        workers = client.run(os.getpid)

        @contextmanager
        def kills(_: int) -> Iterator[list[Any]]:
            yield [lambda number, values: os.kill(min(workers.values()), signal.SIGKILL) if number == 3 else None]

        with monkeypatch.context() as patched:
            patched.setattr(sys.modules["rankwise.cli.commands._train"], "progress_bar", kills)
            killed = run(*command, *where)
        assert_one_sentence(killed)
        assert "died after 3 rounds, which are in run/training.npz" in killed.stderr
        assert "(--resume --checkpoint run)" in killed.stderr
        assert not Path("a.rw").exists()
        client.wait_for_workers(2, timeout=60)
        resumed = run(*command, *where, "--resume", "--json")
        assert (resumed.exit_code, resumed.stderr) == (0, ""), resumed.output
        held = run("train", "train.txt", "--valid", "valid.txt", "-o", "b.rw", "--json", *SET)
        assert json.loads(resumed.stdout)["valid"] == pytest.approx(json.loads(held.stdout)["valid"])
        there = run("predict", "a.rw", "part.*.parquet", *where, "-o", "there.parquet")
        assert (there.stdout, there.stderr) == ("there.parquet: 300 scores\n", "")
    run("predict", "b.rw", "part.*.parquet", "-o", "here.txt")
    assert parquet.read_table("there.parquet")["score"].to_numpy() == pytest.approx(np.loadtxt("here.txt"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "train.txt", "-o", "m.rw", "--dask", "local:2"), "--dask reads Parquet, got train.txt"),
        (("train", "part.0.parquet", "-o", "m.rw", "--dask", "local:x"), "local:N needs a number of processes"),
        (
            ("train", "part.0.parquet", "-o", "m.rw", "--dask", "local:2", "--model", "rankboost"),
            "--dask trains lambda",
        ),
        (("train", "nothing*.parquet", "-o", "m.rw"), "no file matches nothing*.parquet"),
        (("train", "part.*.parquet", "-o", "part.1.parquet"), "part.1.parquet cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[object, ...], said: str) -> None:
    result = run(*arguments)
    assert_one_sentence(result)
    assert said in result.stderr
