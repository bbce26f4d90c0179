"""The pages that list what there is: every public name in docs/api.md, every folder in docs/architecture.md."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

from tests.doc_tables import ROOT, check_table, markdown

SOURCE = ROOT / "src" / "rankwise"
PACKAGES = ["rankwise"] + [
    f"rankwise.{path.parent.name}"
    for path in sorted(SOURCE.glob("*/__init__.py"))
    if "__all__" in path.read_text() and path.parent.name not in ("cli", "serve")
]
PACKAGES += ["rankwise.errors"]


def first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]


def summary(value: object) -> str:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return "type" if not isinstance(value, dict) else "table"
    return first_line(inspect.getdoc(value)).replace("|", "\\|")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_reference(package: str) -> None:
    module = importlib.import_module(package)
    rows = [(f"`{name}`", summary(getattr(module, name))) for name in module.__all__]
    check_table("docs/api.md", package, markdown(["name", "what it is"], rows))


def folders(folder: Path, depth: int = 0) -> list[str]:
    """One line per folder: its name and the first line of its docstring, with what lies in it below."""
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    lines = [f"{'  ' * depth + folder.name + '/':28}{first_line(docstring)}"]
    for path in sorted(folder.iterdir()):
        if (path / "__init__.py").is_file():
            lines += folders(path, depth + 1)
    return lines


def test_the_tree_is_drawn() -> None:
    check_table("docs/architecture.md", "tree", "\n".join(["```text", *folders(SOURCE), "```"]))


@pytest.mark.parametrize("document", ["papers", "architecture", "concepts"])
def test_files_that_documents_name_are_there(document: str) -> None:
    text = (ROOT / "docs" / f"{document}.md").read_text()
    named = re.findall(r"`((?:tests|benchmarks|src|[a-z]+)/[\w/.*]*)`", text)
    assert named
    assert [path for path in named if not any((base / path).exists() for base in (ROOT, ROOT / "src", SOURCE))] == []


@pytest.mark.parametrize("guide", ["add-a-metric", "add-a-ranker", "add-a-sampler"])
def test_guides_import_public_names_alone(guide: str) -> None:
    text = (ROOT / "docs" / f"{guide}.md").read_text()
    imported = re.findall(r"(?:from|import) (rankwise[\w.]*)(?: import ([\w, ]+))?", text)
    assert imported
    for module, names in imported:
        public = importlib.import_module(module)
        assert "._" not in module
        assert [name for name in names.split(", ") if name and name not in public.__all__] == []
