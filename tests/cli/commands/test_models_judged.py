"""`eval --model`, `compare --model`, `predict --proba|--labels` and `explain --features`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import rankwise as rw
from rankwise.data import r_of_k, write
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import make_model


@pytest.fixture
def ranker(folder: Path) -> Any:
    rw.save(rw.RankSVM("auc").fit(rw.read("test.txt")), "svm.rw")
    return rw.load("svm.rw")


@pytest.fixture
def classifier(folder: Path) -> rw.RateClassifier:
    """A linear one of named columns; its positive class sorts first."""
    write(r_of_k(rows=200, features=4, k=3, r=2, seed=0), "rows.csv")
    data = rw.read("rows.csv")
    names = np.where(data.y > 0, "fraud", "ok")
    model = rw.RateClassifier("r@p=0.6", model="linear", folds=2, pos_label="fraud", random_state=0).fit(data.X, names)
    rw.save(model, "fraud.rw")
    return model


def told(run: Run, *arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_model_is_judged_by_what_it_predicts(run: Run, ranker: Any) -> None:
    run("predict", "svm.rw", "test.txt", "-o", "scores.txt")
    by_scores = told(run, "eval", "test.txt", "--scores", "scores.txt")
    assert told(run, "eval", "test.txt", "--model", "svm.rw") == by_scores
    data = rw.read("test.txt")
    assert by_scores == rw.evaluate(data.y, ranker.predict(data), data.qid, "ndcg@10 map mrr auc").to_dict()


def test_a_classifier_is_judged_by_its_positive_class(run: Run, classifier: rw.RateClassifier) -> None:
    data = rw.read("rows.csv")
    expected = rw.evaluate(data.y, classifier.scores(data.X), None, "auc")["auc"]
    assert (
        told(run, "eval", "rows.csv", "--model", "fraud.rw", "--metrics", "auc")["metrics"]["auc"]["mean"] == expected
    )
    assert expected > 0.7


@pytest.mark.parametrize(
    "command", ["eval rows.csv --model fraud.rw", "compare rows.csv --model fraud.rw --model b=svm.rw"]
)
def test_a_report_shows_the_threshold_of_a_classifier(run: Run, classifier: rw.RateClassifier, command: str) -> None:
    rw.save(rw.RankSVM("auc").fit(rw.read("rows.csv")), "svm.rw")
    result = run(*command.split(), "--metrics", "auc", "--report", "page.html")
    assert result.exit_code == 0, result.stderr
    page = Path("page.html").read_text()
    assert "own threshold" in page
    assert "fraud.rw" in page


def test_models_and_scores_are_compared(run: Run, ranker: Any) -> None:
    run("predict", "svm.rw", "test.txt", "-o", "same.txt")
    arguments = ("--model", "a=svm.rw", "--model", "svm.rw", "--scores", "same.txt", "--scores", "old.txt")
    result = told(run, "compare", "test.txt", *arguments, "--metrics", "map")
    assert set(result["systems"]) == {"a", "svm", "same", "old"}
    differences = {(test["a"], test["b"]): test["difference"] for test in result["tests"]}
    assert [value for pair, value in differences.items() if "old" not in pair] == [0, 0, 0]
    assert all(value != 0 for pair, value in differences.items() if "old" in pair)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("eval test.txt --model svm.rw --scores old.txt", "--scores and --model exclude each other"),
        ("eval test.txt --model svm.rw --feature 1", "--model and --feature exclude each other"),
        ("eval qrels.txt run1.txt --model svm.rw", "a model needs features"),
        ("eval wide.txt --model svm.rw", "features"),
        ("eval test.txt --model old.txt", "old.txt"),
        ("compare test.txt --model svm.rw", "two or more systems to compare, got svm"),
        ("compare test.txt --model svm.rw --scores svm=old.txt", "different names, got 'svm' for old.txt and svm.rw"),
        ("predict svm.rw test.txt --proba", "--proba is for classifiers, got a model of kind ranksvm"),
        ("predict svm.rw test.txt --labels", "--labels is for classifiers"),
        ("predict svm.rw test.txt --labels --proba", "one of --trec-run, --proba, --labels and --dask"),
        ("predict svm.rw test.txt --labels --dask local:1", "one of --trec-run, --proba, --labels and --dask"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Run, ranker: Any, arguments: str, words: str) -> None:
    Path("wide.txt").write_text("1 qid:1 9:0.5\n0 qid:1 1:0.5\n")
    result = run(*arguments.split())
    assert_one_sentence(result)
    assert words in result.stderr


def test_names_of_features_are_checked_as_predict_does(run: Run, classifier: rw.RateClassifier) -> None:
    for name, column in (("mine.csv", "mine_"), ("other.csv", "other_")):
        Path(name).write_text(Path("rows.csv").read_text().replace("feature_", column))
    rw.save(rw.RankSVM("auc").fit(rw.read("mine.csv")), "named.rw")
    evaluated, predicted = run("eval", "other.csv", "--model", "named.rw"), run("predict", "named.rw", "other.csv")
    assert_one_sentence(evaluated)
    assert evaluated.stderr == predicted.stderr
    assert "mine_1" in evaluated.stderr


@pytest.mark.parametrize("ending", ["txt", "parquet"])
def test_probabilities_and_labels_are_those_of_the_model(run: Run, classifier: rw.RateClassifier, ending: str) -> None:
    data = rw.read("rows.csv")
    expected = {
        "probability": classifier.predict_proba(data.X)[:, 0].tolist(),  # fraud sorts first
        "label": classifier.predict(data.X).tolist(),
    }
    assert set(expected["label"]) == {"fraud", "ok"}
    for name, option in (("probability", "--proba"), ("label", "--labels")):
        result = run("predict", "fraud.rw", "rows.csv", option, "-o", f"out.{ending}")
        assert result.stdout.startswith(f"out.{ending}: 200 {'probabilities' if name == 'probability' else 'labels'}")
        if ending == "parquet":
            assert parquet.read_table("out.parquet").to_pydict() == {name: expected[name]}
        else:
            assert Path("out.txt").read_text().split() == [str(value) for value in expected[name]]


def test_parquet_is_answered_in_passes(run: Run, classifier: rw.RateClassifier) -> None:
    run("data", "convert", "rows.csv", "rows.parquet")
    for option in ("--proba", "--labels"):
        assert (
            run("predict", "fraud.rw", "rows.parquet", option).stdout
            == run("predict", "fraud.rw", "rows.csv", option).stdout
        )


def test_a_model_of_the_command_line_says_1_and_0(run: Run, classifier: rw.RateClassifier) -> None:
    run("train", "rows.csv", "--objective", "r@p=0.6", "--model", "linear", "--set", "folds=2", "-o", "m.rw")
    labels = run("predict", "m.rw", "rows.csv", "--labels").stdout.split()
    scores = [float(line) for line in run("predict", "m.rw", "rows.csv").stdout.split()]
    assert labels == ["1" if score >= 0 else "0" for score in scores]
    assert set(labels) == {"1", "0"}


def test_as_many_features_are_explained_as_asked_for(run: Run) -> None:
    make_model()
    query = rw.read("train.txt").qid[0]
    base = ("explain", "m.rw", "train.txt", "--query", query, "--top", 2)
    parts = told(run, *base)["reasons"][0]["parts"]
    assert len(parts) == 4
    for count in (1, 3, 4):
        lines = run(*base, "--features", count).stdout.splitlines()
        after = lines[next(i for i, line in enumerate(lines) if re.match(r"1 (over|level with) 2", line)) :]
        assert len(after) == 1 + count + (count < len(parts))
        assert ("all others" in after[-1]) == (count < len(parts))
