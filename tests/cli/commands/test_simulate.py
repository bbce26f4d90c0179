"""`rankwise simulate`: from files to a table, JSON and a picture; killed, stopped and resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_args

import pytest

import rankwise as rw
from rankwise.cli._options import RankerKind
from rankwise.data import web, write
from rankwise.rankers._base import Ranker, model_kinds
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence

SOURCE = Path(__file__).parents[3] / "src"
SMALL = ("simulate", "test.txt", "--test", "other.txt", "--start", "1,3", "--per-query", 2, "--rounds", 2, "--jobs", 1)
# So many runs that no process ends before it is stopped.
LONG = (*SMALL, "--seeds", 30, "--samplers", "top,random", "--json", "--checkpoint", "runs.json")
RUNS = Path("runs.json")

SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background may have been told to ignore it
from rankwise.cli import app
app(sys.argv[1:])
"""


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    write(web(queries=12, documents=15, features=5, seed=2), "other.txt")


def without_seconds(text: str) -> Any:
    told = json.loads(text)
    for sampler in told["samplers"].values():
        assert sampler.pop("seconds")
        assert sampler.pop("seconds_per_round")
    return told


def test_the_kinds_are_the_rankers_that_there_are() -> None:
    kinds = {name: cls for name, cls in model_kinds().items() if cls.__module__.startswith("rankwise.")}
    assert all(issubclass(kinds[name], Ranker) for name in get_args(RankerKind) if name in kinds)
    assert {name for name, cls in kinds.items() if issubclass(cls, Ranker)} <= set(get_args(RankerKind))


def test_the_table_the_relations_and_the_notes(run: Run) -> None:
    result = run(*SMALL, "--samplers", "lossmin, top", "--seeds", 2, "--metrics", "map auc", "--start", "1,12")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    header = "metric sampler start round 1 round 2 mean of rounds labels to 95% s/round"
    assert " ".join(lines[0].split()) == header
    assert [line.split()[:2] for line in lines[1:7]] == [
        ["map", "lossmin"], ["map", "top"], ["map", "all"], ["auc", "lossmin"], ["auc", "top"], ["auc", "all"],
    ]  # fmt: skip
    assert any(line.startswith("map: ") and "lossmin" in line and "top" in line for line in lines)
    assert any(line.split()[:4] == ["auc", "lossmin", "−", "top"] for line in lines)
    assert "queries have fewer than 1 relevant or 12 other documents" in lines[-1]


def test_the_json_is_what_python_gives(run: Run) -> None:
    result = run(*SMALL, "--seeds", 2, "--json", "--set", "C=0.5")
    found = rw.simulate(
        rw.read("test.txt"), rw.read("other.txt"), ranker=rw.RankSVM(C=0.5),
        rounds=2, per_query=2, seeds=2, start=(1, 3), n_jobs=1,
    )  # fmt: skip
    assert without_seconds(result.stdout) == without_seconds(json.dumps(found.to_dict()))


def test_another_ranker_on_another_metric(run: Run) -> None:
    trees = ("--ranker", "lambdamart", "--set", "n_estimators=3", "--set", "min_child_samples=1", "--set", "n_jobs=1")
    first, again = (run(*SMALL, *trees, "--seeds", 1, "--json", "--set", "colsample_bytree=0.5") for _ in range(2))
    assert first.exit_code == 0, first.output
    assert without_seconds(first.stdout) == without_seconds(again.stdout)
    other = run(*SMALL, *trees, "--seeds", 1, "--json", "--metric", "auc")
    assert without_seconds(other.stdout)["full"] != without_seconds(first.stdout)["full"]


