"""Columns of training data and of data for a model: by place in LETOR text, by name in tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise.data import RankingData, polynomial, write
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SET, SMALL

NAMES = ["price", "größe", "age", "[odd], name"]
DATA = replace(polynomial(queries=30, documents=15, features=4, seed=1), feature_names=NAMES)
TRAIN, VALID = DATA.rows(np.arange(300)), DATA.rows(np.arange(300, 450))
# Data whose last two features are zero in every row.
ZEROS = replace(VALID, X=VALID.X * np.array([1, 1, 0, 0], dtype=np.float32), feature_names=None)


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    write(TRAIN, "train.csv")
    write(VALID, "valid.csv")
    write(TRAIN, "train.txt")
    write_letor_without_zeros(ZEROS, "zeros.txt")


def write_letor_without_zeros(data: RankingData, path: str) -> None:
    """As LETOR text usually is: features that are zero are in no line."""
    lines = []
    for row, label, qid in zip(data.X, data.y, data.qid, strict=True):
        pairs = " ".join(f"{column + 1}:{float(row[column])!r}" for column in np.flatnonzero(row))
        lines.append(f"{label:g} qid:{qid} {pairs}\n")
    Path(path).write_text("".join(lines))


def library_model(train: RankingData, judged: Any = None) -> rw.LambdaMART:
    model = rw.LambdaMART("ndcg@10", random_state=0, **SMALL)
    return model.fit(train.X, train.y, qid=train.qid, eval_set=judged)


def info(run: Run) -> str:
    return run("info", "m.rw", "--json").stdout


def scores_of(text: str) -> list[float]:
    return [float(line) for line in text.splitlines()]


# --- LETOR text may end before the last feature ---


def test_features_that_a_letor_file_leaves_out_are_zero(run: Run) -> None:
    assert rw.read("zeros.txt").n_features == 2
    run("train", "train.txt", "-o", "m.rw", *SET)
    model = library_model(TRAIN)
    result = run("predict", "m.rw", "zeros.txt")
    assert result.stderr == ""
    assert scores_of(result.stdout) == model.predict(ZEROS.X).tolist()
    assert {"feature 3", "feature 4"} & {one["feature"] for one in json.loads(info(run))["importances"]}
    told = json.loads(run("explain", "m.rw", "zeros.txt", "--query", 20, "--json").stdout)
    assert [one["score"] for one in told["ranking"]] == sorted(model.predict(ZEROS.X[:15]))[::-1][:5]


def test_validation_data_may_leave_out_the_last_features(run: Run) -> None:
    result = run("train", "train.txt", "--valid", "zeros.txt", "-o", "m.rw", *SET)
    assert (result.exit_code, result.stderr) == (0, "")
    model = library_model(TRAIN, (ZEROS.X, ZEROS.y, ZEROS.qid))
    rw.save(model, "library.rw")
    assert Path("m.rw").read_bytes() == Path("library.rw").read_bytes()


def test_a_table_of_unnamed_features_is_as_the_text_it_came_from(run: Run) -> None:
    run("train", "train.txt", "-o", "m.rw", *SET)
    run("data", "convert", "zeros.txt", "zeros.parquet")
    assert run("predict", "m.rw", "zeros.parquet").stdout == run("predict", "m.rw", "zeros.txt").stdout != ""
    run("data", "convert", "train.txt", "train.parquet")
    for name, valid in (("text.rw", "zeros.txt"), ("table.rw", "zeros.parquet")):
        run("train", "train.parquet", "--valid", valid, "-o", name, *SET)
    assert Path("text.rw").read_bytes() == Path("table.rw").read_bytes()


def test_sparse_data_is_widened_too(run: Run) -> None:
    rng = np.random.default_rng(0)
    noise = sp.random_array((300, 1498), density=0.02, rng=rng, dtype=np.float32)
    X = sp.hstack([sp.csr_array(TRAIN.X[:, :2]), noise], format="csr")
    write(RankingData(X, TRAIN.y, TRAIN.qid), "wide.txt")
    narrow = RankingData(sp.csr_array(X[:, :1400]), TRAIN.y, TRAIN.qid)
    write(narrow, "narrow.txt")
    assert rw.read("narrow.txt").is_sparse
    result = run("train", "wide.txt", "--valid", "narrow.txt", "--valid", "zeros.txt", "-o", "m.rw", *SET)
    assert result.exit_code == 0, result.output
    filled = sp.hstack([X[:, :1400], sp.csr_array((300, 100), dtype=np.float32)], format="csr")
    scores = scores_of(run("predict", "m.rw", "narrow.txt").stdout)
    assert scores == rw.load("m.rw").predict(filled).tolist()
    assert len(set(scores)) > 1
    dense = run("predict", "m.rw", "zeros.txt")
    assert len(scores_of(dense.stdout)) == len(ZEROS)


# --- tables have names ---


def test_names_go_from_a_table_into_the_model_and_what_is_said_of_it(run: Run) -> None:
    result = run("train", "train.csv", "--valid", "valid.csv", "-o", "m.rw", *SET)
    assert (result.exit_code, result.stderr) == (0, "")
    model = library_model(TRAIN, (VALID.X, VALID.y, VALID.qid))
    assert list(rw.load("m.rw").feature_names_in_) == NAMES
    said = json.loads(info(run))
    assert said["feature_names"] == NAMES
    shares = dict(zip(NAMES, model.feature_importances_.tolist(), strict=True))
    assert {one["feature"]: one["share"] for one in said["importances"]} == {k: v for k, v in shares.items() if v}
    assert any(name in run("info", "m.rw").stdout for name in NAMES)
    explained = run("explain", "m.rw", "valid.csv", "--query", 23, "--json")
    assert explained.stderr == ""
    parts = json.loads(explained.stdout)["reasons"][0]["parts"]
    assert {part["feature"] for part in parts} <= set(NAMES)
    top = np.flatnonzero(VALID.qid == 23)[np.argsort(-model.predict(VALID.X[VALID.qid == 23]), kind="stable")[0]]
    for part in parts:
        assert part["above"] == float(VALID.X[top, NAMES.index(part["feature"])])
    assert scores_of(run("predict", "m.rw", "valid.csv").stdout) == model.predict(VALID.X).tolist()


def test_columns_are_found_by_name(run: Run) -> None:
    order = [2, 0, 3, 1]
    write(replace(VALID, X=VALID.X[:, order], feature_names=[NAMES[k] for k in order]), "moved.parquet")
    run("train", "train.csv", "-o", "m.rw", *SET)
    assert run("predict", "m.rw", "moved.parquet").stdout == run("predict", "m.rw", "valid.csv").stdout != ""
    for name in ("valid.csv", "moved.parquet"):
        run("train", "train.csv", "--valid", name, "-o", f"{name}.rw", *SET)
    assert Path("moved.parquet.rw").read_bytes() == Path("valid.csv.rw").read_bytes()


@pytest.mark.slow
def test_data_without_names_is_told_by_place(run: Run) -> None:
    write(replace(VALID, feature_names=None), "plain.csv")
    write(VALID, "valid.txt")
    run("train", "train.csv", "-o", "named.rw", *SET)
    run("train", "train.txt", "-o", "plain.rw", *SET)
    said = {
        run("predict", model, data).stdout
        for model in ("named.rw", "plain.rw")
        for data in ("valid.csv", "plain.csv", "valid.txt")
    }
    assert len(said) == 1
    result = run("train", "train.csv", "--valid", "zeros.txt", "-o", "m.rw", *SET)
    assert result.exit_code == 0
    assert "zeros.txt has no names of features, so columns are matched by place" in result.stderr
    assert run("predict", "m.rw", "zeros.txt").stderr == ""
    result = run("train", "train.txt", "--valid", "valid.csv", "-o", "m.rw", *SET)
    assert result.exit_code == 0
    assert "the model has no names of features, so columns are matched by place" in result.stderr
    assert not hasattr(rw.load("m.rw"), "feature_names_in_")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([*NAMES[:3], "other"], "other.csv must have the columns of the training data, got none named '[odd], name'"),
        ([*NAMES, "more"], "got one named 'more'; pass data made in the same way"),
        (NAMES[:3], "got none named '[odd], name'; pass data made in the same way"),
    ],
)
def test_other_columns_are_one_sentence(run: Run, names: list[str], said: str) -> None:
    X = np.resize(VALID.X, (len(VALID), len(names)))
    write(replace(VALID, X=X, feature_names=names), "other.csv")
    run("train", "train.csv", "-o", "m.rw", *SET)
    for command in (("predict", "m.rw", "other.csv"), ("train", "train.csv", "--valid", "other.csv", "-o", "x.rw")):
        result = run(*command)
        assert_one_sentence(result)
        assert said in result.stderr


def test_parameters_name_columns(run: Run) -> None:
    named = ("--set", 'monotone_constraints={"age": 1}', "--set", 'categorical_feature=["price"]')
    numbered = ("--set", 'monotone_constraints={"2": 1}', "--set", "categorical_feature=[0]")
    write(replace(TRAIN, X=np.abs(TRAIN.X * 4).round()), "train.csv")
    for name, settings in (("named.rw", named), ("numbered.rw", numbered), ("plain.rw", ())):
        result = run("train", "train.csv", "-o", name, *SET, *settings)
        assert result.exit_code == 0, result.output
    assert run("predict", "named.rw", "train.csv").stdout == run("predict", "numbered.rw", "train.csv").stdout
    assert run("predict", "named.rw", "train.csv").stdout != run("predict", "plain.rw", "train.csv").stdout
    result = run("train", "train.csv", "-o", "x.rw", "--set", 'categorical_feature=["weight"]')
    assert_one_sentence(result)
    assert "names the feature 'weight', which X does not have" in result.stderr


def test_names_survive_a_kill_and_a_split(run: Run) -> None:
    run("train", "train.csv", "-o", "once.rw", *SET)
    run("train", "train.csv", "-o", "m.rw", *SET, "--checkpoint", "run")
    run("train", "train.csv", "-o", "m.rw", *SET, "--checkpoint", "run", "--resume")
    assert Path("m.rw").read_bytes() == Path("once.rw").read_bytes()
    run("data", "split", "train.csv", "--out", "parts", "--ext", "parquet")
    assert rw.read("parts/valid.parquet").feature_names == NAMES
