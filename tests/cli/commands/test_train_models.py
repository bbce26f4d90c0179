"""`rankwise predict`, `info` and `explain` say what the model in a file does."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import polynomial, write
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SMALL, make_data, make_model

ROWS = polynomial(queries=3, documents=5, features=4, seed=3)
IDS = np.array([f"d{k % 5}" for k in range(len(ROWS))])


@pytest.fixture
def model(folder: Path) -> rw.LambdaMART:
    make_data()
    write(replace(ROWS, doc_ids=IDS), "named.parquet")
    return make_model()


def test_scores_are_written_with_all_digits(run: Run, model: rw.LambdaMART) -> None:
    scores = model.predict(rw.read("valid.txt").X)
    result = run("predict", "m.rw", "valid.txt", "-o", "s.txt")
    assert result.stdout == "s.txt: 150 scores, 10 queries\n"
    assert [float(line) for line in Path("s.txt").read_text().splitlines()] == scores.tolist()
    assert run("predict", "m.rw", "valid.txt").stdout == Path("s.txt").read_text()


def test_eval_reads_the_scores(run: Run, model: rw.LambdaMART) -> None:
    valid = rw.read("valid.txt")
    run("predict", "m.rw", "valid.txt", "-o", "s.txt")
    judged = json.loads(run("eval", "valid.txt", "--scores", "s.txt", "--metrics", "ndcg@10", "--json").stdout)
    assert judged["metrics"]["ndcg@10"]["mean"] == model.score(valid.X, valid.y, valid.qid)


def test_a_trec_run(run: Run, model: rw.LambdaMART) -> None:
    run("predict", "m.rw", "named.parquet", "--trec-run", "-o", "run.txt")
    lines = [line.split() for line in Path("run.txt").read_text().splitlines()]
    scores = model.predict(ROWS.X)
    assert [line[0] for line in lines] == [str(qid) for qid in ROWS.qid]
    assert [int(line[3]) for line in lines] == [1, 2, 3, 4, 5] * 3
    assert {(line[0], line[2]): float(line[4]) for line in lines} == {
        (str(qid), name): score for qid, name, score in zip(ROWS.qid, IDS, scores, strict=True)
    }
    for (_, _, name, _, score, _), (_, _, other, rank, below, _) in pairwise(lines):
        assert rank == "1" or (float(score), name) > (float(below), other)
    by_run, by_scores = (
        run("eval", "named.parquet", "--scores", name, "--metrics", "map ndcg").stdout
        for name in ("run.txt", _plain_scores(run))
    )
    assert by_run == by_scores != ""


def _plain_scores(run: Run) -> str:
    run("predict", "m.rw", "named.parquet", "-o", "plain.txt")
    return "plain.txt"


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("names", "said"),
    [(["a b", *IDS[1:]], "without blanks, got 'a b'"), (["d1", *IDS[1:]], "d1 twice in query"), (None, "has no ids")],
)
def test_ids_that_a_trec_run_cannot_have(run: Run, names: Any, said: str) -> None:
    write(replace(ROWS, doc_ids=names), "odd.parquet")
    result = run("predict", "m.rw", "odd.parquet", "--trec-run", "-o", "run.txt")
    assert_one_sentence(result)
    assert said in result.stderr
    assert not Path("run.txt").exists()


def test_info(run: Run, model: rw.LambdaMART) -> None:
    table = run("info", "m.rw").stdout
    assert "metric                      ndcg@10\n" in table
    assert "trained on                  300 rows, 20 queries\n" in table
    assert "num_leaves                  4\n" in table
    said = json.loads(run("info", "m.rw", "--json").stdout)
    assert said["summary"]["best_iteration"] == 6
    assert said["parameters"]["num_leaves"] == 4
    shares = {f"feature {k + 1}": share for k, share in enumerate(model.feature_importances_) if share}
    assert {one["feature"]: one["share"] for one in said["importances"]} == shares
    assert said["importances"][0]["share"] == max(shares.values())


def test_a_query_is_explained(run: Run, model: rw.LambdaMART) -> None:
    said = json.loads(run("explain", "m.rw", "named.parquet", "--query", ROWS.qid[5], "--top", 3, "--json").stdout)
    scores = model.predict(ROWS.X)[5:10]
    best = np.argsort(-scores, kind="stable")[:3]
    assert [one["score"] for one in said["ranking"]] == scores[best].tolist()
    assert [one["document"] for one in said["ranking"]] == [f"d{k}" for k in best]
    assert [one["row"] for one in said["ranking"]] == [k + 6 for k in best]
    assert [(one["above"], one["below"]) for one in said["reasons"]] == [(1, 2), (2, 3)]
    first = said["reasons"][0]
    assert first["difference"] == scores[best[0]] - scores[best[1]]
    assert sum(part["adds"] for part in first["parts"]) == pytest.approx(first["difference"], abs=1e-12)
    part = first["parts"][0]
    column = int(part["feature"].removeprefix("feature ")) - 1
    assert [part["above"], part["below"]] == [float(ROWS.X[5 + k, column]) for k in best[:2]]


@pytest.mark.usefixtures("model")
def test_an_explanation_as_a_table(run: Run) -> None:
    lines = run("explain", "m.rw", "valid.txt", "--query", 0, "--top", 2).stdout.splitlines()
    assert lines[0].split() == ["rank", "document", "label", "score"]
    assert lines[1].startswith("1     row ")
    assert sum(" over " in line for line in lines) == 1
    Path("one.txt").write_text("1 qid:7 1:0 2:0 3:0 4:0\n")
    assert len(run("explain", "m.rw", "one.txt", "--query", 7).stdout.splitlines()) == 2


def test_a_model_with_names_and_missing_values(run: Run) -> None:
    names = np.array(["title", "body", "age", "[odd]"], dtype=object)
    write(replace(ROWS, X=np.where(ROWS.X > 0.2, np.nan, ROWS.X)), "gaps.parquet")
    data = rw.read("gaps.parquet")
    model = rw.LambdaMART(random_state=0, **SMALL | {"min_child_samples": 1})
    model.fit(data.X, data.y, qid=data.qid)
    model.feature_names_in_ = names
    rw.save(model, "n.rw")
    result = run("explain", "n.rw", "gaps.parquet", "--query", data.qid[0])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "missing" in result.stdout
    assert any(name in result.stdout for name in names)
    assert run("predict", "n.rw", "gaps.parquet").stderr == ""


BAD = {
    "no model": ("predict", "no.rw", "valid.txt"),
    "a model that is data": ("info", "valid.txt"),
    "a damaged model": ("explain", "cut.rw", "valid.txt", "--query", 0),
    "data of more features": ("predict", "m.rw", "many.txt"),
    "a table of fewer features": ("predict", "m.rw", "few.csv"),
    "data without features": ("predict", "m.rw", "qrels.txt", "run1.txt"),
    "validation data of more features": ("train", "train.txt", "--valid", "many.txt", "-o", "x.rw"),
    "training data without features": ("train", "qrels.txt", "run1.txt", "-o", "x.rw"),
    "one row": ("train", "many.txt", "-o", "x.rw"),
    "scores over the model": ("predict", "m.rw", "valid.txt", "-o", "m.rw"),
    "packed scores": ("predict", "m.rw", "valid.txt", "-o", "s.txt.gz"),
    "a model over the data": ("train", "train.txt", "-o", "train.txt"),
    "a model in no folder": ("train", "train.txt", "-o", "no/x.rw"),
    "a kind of model that is not": ("train", "train.txt", "-o", "x.rw", "--model", "oracle"),
    "a metric that is not": ("train", "train.txt", "-o", "x.rw", "--metric", "ndgc"),
    "a query that is not": ("explain", "m.rw", "valid.txt", "--query", 77),
    "no query": ("explain", "m.rw", "valid.txt"),
    "no documents": ("explain", "m.rw", "valid.txt", "--query", 0, "--top", 0),
}


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_changes_no_file(run: Run, folder: Path, case: str) -> None:
    Path("many.txt").write_text("1 qid:1 1:1 5:1\n")
    Path("few.csv").write_text("label,a,b,c\n1,2,3,4\n")
    Path("cut.rw").write_bytes(Path("m.rw").read_bytes()[:-100])
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert_one_sentence(run(*BAD[case]))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
