"""`rankwise warm-up` compiles what few rows would be interpreted by, and says how much that was."""

from __future__ import annotations

import json

import pytest

from rankwise.kernels import _tiers
from rankwise.kernels._json_rows import read_rows
from rankwise.kernels._tree_scoring import score_trees
from rankwise.metrics import parse
from tests.cli.conftest import Run


def test_the_loops_of_the_metrics_are_compiled(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tiers, "MAX_ROWS", 10_000)
    answer = json.loads(run("warm-up", "--metrics", "p@5", "--json").stdout)
    assert answer["metrics"] == ["p@5"]
    loop = parse("p@5").query_loop()
    assert loop is not None
    assert loop.run.func.overloads  # type: ignore[attr-defined]
    assert _tiers.MAX_ROWS == 10_000, "few rows are few again afterwards"
    for scoring in (score_trees, read_rows):
        assert scoring.overloads  # type: ignore[union-attr]
    assert "functions in" in run("warm-up", "--metrics", "p@5").stdout


def test_a_metric_that_there_is_not(run: Run) -> None:
    done = run("warm-up", "--metrics", "ndgc")
    assert done.exit_code == 2
    assert "did you mean" in done.stderr
