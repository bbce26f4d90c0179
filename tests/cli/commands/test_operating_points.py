"""Points that are out of reach, positive classes and certified thresholds, from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.data import r_of_k, write
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence

LINEAR = ("--model", "linear", "--set", "folds=2")
OUT_OF_REACH = (
    "rankwise: note: no threshold reaches r@p=0.9 for the class 1 on rows that the model was not trained on, so"
)


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    rng = np.random.default_rng(0)
    noise, score = rng.standard_normal((2, 1000))
    rare, fraud = rng.permutation(1000) < 20, score + 0.3 * rng.standard_normal(1000) > 1
    lines = zip(noise, score, rare, fraud, strict=True)
    rows = [f"{a:.6f},{b:.6f},{int(c)},{'fraud' if d else 'ok'}" for a, b, c, d in lines]
    Path("table.csv").write_text("\n".join(["noise,amount,rare,kind", *rows]) + "\n")
    for name, seed in (("train.csv", 1), ("held-out.csv", 3)):
        write(r_of_k(rows=500, features=8, k=6, r=3, positive=0.4, seed=seed), name)


def test_noise_is_said_to_be_out_of_reach(run: Run) -> None:
    noise = ("train", "table.csv", "--label", "rare", "--drop", "kind", "--objective", "r@p=0.9", "-o", "m.rw", *LINEAR)
    result = run(*noise)
    assert result.exit_code == 0
    assert OUT_OF_REACH in result.stderr
    assert "reached      no, so no row gets a yes" in result.stdout
    said = run("info", "m.rw").stdout
    assert ["class", "1:", "reached", "no,", "so", "no", "row", "gets", "a", "yes"] in [
        line.split() for line in said.splitlines()
    ]
    scores = run("predict", "m.rw", "table.csv", "--label", "rare", "--drop", "kind").stdout.split()
    assert max(map(float, scores)) < 0
    strict = run(*noise, "--strict", "--json")
    assert strict.exit_code == NOT_CERTIFIED
    assert json.loads(strict.stdout)["reached"] is False
    assert OUT_OF_REACH in strict.stderr
    result = run("export", "m.rw", "--to", "onnx", "-o", "m.onnx")
    assert_one_sentence(result)
    assert "no threshold reached r@p=0.9" in result.stderr


def test_strict_is_content_with_what_is_reached(run: Run) -> None:
    result = run("train", "train.csv", "--objective", "r@p=0.5", "-o", "m.rw", *LINEAR, "--strict")
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_positive_label_is_named(run: Run) -> None:
    kind = ("train", "table.csv", "--label", "kind", "--drop", "rare", "--objective", "r@p=0.8", "-o", "m.rw", *LINEAR)
    fraud = run(*kind, "--positive", "fraud")
    assert (fraud.exit_code, fraud.stderr) == (0, "")
    data = rw.read("table.csv", label="kind", positive="fraud", drop=["rare"])
    model = rw.RateClassifier("r@p=0.8", model="linear", folds=2, pos_label=1, random_state=0).fit(data)
    rw.save(model, "library.rw")
    assert Path("m.rw").read_bytes() == Path("library.rw").read_bytes()
    ok = run(*kind, "--positive", "ok")
    assert (ok.exit_code, ok.stderr) == (0, "")  # it was asked for
    rare = ("train", "table.csv", "--label", "rare", "--drop", "kind", "--objective", "f1", "-o", "m.rw", *LINEAR)
    majority = run(*rare, "--positive", "0")
    assert majority.stderr == ""


def test_a_majority_that_was_not_asked_for_is_worth_a_note(run: Run) -> None:
    data = rw.read("train.csv")
    write(rw.RankingData(data.X, 1.0 - data.y, data.qid), "other.csv")
    result = run("train", "other.csv", "--objective", "f1", "-o", "m.rw", *LINEAR)
    assert "note: the positive class is 1, which sorts last and has 6" in result.stderr
    assert "(--positive on the command line)" in result.stderr


def test_the_certified_threshold_goes_into_the_file(run: Run) -> None:
    run("train", "train.csv", "--objective", "r@p=0.6", "-o", "m.rw", *LINEAR)
    found = run("certify", "m.rw", "held-out.csv", "--confidence", "0.9", "--json", "-o", "certified.rw")
    assert (found.exit_code, found.stderr) == (0, "")
    threshold = json.loads(found.stdout)["threshold"]
    before = [float(line) for line in run("predict", "m.rw", "held-out.csv").stdout.split()]
    after = [float(line) for line in run("predict", "certified.rw", "held-out.csv").stdout.split()]
    assert after == pytest.approx([score - threshold for score in before])
    assert [score >= 0 for score in after] == [score >= threshold for score in before]
    said = run("info", "certified.rw").stdout
    assert "certified for r@p=0.6 with confidence 0.9" in said
    again = run("certify", "certified.rw", "held-out.csv", "--confidence", "0.9", "--json", "-o", "again.rw")
    assert json.loads(again.stdout)["threshold"] == pytest.approx(0.0, abs=1e-12)  # of what predict writes
    assert rw.load("again.rw").threshold_ == pytest.approx(rw.load("certified.rw").threshold_)


def test_what_is_not_certified_is_not_written(run: Run) -> None:
    run("train", "train.csv", "--objective", "r@p=0.6", "-o", "m.rw", *LINEAR)
    assert run("certify", "m.rw", "held-out.csv", "--objective", "r@p=0.999", "-o", "c.rw").exit_code == NOT_CERTIFIED
    assert not Path("c.rw").exists()
    run("train", "train.csv", "--model", "ranksvm", "--metric", "auc", "-o", "ranker.rw")
    result = run("certify", "ranker.rw", "held-out.csv", "--objective", "r@p=0.6", "-o", "c.rw")
    assert_one_sentence(result)
    assert "--out is for classifiers, which have a threshold, got a model of kind ranksvm" in result.stderr
