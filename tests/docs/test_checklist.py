"""The checklist of the papers: what it names is there, every test exists, and nothing is wrong or missing."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.doc_tables import ROOT

FOLDER = ROOT / "docs" / "papers"
PARTS = [path for path in (*sorted(FOLDER.glob("_checklist_*.md")), FOLDER / "checklist.md") if path.exists()]
COLUMNS = ["item", "where", "test", "verdict"]
PATH = re.compile(r"`((?:src|tests|benchmarks|docs|examples|scripts)/[^`:*]*)(?:::(\w+))?`")


def rows(path: Path) -> list[list[str]]:
    """Cells of the tables; a bar in a cell is escaped."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if not set("".join(row)) <= {"-", ":"}]


@cache
def functions(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


def test_there_is_a_checklist() -> None:
    assert PARTS


@pytest.mark.parametrize("part", PARTS, ids=lambda path: path.name)
def test_rows_have_an_item_a_place_a_test_and_a_verdict(part: Path) -> None:
    assert COLUMNS in rows(part)
    for row in rows(part):
        assert len(row) == len(COLUMNS), row
        assert row[0], row
        assert row[3], row


@pytest.mark.parametrize("part", PARTS, ids=lambda path: path.name)
def test_files_and_tests_that_are_named_exist(part: Path) -> None:
    named = PATH.findall(part.read_text())
    assert named
    for name, function in named:
        path = ROOT / name
        assert path.exists(), f"{part.name} names {name}, which is not there"
        if function:
            assert function in functions(path), f"{part.name} names {function}, which {name} does not have"


@pytest.mark.parametrize("part", PARTS, ids=lambda path: path.name)
def test_nothing_is_wrong_or_missing(part: Path) -> None:
    """Neither as a verdict, in whatever case, nor in capitals within one."""
    verdicts = [(row[0], row[3]) for row in rows(part)]
    assert [row for row in verdicts if re.search(r"^(?i:wrong|missing)\b|\b(WRONG|MISSING)\b", row[1])] == []
