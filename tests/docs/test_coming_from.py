"""Coming from another library: our side of every table runs, theirs where it is installed, and figures agree."""

from __future__ import annotations

import doctest
import re
import shlex
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import rankwise as rw
from rankwise.cli import app
from tests.doc_tables import ROOT

FOLDER = ROOT / "docs" / "coming-from"
INSTALLED = {"LightGBM", "scikit-learn", "ranx", "pytrec_eval"}
OTHERS_SCALE = "max_fpr"  # what the page says of it: another scale
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")


def tables(page: str) -> list[list[list[str]]]:
    """Tables of a page as rows of cells, the header first."""
    found = re.findall(r"(?:^\|.*\|\n)+", (FOLDER / f"{page}.md").read_text(), re.MULTILINE)
    lines = [[line for line in text.splitlines() if not line.startswith("| ---")] for text in found]
    return [[[cell.strip() for cell in line[1:-1].split("|")] for line in table] for table in lines]


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def setup(page: str) -> dict[str, Any]:
    """Names that the page defines above its table."""
    examples = doctest.DocTestParser().get_examples((FOLDER / f"{page}.md").read_text())
    names: dict[str, Any] = {}
    for example in examples:
        exec(example.source, names)
    return names


def run(cell: str, names: dict[str, Any]) -> Any:
    """The value of a cell that is one line of code, or None; a line of the shell runs as a command."""
    if not re.fullmatch(r"`[^`]+`", cell):
        return None
    (code,) = spans(cell)
    if code.startswith("rankwise "):
        result = CliRunner().invoke(app, shlex.split(code)[1:])
        assert result.exit_code == 0, result.output
        return None
    try:
        return eval(code, names)
    except SyntaxError:
        exec(code, names)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_both_sides_run_and_their_figures_agree(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    theirs_runs: Callable[[], AbstractContextManager[None]] = nullcontext
    if page == "ranx":
        from tests.reference.interpreted_ranx import interpreted as theirs_runs
    ran = compared = 0
    for (theirs, ours, *_), *rows in tables(page):
        if ours != "rankwise":
            continue
        left, right = setup(page), setup(page)
        for their_line, our_line in rows:
            with warnings.catch_warnings(), theirs_runs():
                warnings.simplefilter("ignore")  # theirs
                expected = run(their_line, left) if theirs in INSTALLED else None
            value = run(our_line, right)
            ran += value is not None
            if our_line.startswith("`rw.evaluate") and expected is not None and OTHERS_SCALE not in their_line:
                compared += 1
                assert value == pytest.approx(expected, abs=1e-6), (their_line, our_line)
    assert ran
    assert compared or page not in ("scikit-learn", "ranx", "trec_eval")


@pytest.mark.parametrize("page", ["lightgbm", "xgboost", "catboost"])
def test_parameters_are_there_or_missing_as_the_page_says(page: str) -> None:
    ours = set(rw.LambdaMART().get_params())
    (table,) = (table for table in tables(page) if table[0][1] == "LambdaMART")
    for theirs, here, _ in table[1:]:
        left = {name.partition("=")[0] for name in spans(theirs)}
        if here == "not there":
            assert not left & ours
        else:
            assert (left if here == "the same" else set(spans(here))) <= ours
    missing = spans((FOLDER / f"{page}.md").read_text().partition("**Missing**")[2].partition("\n\n")[0])
    assert not (set(missing) - {"bags", "query_subsample"}) & ours


@pytest.mark.parametrize("page", ["ranx", "trec_eval"])
def test_metrics_are_there(page: str) -> None:
    (table,) = (table for table in tables(page) if table[0][1] == "metric")
    for _, here in table[1:]:
        assert [rw.parse(name.replace("@k", "@10")) for name in spans(here)]
