"""`rankwise train --objective`, and what the other commands do with a classifier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.cli._errors import NOT_CERTIFIED, STOPPED
from rankwise.data import r_of_k, write
from rankwise.rankers.rates._report import Report
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence

SETTINGS: dict[str, Any] = {
    "linear": {"folds": 3},
    "trees": {"n_estimators": 10, "n_jobs": 1, "folds": 2},
    "net": {"epochs": 2, "hidden": [3], "folds": 2},
}
TRAIN = ("train", "train.csv", "-o", "m.rw")


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    for name, seed in (("train.csv", 1), ("valid.csv", 2), ("held-out.csv", 3)):
        write(r_of_k(rows=500, features=8, k=6, r=3, positive=0.4, seed=seed), name)


def settings(family: str) -> list[str]:
    return [word for name, value in SETTINGS[family].items() for word in ("--set", f"{name}={json.dumps(value)}")]


def positive(data: rw.RankingData) -> np.ndarray:
    return (data.y > 0).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("family", SETTINGS)
def test_the_file_is_that_of_the_library(run: Run, family: str) -> None:
    result = run(*TRAIN, "--objective", "r@p=0.6", "--model", family, "--seed", 3, *settings(family), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    data, held_out = rw.read("train.csv"), rw.read("held-out.csv")
    model: Any = rw.RateClassifier("r@p=0.6", model=family, random_state=3, **SETTINGS[family])
    model.fit(data.X, positive(data))
    rw.save(model, "library.rw")
    assert Path("m.rw").read_bytes() == Path("library.rw").read_bytes()
    said = json.loads(result.stdout)
    assert said.pop("seconds") > 0
    assert said == {
        "model": "m.rw", "objective": "r@p=0.6", "rows": 500, "positives": int(positive(data).sum()),
        "trained_for": model.trained_for_, "reason": model.history_["reason"],
        "baseline": model.history_["baseline"], "tuned": model.history_.get("tuned"),
        "threshold": model.threshold_, "reached": True, "interrupted": False,
    }  # fmt: skip
    scores = [float(line) for line in run("predict", "m.rw", "held-out.csv").stdout.split()]
    assert scores == model.decision_function(held_out.X).tolist()


def test_validation_data_chooses(run: Run) -> None:
    result = run(*TRAIN, "--valid", "valid.csv", "--objective", "f1", "--model", "linear")
    assert result.exit_code == 0, result.output
    data, valid = rw.read("train.csv"), rw.read("valid.csv")
    model = rw.RateClassifier("f1", model="linear", random_state=0)
    model.fit(data.X, positive(data), eval_set=(valid.X, positive(valid)))
    said = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    assert ["threshold", f"{model.threshold_:.4f}"] in said
    assert ["baseline", f"{model.history_['baseline']:.4f} on rows not trained on"] in said  # type: ignore[call-overload]
    assert ["trained", f"for  {model.trained_for_}"] in said
    assert ["reason", model.history_["reason"]] in said  # type: ignore[call-overload]


def test_trees_are_what_an_objective_gets(run: Run) -> None:
    assert run(*TRAIN, "--objective", "f1", *settings("trees")).exit_code == 0
    assert rw.load("m.rw").model == "trees"


@pytest.mark.slow
def test_it_describes_itself(run: Run) -> None:
    run(*TRAIN, "--objective", "r@p=0.6", "--model", "linear")
    said = run("info", "m.rw")
    model = rw.load("m.rw")
    assert (said.exit_code, said.stderr) == (0, "")
    for words in (
        ["kind", "rate"],
        ["objective", "r@p=0.6"],
        ["trained", "on", "500", "rows"],
        ["class", "1:", "threshold", f"{model.threshold_:.6g}"],
        ["class", "1:", "trained", "for", *model.trained_for_.split()],
        ["class", "1:", "reason", *model.history_["reason"].split()],
        ["penalty", "none"],
    ):
        assert words in [line.split() for line in said.stdout.splitlines()]
    told = json.loads(run("info", "m.rw", "--json").stdout)
    assert told["summary"]["models"][0]["threshold"] == model.threshold_
    assert told["importances"] == []


def test_large_trees_are_plain_and_that_is_said(run: Run) -> None:
    result = run(*TRAIN, "--objective", "f1", "--set", "n_estimators=51", "--set", "num_leaves=9", "--set", "folds=2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "trained for  cross entropy" in result.stdout
    assert "more than 50 trees of more than 8 leaves" in result.stdout


def test_ctrl_c_keeps_the_best_so_far(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(report: Report, loss: float | None = None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Report, "round", stop)
    result = run(*TRAIN, "--objective", "f1", *settings("trees"))
    assert result.exit_code == STOPPED
    assert "stopped by Ctrl-C: m.rw holds the best so far" in result.stderr
    assert rw.load("m.rw").interrupted_
    assert "stopped by Ctrl-C" in run("info", "m.rw").stdout


@pytest.mark.slow
def test_its_own_promise_is_certified(run: Run) -> None:
    run(*TRAIN, "--objective", "p@r=0.8", "--model", "linear")
    held_out, model = rw.read("held-out.csv"), rw.load("m.rw")
    expected = model.certify(held_out.X, positive(held_out), confidence=0.9)
    found = run("certify", "m.rw", "held-out.csv", "--confidence", 0.9, "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout) == json.loads(json.dumps(expected.to_dict()))
    assert expected.objective == "p@r=0.8"
    other = run("certify", "m.rw", "held-out.csv", "--objective", "p@r=0.999")
    assert (other.exit_code, other.stderr) == (NOT_CERTIFIED, "")
    run(*TRAIN, "--objective", "r@p=0.99", "--model", "linear")
    assert run("certify", "m.rw", "held-out.csv").exit_code == NOT_CERTIFIED


REFUSED = {
    "a metric too": (("--objective", "f1", "--metric", "auc"), "--objective goes without --metric"),
    "a checkpoint": (("--objective", "f1", "--checkpoint", "run"), "goes without --metric, --budget, --checkpoint"),
    "no objective": (("--model", "trees"), "--model trees is for operating points, got no --objective"),
    "a ranker": (("--model", "lambdamart", "--objective", "f1"), "--model lambdamart ranks by a --metric"),
    "a metric of ranks": (("--objective", "ndcg@10"), "no rate objective for ndcg@10"),
    "a misspelling": (("--objective", "r@q=0.9"), "there is no metric"),
    "another setting": (("--objective", "f1", "--set", "leaves=3"), "has no parameter 'leaves'"),
    "a wrong value": (
        ("--objective", "f1", "--set", "penalty=high"),
        "penalty must be a number from 0 to 1e+06 or None",
    ),
    "out of range": (("--objective", "f1", "--set", "folds=1"), "folds must be a whole number from 2"),
    "the seed": (("--objective", "f1", "--set", "random_state=1"), "use --seed"),
    "the family": (("--objective", "f1", "--set", "model=net"), "use --model"),
    "the positive class": (("--objective", "f1", "--set", "pos_label=0"), "use --positive"),
    "strict about nothing": (("--strict",), "--strict is for operating points, got no --objective"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked_is_one_sentence(run: Run, case: str) -> None:
    arguments, said = REFUSED[case]
    result = run(*TRAIN, *arguments)
    assert_one_sentence(result)
    assert said in result.stderr
    assert not Path("m.rw").exists()


@pytest.mark.slow
def test_what_cannot_be_done_with_a_classifier_is_one_sentence(run: Run) -> None:
    run(*TRAIN, "--objective", "f1", "--model", "linear")
    for arguments, said in (
        (("explain", "m.rw", "held-out.csv", "--query", "0"), "explain is for models that rank"),
        (("certify", "m.rw", "held-out.csv"), "not trained to keep a rate"),
    ):
        result = run(*arguments)
        assert_one_sentence(result)
        assert said in result.stderr
    data = rw.read("train.csv")
    three = np.digitize(data.X[:, 0] + data.X[:, 1], [-1.0, 1.0])
    rw.save(rw.RateClassifier("f1", model="linear", random_state=0).fit(data.X, three), "three.rw")
    assert "class 2: threshold" in run("info", "three.rw").stdout
    for command in (
        ("predict", "three.rw", "held-out.csv"),
        ("certify", "three.rw", "held-out.csv", "--objective", "r@p=0.9"),
    ):
        result = run(*command)
        assert_one_sentence(result)
        assert "got a model of 3 classes" in result.stderr
