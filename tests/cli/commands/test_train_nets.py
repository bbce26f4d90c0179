"""`rankwise train --model lambdarank|ranknet`, and what the other commands do with nets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankwise as rw
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import make_data

SET = ("--set", "epochs=6", "--set", "hidden=[5,3]", "--set", "batch_queries=5")
TRAIN = ("train", "train.txt", "-o", "m.rw", *SET)


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    make_data()


@pytest.mark.parametrize(("kind", "cls"), [("lambdarank", rw.LambdaRank), ("ranknet", rw.RankNet)])
def test_the_file_is_that_of_the_library(run: Run, kind: str, cls: type) -> None:
    result = run(*TRAIN, "--model", kind, "--valid", "valid.txt", "--metric", "auc", "--seed", 3)
    train, valid = rw.read("train.txt"), rw.read("valid.txt")
    model = cls("auc", epochs=6, hidden=[5, 3], batch_queries=5, random_state=3)
    model.fit(train.X, train.y, qid=train.qid, eval_set=(valid.X, valid.y, valid.qid))
    rw.save(model, "library.rw")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Path("m.rw").read_bytes() == Path("library.rw").read_bytes()
    assert f"auc on valid  {model.best_score_:.4f}\n" in result.stdout


def test_nets_predict_explain_and_describe_themselves(run: Run) -> None:
    run(*TRAIN, "--model", "lambdarank")
    scores = [float(line) for line in run("predict", "m.rw", "valid.txt").stdout.split()]
    assert scores == rw.load("m.rw").predict(rw.read("valid.txt").X).tolist()
    said = run("info", "m.rw")
    assert said.exit_code == 0, said.output
    assert "lambdarank" in said.stdout
    assert "share of the gain" not in said.stdout
    assert json.loads(run("info", "m.rw", "--json").stdout)["summary"]["weights"] == 5 * 5 + 6 * 3 + 3 + 2 * 4
    why = json.loads(run("explain", "m.rw", "valid.txt", "--query", "0", "--json").stdout)["reasons"][0]
    assert sum(part["adds"] for part in why["parts"]) == pytest.approx(why["difference"])


def test_a_net_is_resumed(run: Run) -> None:
    once = (*TRAIN, "--model", "ranknet", "--checkpoint", "run")
    run(*once)
    first = Path("m.rw").read_bytes()
    assert run(*once, "--resume").exit_code == 0
    assert Path("m.rw").read_bytes() == first
    result = run("train", "train.txt", "-o", "m.rw", "--checkpoint", "run", "--resume")
    assert_one_sentence(result)
    assert "not a whole checkpoint" in result.stderr or "format" in result.stderr


BAD = {
    "hidden=10": "hidden must be the widths of at most 100 layers",
    "hidden=[0]": "hidden must be the widths",
    "optimizer=sgd": 'optimizer must be "adamw" or "burges2006"',
    "torch_module=net": "torch_module must be a torch.nn.Module",
    "num_leaves=3": "has no parameter 'num_leaves'",
}


@pytest.mark.parametrize("setting", BAD)
def test_a_bad_setting_is_one_sentence(run: Run, setting: str) -> None:
    result = run("train", "train.txt", "-o", "m.rw", "--model", "lambdarank", "--set", setting)
    assert_one_sentence(result)
    assert BAD[setting] in result.stderr
    assert not Path("m.rw").exists()