@pytest.mark.slow
def test_the_picture_is_written(run: Run) -> None:
    result = run(*SMALL, "--seeds", 2, "--picture", "curves.png")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Path("curves.png").read_bytes().startswith(b"\x89PNG")
    assert not list(Path().glob(".*"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("--samplers", "lossmin,lossmax"), "no sampler 'lossmax'"),
        (("--samplers", ","), "no sampler was named"),
        (("--samplers", "top,top"), "got top twice"),
        (("--metrics", "ndgc"), "no metric 'ndgc'"),
        (("--start", "1"), "--start must be two whole numbers"),
        (("--start", "1,x"), "--start must be two whole numbers"),
        (("--start", "0,0"), "--start must be two whole numbers"),
        (("--set", "c=1"), "no parameter 'c'"),
        (("--rounds", 0), "invalid value for '--rounds'"),
        (("--seeds", 0), "invalid value for '--seeds'"),
        (("--test", "nowhere.txt"), "nowhere.txt"),
        (("--picture", "curves.doc"), "must end in .png or .svg"),
        (("--picture", "no/curves.png"), "there is no folder"),
        (("--picture", "test.txt"), "also uses test.txt"),
        (("--checkpoint", "other.txt"), "also uses other.txt"),
        (("--resume",), "pass --checkpoint FILE"),
        (("--checkpoint", "run1.txt"), "run1.txt is there already; pass --resume"),
        (("--checkpoint", "run1.txt", "--resume"), "not the checkpoint of a simulation"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, changed: tuple[object, ...], said: str) -> None:
    result = run(*SMALL, *changed)
    assert_one_sentence(result)
    assert said in result.stderr


def stop(by: signal.Signals, runs: int, *more: object) -> tuple[int, str, str]:
    """Start a long simulation, and send it and its processes a signal when so many runs are in its file."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *map(str, (*LONG, *more))],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.poll() is None and finished_runs() < runs:
        time.sleep(0.001)
    os.killpg(process.pid, by)
    out, said = process.communicate(timeout=60)
    return process.returncode, out, said


def finished_runs() -> int:
    return len(json.loads(RUNS.read_text())["runs"]) if RUNS.exists() else 0


@pytest.mark.slow
def test_killed_and_resumed_is_as_if_it_had_not_been(run: Run) -> None:
    undisturbed = run(*LONG[:-2])
    assert stop(signal.SIGKILL, 3) == (-signal.SIGKILL, "", "")
    assert 3 <= finished_runs() < 60
    resumed = run(*LONG, "--resume")
    assert (resumed.exit_code, resumed.stderr) == (0, "")
    assert without_seconds(resumed.stdout) == without_seconds(undisturbed.stdout)
    assert not list(Path().glob(".*"))


def test_resumed_before_it_began(run: Run) -> None:
    result = run(*SMALL, "--seeds", 1, "--checkpoint", "runs.json", "--resume")
    assert result.exit_code == 0
    assert result.stderr == ("rankwise: note: there is no runs.json yet, so the simulation starts from the beginning\n")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_real_ctrl_c_reports_the_seeds_that_are_finished(run: Run, jobs: int) -> None:
    code, out, said = stop(signal.SIGINT, 7, "--jobs", jobs)
    assert code == 130
    assert said in ("", "rankwise: note: training was interrupted; the best so far is kept\n")  # where it met a fit
    told = json.loads(out)
    assert told["interrupted"]
    assert 1 <= len(told["seeds"]) < 30
    assert told["notes"][-1].startswith("stopped by Ctrl-C: all samplers have finished")
    whole = without_seconds(run(*LONG, "--resume").stdout)
    assert whole["seeds"] == list(range(30))
    for name, sampler in told["samplers"].items():
        for metric, found in sampler["metrics"].items():
            runs = whole["samplers"][name]["metrics"][metric]["runs"]
            assert found["runs"] == [runs[seed] for seed in told["seeds"]]


def test_svmlight_and_orders_are_what_python_gives(run: Run) -> None:
    result = run(*SMALL, "--seeds", 1, "--samplers", "lossmin", "--json", "--set", "C=svmlight", "--answer", "order")
    found = rw.simulate(
        rw.read("test.txt"), rw.read("other.txt"), "lossmin", rw.RankSVM(C="svmlight"),
        rounds=2, per_query=2, seeds=1, start=(1, 3), answer="order", n_jobs=1,
    )  # fmt: skip
    assert without_seconds(result.stdout) == without_seconds(json.dumps(found.to_dict()))
    assert_one_sentence(run(*SMALL, "--answer", "ranks"))
