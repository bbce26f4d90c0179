"""What is odd about data is said by every command that learns from it or judges by it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import web, write
from tests.cli.conftest import Run

CONSTANT = "rankwise: note: 1 features have one value in all rows, and say nothing\n"
SEEN = "note: 180 of 180 rows to judge by stand in the training data too, so the model will look better than it is\n"
REPEATED = "rankwise: note: 1 rows repeat a document of their query, which counts as often as it stands there\n"


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    data = web(queries=12, documents=15, features=5, seed=2)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(data), 4))
    X[:, 3] = 1.0
    write(rw.RankingData(X, data.y, data.qid), "constant.csv")
    ids = np.array([f"d{row}" for row in range(len(data))])
    ids[1] = ids[0]
    write(rw.RankingData(X, data.y, data.qid, doc_ids=ids), "repeated.txt")
    for name in ("one", "other"):
        Path(f"{name}.scores").write_text("\n".join(map(str, rng.normal(size=len(data)))) + "\n")
    Path("flat.scores").write_text("0.5\n" * len(data))


def test_cross_validation_and_tuning_say_what_is_constant(run: Run) -> None:
    assert run("cv", "constant.csv", "--model", "ranksvm", "--folds", 2).stderr == CONSTANT
    tuned = run(
        "tune", "constant.csv", "--model", "ranksvm", "--folds", 2, "--space", "C=[1,2]", "--trials", 1, "-o", "m.rw"
    )
    assert tuned.stderr == CONSTANT


def test_tests_by_training_rows_are_noted(run: Run) -> None:
    rows = len(rw.read("constant.csv"))
    result = run("trade-off", "constant.csv", "--test", "constant.csv", "--weights", 2, "--model", "ranksvm")
    assert SEEN.replace("180", str(rows)) in result.stderr
    result = run(
        "simulate", "constant.csv", "--test", "constant.csv", "--samplers", "random", "--rounds", 1, "--seeds", 1
    )
    assert SEEN.replace("180", str(rows)) in result.stderr


def test_a_document_that_stands_there_twice_is_noted(run: Run) -> None:
    assert run("eval", "repeated.txt", "--scores", "one.scores").stderr == REPEATED
    assert run("compare", "repeated.txt", "--scores", "one.scores", "--scores", "other.scores").stderr == REPEATED


def test_equal_scores_are_no_ranking(run: Run) -> None:
    said = "note: all rows of a query have the same score, in every query, so this is no ranking but a tie"
    assert said in run("eval", "constant.csv", "--scores", "flat.scores").stdout
    assert said not in run("eval", "constant.csv", "--scores", "one.scores").stdout


def test_nothing_is_the_best_of_what_has_no_value(run: Run) -> None:
    data = rw.read("constant.csv")
    write(rw.RankingData(data.X, 0.0 * data.y, data.qid), "zeros.csv")
    said = run(
        "compare", "zeros.csv", "--scores", "one.scores", "--scores", "other.scores", "--metrics", "ndcg@5"
    ).stdout
    assert "nan*" not in said
