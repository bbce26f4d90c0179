"""`eval` and `compare` with `--report`: what the page is told, and values that there are not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run


@pytest.fixture
def fraud(folder: Path) -> Path:
    """Two classes without queries, and scores of two systems."""
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.3).astype(int)
    Path("fraud.csv").write_text("label,a\n" + "".join(f"{label},{k}\n" for k, label in enumerate(y.tolist())))
    for name, noise in (("new", 0.5), ("old", 1.0)):
        scores = y + noise * rng.normal(size=200)
        Path(f"{name}.scores").write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    return folder


def test_a_classifiers_page_from_files(run: Run, fraud: Path) -> None:
    result = run(
        "eval", "fraud.csv", "--scores", "new.scores", "--metrics", "auc r@p=0.8", "--threshold", "0.5",
        "--title", "Fraud & co", "--report", "r.html",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    page = Path("r.html").read_text(encoding="utf-8")
    assert "<h1>Fraud &amp; co</h1>" in page
    for words in ("fraud.csv", "new.scores", "<h2>Decisions</h2>", "own threshold", "hindsight, r@p=0.8"):
        assert words in page
    assert "Score ≥ 0.5" in page


def test_thresholds_of_several_systems(run: Run, fraud: Path) -> None:
    files = ("compare", "fraud.csv", "--scores", "new.scores", "--scores", "old.scores", "--metrics", "auc")
    result = run(*files, "--threshold", "0.5", "--threshold", "old=-0.25", "--report", "r.html")
    assert result.exit_code == 0, result.output
    page = Path("r.html").read_text(encoding="utf-8")
    found = dict(re.findall(r"<h3>(new|old): own threshold</h3>.*?Score ≥ ([-\d.]+)", page, re.S))
    assert found == {"new": "0.5", "old": "-0.25"}
    assert "old.scores" in page
    for wrong, message in (("x", "must be a number or NAME=NUMBER"), ("other=1", "thresholds must be of the systems")):
        refused = run(*files, "--threshold", wrong, "--report", "r.html")
        assert refused.exit_code == 2
        assert message in refused.stderr


@pytest.mark.parametrize("option", [("--title", "x"), ("--threshold", "0.5")])
def test_options_of_a_page_without_one_are_refused(run: Run, option: tuple[str, str]) -> None:
    for command in (("eval", "test.txt", "--feature", 1), ("compare", "qrels.txt", "run1.txt", "run2.txt")):
        result = run(*command, *option)
        assert result.exit_code == 2
        assert f"{option[0]} is for the page that --report writes" in result.stderr


def test_a_threshold_for_queries_is_refused(run: Run) -> None:
    result = run("eval", "test.txt", "--feature", 1, "--threshold", 0.5, "--report", "r.html")
    assert result.exit_code == 2
    assert "a threshold is for one list of two classes" in result.stderr


def test_where_nothing_is_relevant_there_is_no_value_in_words(run: Run) -> None:
    Path("none.txt").write_text("".join(f"0 qid:{q} 1:{k}\n" for q in (1, 2) for k in range(3)))
    Path("a.txt").write_text("1\n2\n3\n" * 2)
    Path("b.txt").write_text("3\n2\n1\n" * 2)
    alone = run("eval", "none.txt", "--scores", "a.txt", "--metrics", "map", "--report", "r.html")
    both = run("compare", "none.txt", "--scores", "a.txt", "--scores", "b.txt", "--metrics", "map")
    for result in (alone, both):
        assert result.exit_code == 0
        assert "no value" in result.stdout
    assert "nan" not in alone.stdout
    assert "No document is relevant" in Path("r.html").read_text(encoding="utf-8")
