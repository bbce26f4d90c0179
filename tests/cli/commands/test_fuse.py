"""`rankwise fuse` writes what `fuse` makes of TREC runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

import rankwise as rw
from rankwise.cli.commands import _fuse
from rankwise.data.io._trec import RUN_COLUMNS, SCORE_AT, read_by_query
from rankwise.fusion import _methods
from tests.cli.conftest import Run


def table(path: str) -> dict[str, dict[str, float]]:
    return read_by_query(Path(path), RUN_COLUMNS, SCORE_AT, False, [])


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ((), {}),
        (("--k", 5, "--weight", 1, "--weight", 2), {"k": 5, "weights": [1, 2]}),
        (("--method", "combsum", "--normalize", "rank"), {"method": "combsum", "normalize": "rank"}),
        (("--method", "borda"), {"method": "borda"}),
    ],
)
def test_the_run_is_that_of_fuse(run: Run, options: tuple[object, ...], arguments: dict[str, object]) -> None:
    expected = rw.fuse([table("run1.txt"), table("run2.txt")], **arguments)  # type: ignore[call-overload]
    result = run("fuse", "run1.txt", "run2.txt", "-o", "fused.txt", *options)
    assert (result.exit_code, result.stdout) == (0, "fused.txt: 7 documents, 4 queries\n")
    assert table("fused.txt") == expected
    assert run("fuse", "run1.txt", "run2.txt", *options).stdout == Path("fused.txt").read_text()
    assert run("eval", "qrels.txt", "fused.txt", "--metrics", "map").exit_code == 0


def test_lines_are_best_first_with_ranks(run: Run) -> None:
    lines = [line.split() for line in run("fuse", "run1.txt", "run2.txt").stdout.splitlines()]
    assert [line[:4] for line in lines[:3]] == [["1", "Q0", "b", "1"], ["1", "Q0", "a", "2"], ["1", "Q0", "z", "3"]]
    assert {line[5] for line in lines} == {"rankwise-fuse"}


def test_json_has_the_run_unless_it_is_written(run: Run) -> None:
    found = json.loads(run("fuse", "run1.txt", "run2.txt", "--json").stdout)
    assert found["run"] == rw.fuse([table("run1.txt"), table("run2.txt")])
    assert (found["method"], found["runs"], found["queries"], found["documents"]) == (
        "rrf",
        ["run1.txt", "run2.txt"],
        4,
        7,
    )
    found = json.loads(run("fuse", "run1.txt", "run2.txt", "-o", "fused.txt", "--json").stdout)
    assert found["out"] == "fused.txt"
    assert "run" not in found


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run1.txt",), "two or more runs to fuse, got run1.txt"),
        (("run1.txt", "run2.txt", "run1.txt"), "each run is named once, got run1.txt twice"),
        (("run1.txt", "missing.txt"), "missing.txt"),
        (("run1.txt", "qrels.txt"), "qrels.txt:1: a line must be qid Q0 document rank score tag, got 4 words"),
        (("run1.txt", "run2.txt", "-o", "run1.txt"), "run1.txt cannot be written"),
        (("run1.txt", "run2.txt", "--method", "combmax", "--weight", 1, "--weight", 2), "weights are for"),
        (("run1.txt", "run2.txt", "--normalize", "rank"), "rrf sees the places of documents alone"),
        (("run1.txt", "run2.txt", "--method", "nonsense"), "nonsense"),
    ],
)
def test_what_cannot_be_fused_is_said_in_a_sentence(run: Run, arguments: tuple[object, ...], sentence: str) -> None:
    result = run("fuse", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_the_words_are_those_of_fuse() -> None:
    assert get_args(_fuse.FusionMethod) == get_args(_methods.Method)
    assert get_args(_fuse.FusionNormalization) == get_args(_methods.Normalization)
