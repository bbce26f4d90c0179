"""`--format` of eval and compare prints the tables for papers and pages that the results have in Python."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rankwise as rw
from tests.cli.conftest import Run

EVAL = ("eval", "test.txt", "--scores", "model.txt", "--metrics", "map auc")
COMPARE = ("compare", "test.txt", "--scores", "old.txt", "--scores", "model.txt", "--metrics", "map auc")


@pytest.fixture(params=[EVAL, COMPARE], ids=["eval", "compare"])
def command(request: pytest.FixtureRequest) -> tuple[str, ...]:
    arguments: tuple[str, ...] = request.param
    return arguments


def result(command: tuple[str, ...]) -> rw.Evaluation | rw.Comparison:
    data = rw.read("test.txt")
    scores = {name: np.loadtxt(f"{name}.txt") for name in ("old", "model")}
    if command is EVAL:
        return rw.evaluate(data.y, scores["model"], data.qid, "map auc")
    return rw.compare(data.y, scores, data.qid, "map auc")


def test_the_formats_are_those_of_the_result(run: Run, command: tuple[str, ...]) -> None:
    expected = result(command)
    assert run(*command, "--format", "markdown").stdout == expected.to_markdown().rstrip("\n") + "\n"
    assert run(*command, "--format", "latex").stdout == expected.to_latex().rstrip("\n") + "\n"
    assert run(*command, "--format", "table").stdout == run(*command).stdout
    assert json.loads(run(*command, "--json", "--format", "table").stdout) == expected.to_dict()


def test_two_forms_of_one_result_are_refused(run: Run, command: tuple[str, ...]) -> None:
    refused = run(*command, "--json", "--format", "latex")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--json and --format exclude each other, got both --json and --format latex; drop one" in refused.stderr
    assert run(*command, "--format", "html").exit_code == 2
