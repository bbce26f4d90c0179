"""The gallery: every script runs as a notebook, says nothing on stderr, and draws pictures with captions."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest

from scripts.site import gallery

SUBJECTS = [
    "search-from-a-data-frame",
    "fraud-with-a-certified-threshold",
    "multi-class-auc",
    "very-long-lists",
    "clicks",
    "what-to-label-next",
    "a-metric-and-a-lambda-of-your-own",
    "export-and-serve",
    "a-dask-cluster",
    "linear-programs-with-a-certificate",
]


def test_there_is_an_example_of_each_subject() -> None:
    assert [gallery.page_name(script) for script in gallery.scripts()] == SUBJECTS


@pytest.mark.parametrize("script", gallery.scripts(), ids=lambda script: script.stem)
def test_the_notebook_has_the_code_of_the_script(script: Path) -> None:
    notebook = gallery.make_notebook(script)
    nbformat.validate(notebook)
    code = "\n".join(cell.source for cell in notebook.cells[1:] if cell.cell_type == "code")
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(script.read_text()))
    title, line = notebook.cells[1].source.split("\n\n")[:2]
    assert title.startswith("# ")
    assert line.endswith(".")
    assert "\n" not in title
    assert "To take away" in notebook.cells[-1].source


@pytest.mark.slow
@pytest.mark.parametrize("script", gallery.scripts(), ids=lambda script: script.stem)
def test_the_notebook_runs(script: Path) -> None:
    notebook = gallery.executed(script)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    pictures = gallery.pictures(notebook)
    assert pictures
    assert all(picture.startswith(b"\x89PNG") and len(picture) > 10_000 for picture in pictures)
    drawn = [cell for cell in cells if any("image/png" in output.get("data", {}) for output in cell.outputs)]
    assert all(gallery.caption(cell).endswith(".") for cell in drawn)


def cell(kind: str, source: str, **more: Any) -> Any:
    return nbformat.from_dict({"cell_type": kind, "source": source, "metadata": {}} | more)


def test_a_page_has_what_was_printed_and_drawn_and_no_checks() -> None:
    picture = {"output_type": "execute_result", "data": {"image/png": "", "text/plain": "<Figure>"}}
    picture["metadata"] = {"image/png": {"width": 300, "height": 200}}
    printed = {"output_type": "stream", "name": "stdout", "text": "12 < 13\n"}
    cells = [
        cell("code", "%matplotlib inline", metadata={"tags": ["check"]}, outputs=[]),
        cell("markdown", "# Title\n\nOne line."),
        cell("code", "print(x)", outputs=[printed]),
        cell("code", "assert x", metadata={"tags": ["check"]}, outputs=[]),
        cell("code", 'ax.figure  # A "picture".', outputs=[picture]),
    ]
    page = gallery.page(nbformat.from_dict({"cells": cells}), "some")
    assert page.removeprefix(gallery.WIDE).startswith("# Title\n\nOne line.\n\n[Script](some.py)")
    assert "```python\nprint(x)\n```" in page
    assert "\n12 < 13\n```" in page
    assert "assert" not in page
    assert "matplotlib" not in page
    assert "```python\nax.figure\n```" in page
    assert 'src="some-1.png" width="300" alt="A &quot;picture&quot;."' in page


def test_a_picture_without_a_caption_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a caption"):
        gallery.caption(cell("code", "x = 1\nax.figure"))
