"""What every command has: -h, flags without a type, completion, `-` for standard output, one spelling of metrics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rankwise.cli import app
from rankwise.data import read
from rankwise.metrics._names import EXAMPLES
from tests.cli.conftest import Run
from tests.cli.test_docs_cli import COMMANDS
from tests.cli.trained import make_model

GROUPS = ("rankwise", "rankwise data", "rankwise data make")


def complete(line: str, **environment: str) -> Result:
    """What bash is told when TAB is pressed at the end of a line."""
    words = line.split(" ")
    asked = {
        "_RANKWISE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        **environment,
    }
    return CliRunner().invoke(app, [], prog_name="rankwise", env=asked)


@pytest.mark.parametrize("name", [*GROUPS, *COMMANDS])
def test_h_is_help_and_flags_have_no_type(name: str, run: Run) -> None:
    short, long = (run(*name.split()[1:], option) for option in ("-h", "--help"))
    assert short.exit_code == 0
    assert short.stdout == long.stdout
    assert re.search(r"--help +-h +Show", short.stdout)
    assert "bool" not in short.stdout.lower()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rankwise comp", ["compare"]),
        ("rankwise train --model lambda", ["lambdamart", "lambdarank"]),
        ("rankwise export --to o", ["onnx"]),
        ("rankwise eval --convention t", ["trec"]),
        ("rankwise data make cu", ["cubic"]),
        ("rankwise train --metric mau", ["mauc"]),
        ("rankwise eval --metrics pa", [name for name in EXAMPLES if name.startswith("pa")]),
    ],
)
def test_words_are_completed(line: str, expected: list[str]) -> None:
    assert complete(line).stdout.split() == expected


def test_the_last_of_several_metrics_is_completed() -> None:
    from rankwise.cli._command import complete_metrics

    assert complete_metrics("ndcg@10 mau") == ["ndcg@10 mauc"]
    assert complete_metrics("")[:2] == EXAMPLES[:2]


def test_the_root_installs_completion(run: Run) -> None:
    shown = run("--help").stdout
    assert "--install-completion" in shown
    assert "--show-completion" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "test.txt", "--scores", "model.txt", "--metric", "auc", "--json"],
        ["compare", "test.txt", "--scores", "model.txt", "--scores", "old.txt", "--metric=auc", "--json"],
        ["cv", "test.txt", "--model", "ranksvm", "--metric", "auc", "--metrics", "auc", "--folds", "2", "--json"],
        ["train", "test.txt", "--model", "ranksvm", "--metrics", "auc", "-o", "m.rw", "--json"],
    ],
)
def test_metric_and_metrics_stand_for_each_other(arguments: list[str], run: Run) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    assert '"auc"' in result.stdout
    assert "ndcg" not in result.stdout


def test_one_metric_is_not_several(run: Run) -> None:
    result = run("train", "test.txt", "--metrics", "auc map", "-o", "m.rw")
    assert (result.exit_code, Path("m.rw").exists()) == (2, False)


@pytest.mark.parametrize("words", [["convert", "test.txt"], ["normalize", "test.txt"]])
def test_data_goes_to_standard_output(words: list[str], run: Run) -> None:
    run("data", *words, "out.txt")
    result = run("data", *words, "-")
    assert (result.exit_code, result.stdout, result.stderr) == (0, Path("out.txt").read_text(), "")
    assert not Path("-").exists()


def test_data_that_is_made_goes_to_standard_output(run: Run, folder: Path) -> None:
    result = run("data", "make", "r-of-k", "-", "--rows", 5)
    (folder / "made.txt").write_text(result.stdout)
    assert len(read(folder / "made.txt")) == 5


def test_scores_go_to_standard_output(run: Run) -> None:
    make_model()
    run("predict", "m.rw", "train.txt", "-o", "scores.txt")
    expected = Path("scores.txt").read_text()
    for arguments in ([], ["-o", "-"]):
        result = run("predict", "m.rw", "train.txt", *arguments)
        assert (result.exit_code, result.stdout) == (0, expected)
    assert not Path("-").exists()


@pytest.mark.parametrize("target", ["lightgbm", "xgboost-json", "ranklib"])
def test_a_model_of_text_goes_to_standard_output(target: str, run: Run) -> None:
    make_model()
    run("export", "m.rw", "--to", target, "-o", "m.text")
    result = run("export", "m.rw", "--to", target, "-o", "-", "--check", "train.txt")
    assert (result.exit_code, result.stdout) == (0, Path("m.text").read_text())


REFUSED = [
    ["train", "test.txt", "-o", "-"],
    ["train", "test.txt", "-o", "m.rw", "--checkpoint", "-"],
    ["tune", "test.txt", "--space", "C=1:2", "-o", "-"],
    ["certify", "m.rw", "test.txt", "-o", "-"],
    ["eval", "test.txt", "--scores", "model.txt", "--per-query", "-"],
    ["eval", "test.txt", "--scores", "model.txt", "--report", "-"],
    ["info", "m.rw", "--report", "-", "--data", "test.txt"],
    ["data", "split", "test.txt", "--out", "-"],
    ["label", "test.txt", "--db", "-"],
    ["simulate", "test.txt", "--test", "test.txt", "--picture", "-"],
    ["export", "m.rw", "--to", "solr", "-o", "-"],
    ["export", "m.rw", "--to", "onnx", "-o", "-"],
    ["export", "m.rw", "--to", "ranklib", "-o", "-", "--json"],
]


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_is_no_text_or_not_alone_does_not_go_to_standard_output(arguments: list[str], run: Run) -> None:
    if arguments[0] == "info":
        make_model()  # which it loads before anything else
    before = set(Path().iterdir())
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(
        r"rankwise: .*standard output.*; name a file\n|rankwise: -o - prints .*; name a file\n", result.stderr
    )
    assert set(Path().iterdir()) == before
