"""`rankwise train --model margin|rankboost|smoothrankboost|ranksvm|aucsvm`, and `info --verify`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rankwise as rw
from rankwise.models._archive import read_archive, write_archive
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import make_data

KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "margin": (rw.MarginRanker, {"epsilon": 0.9}),
    "rankboost": (rw.RankBoost, {"n_estimators": 20}),
    "smoothrankboost": (rw.SmoothRankBoost, {"n_estimators": 20}),
    "ranksvm": (rw.RankSVM, {"C": 0.1}),
    "aucsvm": (rw.AUCSVM, {"C": 0.1}),
}
MARGIN = ("train", "train.txt", "--model", "margin", "--set", "epsilon=0.9", "-o", "m.rw")


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    make_data()


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_is_that_of_the_library(run: Run, kind: str) -> None:
    cls, parameters = KINDS[kind]
    settings = [part for name, value in parameters.items() for part in ("--set", f"{name}={value}")]
    result = run("train", "train.txt", "-o", "m.rw", "--model", kind, "--valid", "valid.txt", *settings)
    train, valid = rw.read("train.txt"), rw.read("valid.txt")
    model = cls(**parameters).fit(train.X, train.y, qid=train.qid, eval_set=(valid.X, valid.y, valid.qid))
    rw.save(model, "library.rw")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Path("m.rw").read_bytes() == Path("library.rw").read_bytes()
    assert f"{model.metric} on valid  {model.best_score_:.4f}\n" in result.stdout
    scores = [float(line) for line in run("predict", "m.rw", "valid.txt").stdout.split()]
    assert scores == model.predict(valid.X).tolist()
    assert kind in run("info", "m.rw").stdout
    why = json.loads(run("explain", "m.rw", "valid.txt", "--query", "0", "--json").stdout)["reasons"][0]
    assert sum(part["adds"] for part in why["parts"]) == pytest.approx(why["difference"])


def test_a_certificate_is_verified_by_its_data(run: Run) -> None:
    run(*MARGIN)
    result = run("info", "m.rw", "--verify", "train.txt")
    assert result.exit_code == 0, result.output
    assert "verified: the data bear out every number" in result.stdout
    found = json.loads(run("info", "m.rw", "--verify", "train.txt", "--json").stdout)["verified"]
    assert found["agrees"]
    assert found["computed"]["bound"] == pytest.approx(rw.load("m.rw").certificate_.bound, abs=1e-9)


def test_other_data_do_not_bear_it_out(run: Run) -> None:
    run(*MARGIN)
    result = run("info", "m.rw", "--verify", "valid.txt")
    assert result.exit_code == 3
    assert "NOT verified" in result.stdout


def test_a_forged_certificate_is_found_out(run: Run) -> None:
    run(*MARGIN)
    manifest, members = read_archive("m.rw")
    manifest["summary"]["learned"]["certificate"]["share"] = 0.999
    manifest.pop("sha256")
    write_archive("m.rw", manifest, members)
    assert zipfile.is_zipfile("m.rw")
    assert run("info", "m.rw").exit_code == 0
    result = run("info", "m.rw", "--verify", "train.txt")
    assert result.exit_code == 3, result.output


BAD = {
    ("train", "train.txt", "-o", "x.rw", "--model", "margin", "--checkpoint", "run"): "keeps no checkpoint",
    ("train", "train.txt", "-o", "x.rw", "--model", "margin", "--set", "epsilon=2"): "epsilon must be a number",
    ("train", "train.txt", "-o", "x.rw", "--model", "margin", "--set", "epsilon=[0.5,0.9]"): "nothing to choose one by",
    ("train", "train.txt", "-o", "x.rw", "--model", "margin", "--set", "hypotheses=trees"): '"features", "stumps" or',
    (
        "train",
        "train.txt",
        "-o",
        "x.rw",
        "--model",
        "margin",
        "--set",
        "method=soft",
    ): 'method must be "pairs", "reduced",',
    ("train", "train.txt", "-o", "x.rw", "--model", "smoothrankboost", "--set", "epsilon=[0.5]"): "epsilon must be",
    ("train", "train.txt", "-o", "x.rw", "--model", "ranksvm", "--set", "C=-1"): "C must be",
    ("info", "trees.rw", "--verify", "train.txt"): "--verify is for models of kind margin",
}


@pytest.mark.parametrize("command", BAD, ids=lambda command: command[-1])
def test_bad_input_is_one_sentence(run: Run, command: tuple[str, ...]) -> None:
    if command[0] == "info":
        run("train", "train.txt", "-o", "trees.rw", "--set", "n_estimators=2")
    result = run(*command)
    assert_one_sentence(result)
    assert BAD[command] in result.stderr
    assert not Path("x.rw").exists()


def test_one_class_is_a_clear_error(run: Run) -> None:
    Path("one.txt").write_text("".join(f"1 qid:1 1:{k}\n" for k in range(5)))
    for kind in KINDS:
        result = run("train", "one.txt", "-o", "x.rw", "--model", kind)
        assert_one_sentence(result)
        assert "different labels" in result.stderr
