"""`rankwise cv`, `rankwise tune` and `rankwise train --model auto` are the functions of the library."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import make_data

AUTO = ("train", "train.txt", "--model", "auto", "--set", "max_fits=9", "--set", "folds=2", "-o", "m.rw")


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    make_data()


def test_cv_is_that_of_the_library(run: Run) -> None:
    command = ("cv", "train.txt", "--model", "ranksvm", "--metric", "ndcg@5", "--metrics", "ndcg@5 auc", "--folds", 3)
    expected = rw.cross_validate(rw.RankSVM("ndcg@5"), rw.read("train.txt"), "ndcg@5 auc", folds=3)
    result = run(*command, "--per-query", "values.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[1].split()[:2] == ["ndcg@5", f"{expected['ndcg@5']:.4f}"]
    assert lines[4].split() == ["fold", "ndcg@5", "auc", "fit", "seconds"]
    assert lines[5].split()[:3] == ["1", *(f"{expected.per_fold[name][0]:.4f}" for name in ("ndcg@5", "auc"))]
    assert len(Path("values.csv").read_text().splitlines()) == 21
    told = json.loads(run(*command, "--json").stdout)
    assert told["metrics"]["auc"]["mean"] == expected["auc"]
    assert len(told["fit_seconds"]) == 3


def test_tune_writes_the_best(run: Run) -> None:
    space = {"C": (0.1, 10.0, "log"), "loss": ["hinge", "squared_hinge"]}
    expected = rw.tune(rw.RankSVM("ndcg@5"), rw.read("train.txt"), space, trials=4, folds=3)
    command = (
        "tune",
        "train.txt",
        "--model",
        "ranksvm",
        "--metric",
        "ndcg@5",
        "--trials",
        4,
        "--folds",
        3,
        "-o",
        "m.rw",
    )
    spaces = ("--space", "C=0.1:10.0:log", "--space", 'loss=["hinge","squared_hinge"]')
    told = json.loads(run(*command, *spaces, "--json").stdout)
    assert [(trial["params"], trial["value"]) for trial in told["trials"]] == [
        (trial.params, trial.value) for trial in expected.trials
    ]
    valid = rw.read("valid.txt")
    assert np.array_equal(rw.load("m.rw").predict(valid), expected.estimator.predict(valid))
    result = run(*command, *spaces)
    assert result.stdout.splitlines()[0].split()[:2] == ["trial", "ndcg@5"]


def test_auto_prints_its_table_and_info_shows_it(run: Run) -> None:
    result = run(*AUTO)
    assert (result.exit_code, result.stderr) == (0, "")
    model = rw.AutoRanker("ndcg@10", max_fits=9, folds=2, random_state=0).fit(rw.read("train.txt"))
    shown = result.stdout.splitlines()
    assert shown[0].split()[0] == "candidate"
    assert [line.split("  ")[0] for line in shown[1 : len(model.leaderboard_) + 1]] == [
        entry.name for entry in model.leaderboard_
    ]
    assert f"ndcg@10 on queries held out  {model.best_score_:.4f}" in result.stdout
    described = run("info", "m.rw")
    assert described.stdout.splitlines()[0] == shown[0]
    assert f"ndcg@10 on queries held out  {model.best_score_:.4f}" in described.stdout
    told = json.loads(run(*AUTO, "--json").stdout)
    assert told["members"] == model.weights_
    assert len(told["leaderboard"]) == len(model.leaderboard_)
    assert run("predict", "m.rw", "valid.txt", "-o", "scores.txt").exit_code == 0
    scores = np.loadtxt("scores.txt")
    assert np.array_equal(scores, model.predict(rw.read("valid.txt")))


def test_auto_goes_on_from_its_checkpoint(run: Run) -> None:
    assert run(*AUTO, "--checkpoint", "run").exit_code == 0
    first = Path("m.rw").read_bytes()
    refused = run(*AUTO, "--checkpoint", "run")
    assert_one_sentence(refused)
    assert "has the checkpoint of an earlier training" in refused.stderr
    assert run(*AUTO, "--checkpoint", "run", "--resume").exit_code == 0
    assert Path("m.rw").read_bytes() == first


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ((*AUTO, "--valid", "valid.txt"), "--model auto chooses by folds of the data, got --valid; name valid.txt"),
        ((*AUTO, "--budget", "-1"), "budget must be a number above 0"),
        (("train", "train.txt", "-o", "m.rw", "--budget", "9"), "--budget is for --model auto"),
        (("train", "train.txt", "-o", "m.rw", "--objective", "f1", "--budget", "9"), "--objective goes without"),
        (("cv", "train.txt", "--folds", "21"), "folds must be from 2 to the number of queries, 20, got 21"),
        (("cv", "train.txt", "--metrics", "ndgc"), "there is no metric 'ndgc'"),
        (("tune", "train.txt", "-o", "m.rw", "--space", "num_leaves"), "--space must be KEY=low:high"),
        (("tune", "train.txt", "-o", "m.rw", "--space", "num_leaves=four:9"), "--space must be KEY=low:high"),
        (("tune", "train.txt", "-o", "m.rw", "--space", "leaves=[4]"), "space has the parameter 'leaves'"),
        (("tune", "train.txt", "-o", "m.rw", "--space", "sigma=[1]", "--space", "sigma=[2]"), "sigma twice; drop one"),
        (("tune", "train.txt", "-o", "m.rw", "--space", "sigma=3:1"), "low below high"),
    ],
)
def test_what_is_refused(run: Run, command: tuple[str, ...], said: str) -> None:
    result = run(*command)
    assert_one_sentence(result)
    assert said in result.stderr
    assert not Path("m.rw").exists()
