"""`rankwise export`, from model files to files of other systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import lightgbm as lgb
import numpy as np
import onnxruntime
import pytest

import rankwise as rw
from rankwise.cli.commands._export import Target
from rankwise.models.export import FORMATS
from rankwise.models.export._ranklib import RankLib
from tests.cli.conftest import Run
from tests.cli.trained import SET, make_data, make_model


def test_the_formats_are_those_of_the_library() -> None:
    assert list(get_args(Target)) == list(FORMATS)


def test_onnx_scores_as_the_model_does(run: Run) -> None:
    model = make_model()
    result = run("export", "m.rw", "--to", "onnx", "-o", "m.onnx", "--check", "valid.txt")
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    lines = {line.split("  ")[0]: line.split()[-2:] for line in result.stdout.splitlines()}
    assert lines["rows"][0] == "150"
    assert lines["rows beyond rounding"] == lines["pairs in another order"] == ["0", "0"]
    valid = rw.read("valid.txt")
    scores = onnxruntime.InferenceSession("m.onnx").run(["score"], {"features": valid.X})[0]
    np.testing.assert_allclose(scores, model.predict(valid.X), rtol=1e-13)


@pytest.mark.parametrize("to", get_args(Target))
def test_every_format_is_written_and_agrees(run: Run, to: str) -> None:
    make_model()
    result = run(
        "export", "m.rw", "--to", to, "--out", "m.json", "--check", "train.txt", "--check", "valid.txt", "--json"
    )
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert (said["check"]["format"], said["check"]["agrees"], said["check"]["data"]["rows"]) == (to, True, 450)
    assert said["files"] == (["m.json", "m.features.json"] if to == "solr" else ["m.json"])
    assert all(Path(file).stat().st_size for file in said["files"])


def test_without_a_check_the_file_is_written_alone(run: Run) -> None:
    model = make_model()
    result = run("export", "m.rw", "--to", "lightgbm", "-o", "m.txt")
    size = Path("m.txt").stat().st_size
    assert (result.exit_code, result.stdout) == (0, f"m.txt: {size} bytes\n")
    valid = rw.read("valid.txt").X
    assert np.array_equal(lgb.Booster(model_file="m.txt").predict(valid), model.predict(valid))  # type: ignore[arg-type]


def test_linear_models_say_what_to_add(run: Run) -> None:
    make_data()
    made = run("train", "train.txt", "--model", "margin", "--set", "epsilon=0.9", "-o", "margin.rw")
    assert made.exit_code == 0, made.output
    result = run("export", "margin.rw", "--to", "ranklib", "-o", "m.txt", "--check", "valid.txt")
    assert result.exit_code == 0, result.output
    assert "together are those of the model" in result.stdout
    assert Path("m.txt").read_text().startswith("## Coordinate Ascent\n1:")


def test_names_of_columns_are_kept_and_matched(run: Run) -> None:
    data = rw.read("test.txt")
    names = ["bm25", "age", "price", "rank", "length"]
    for name, order in (("train.csv", [0, 1, 2, 3, 4]), ("other.csv", [4, 2, 0, 1, 3])):
        columns = [",".join(["qid", "label", *(names[k] for k in order)])]
        rows = [
            ",".join([str(q), str(y), *(repr(float(x[k])) for k in order)])
            for q, y, x in zip(data.qid, data.y, data.X, strict=True)
        ]
        Path(name).write_text("\n".join([*columns, *rows, ""]))
    made = run("train", "train.csv", "-o", "m.rw", *SET)
    assert made.exit_code == 0, made.output
    result = run("export", "m.rw", "--to", "xgboost-json", "-o", "m.json", "--check", "other.csv", "--json")
    assert (result.exit_code, json.loads(result.stdout)["check"]["agrees"]) == (0, True), result.output
    assert any(f'"split": "{name}"' in Path("m.json").read_text() for name in names)


def test_what_cannot_be_expressed_is_one_sentence(run: Run) -> None:
    make_data()
    made = run("train", "train.txt", "--model", "ranksvm", "-o", "svm.rw")
    assert made.exit_code == 0, made.output
    result = run("export", "svm.rw", "--to", "lightgbm", "-o", "m.txt")
    assert result.exit_code == 2
    assert result.stderr == (
        "rankwise: lightgbm cannot express a linear function, got a model of kind ranksvm; export to onnx\n"
    )
    assert not Path("m.txt").exists()


def test_a_file_that_disagrees_ends_with_code_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    make_model()
    right = RankLib.files
    monkeypatch.setattr(
        RankLib,
        "files",
        lambda *given: {p: b.replace(b"<feature> 1 ", b"<feature> 2 ") for p, b in right(*given).items()},
    )
    result = run("export", "m.rw", "--to", "ranklib", "-o", "m.txt", "--check", "valid.txt")
    assert result.exit_code == 3
    assert result.stderr == "rankwise: the ranklib file does not score as the model does, so it is not written\n"
    assert "rows beyond rounding" in result.stdout
    assert not Path("m.txt").exists()
    result = run("export", "m.rw", "--to", "ranklib", "-o", "m.txt", "--check", "valid.txt", "--json")
    assert (result.exit_code, json.loads(result.stdout)["check"]["agrees"]) == (3, False)


def test_nothing_is_written_over_what_is_read(run: Run) -> None:
    make_model()
    before = Path("m.rw").read_bytes()
    for out, check in (("m.rw", []), ("valid.txt", ["--check", "valid.txt"])):
        result = run("export", "m.rw", "--to", "ranklib", "-o", out, *check)
        assert (result.exit_code, "cannot be written" in result.stderr) == (2, True)
    Path("valid.features.txt").write_text("1 qid:1 1:0.5 2:1 3:2 4:3\n")
    result = run("export", "m.rw", "--to", "solr", "-o", "valid.txt", "--check", "valid.features.txt")
    assert (result.exit_code, "valid.features.txt cannot be written" in result.stderr) == (2, True)
    assert Path("m.rw").read_bytes() == before
    assert run("export", "m.rw", "--to", "pmml", "-o", "x").exit_code == 2
    assert run("export", "m.rw", "-o", "x").exit_code == 2
    assert run("export", "m.rw", "--to", "onnx", "-o", "nowhere/m.onnx").exit_code == 2
