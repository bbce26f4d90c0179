"""A hook of mkdocs: the scripts of examples/gallery, executed, as pages with their pictures, and as notebooks.

A script is in the percent format: `# %% [markdown]` begins a cell of text, `# %%` one of code. The notebook that is
made from it is run by Jupyter, once for each state of the script and of the package, and kept in out/gallery; the page
shows what came out. A cell that draws ends with the figure, and with a comment that is the caption of the picture:

    rw.plot.importances(model).figure  # What the trees look at.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import html
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "examples" / "gallery"
KEPT = ROOT / "out" / "gallery"
CELL = re.compile(r"^# %%( \[markdown\])?(?: tags=\[\"(\w+)\"\])?\n", re.MULTILINE)
CAPTION = re.compile(r"\.figure  # (.+)$")
HIDDEN = "check"  # a cell with this tag is in the script and the notebook, and not on the page
SECONDS = 600  # a cell that takes longer hangs
# Pictures in the notebook, as sharp as screens are.
SETUP = '%matplotlib inline\n%config InlineBackend.figure_formats = ["retina"]'

WIDE = "---\nhide:\n  - toc\n---\n\n"  # room for code and pictures in place of a table of contents


def scripts() -> list[Path]:
    """The examples, in the order of their numbers."""
    return sorted(SCRIPTS.glob("[0-9][0-9]_*.py"))


def page_name(script: Path) -> str:
    """What a page, its pictures and its downloads are called."""
    return re.sub(r"^\d+_", "", script.stem).replace("_", "-")


def on_config(config: Any) -> Any:
    """Put the pages below Examples in the navigation."""
    section = next(part["Examples"] for part in config.nav if "Examples" in part)
    pages = [f"examples/{page_name(script)}.md" for script in scripts()]
    section += [page for page in pages if page not in section]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages, their pictures and what can be downloaded."""
    for script in scripts():
        notebook, name = executed(script), page_name(script)
        made: dict[str, str | bytes] = {f"{name}-{n}.png": picture for n, picture in enumerate(pictures(notebook), 1)}
        made |= {f"{name}.md": page(notebook, name), f"{name}.py": script.read_text()}
        made[f"{name}.ipynb"] = nbformat.writes(notebook)
        for uri, content in made.items():
            files.append(File.generated(config, f"examples/{uri}", content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put a card for each example on the index."""
    if page.file.src_uri != "examples/index.md":
        return markdown
    return f'{markdown}\n<div class="gallery">\n{"".join(_card(script) for script in scripts())}</div>\n'


def make_notebook(script: Path) -> Any:
    """The notebook of a script, not yet run."""
    text = script.read_text()
    starts = list(CELL.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    cells = [new_code_cell(SETUP, id="setup", metadata={"tags": [HIDDEN]})]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        source = text[start.end() : end].strip()
        if start[1]:
            cells.append(new_markdown_cell(re.sub(r"^# ?", "", source, flags=re.MULTILINE), id=f"text-{number}"))
        else:
            cells.append(new_code_cell(source, id=f"code-{number}", metadata={"tags": [start[2]]} if start[2] else {}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "rankwise": {"state": _state(cells)}})


def _state(cells: list[Any]) -> str:
    """A hash of all that the output follows from."""
    digest = hashlib.sha256("\n".join(cell.source for cell in cells if cell.cell_type == "code").encode())
    for path in (ROOT / "constraints.txt", *sorted((ROOT / "src").rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def executed(script: Path) -> Any:
    """The notebook of a script with what came out, run unless it was for the same script and the same package."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept, notebook = KEPT / f"{script.stem}.ipynb", make_notebook(script)
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests that ask at once run it once
        if kept.exists() and json.loads(kept.read_text())["metadata"]["rankwise"] == notebook.metadata["rankwise"]:
            for cell, ran in zip(_code(notebook), _code(nbformat.read(kept, as_version=4)), strict=True):
                cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
            return notebook
        with tempfile.TemporaryDirectory() as folder:
            place = {"metadata": {"path": folder}}
            client = NotebookClient(notebook, timeout=SECONDS, resources=place, record_timing=False)
            client.extra_arguments = [
                "--IPKernelApp.log_level=40"
            ]  # it warns of its port, which this machine sees alone
            client.execute()
        nbformat.write(notebook, kept)
    return notebook


def _code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def pictures(notebook: Any) -> list[bytes]:
    """The pictures of a notebook, in their order."""
    results = [output.get("data", {}) for cell in _code(notebook) for output in cell.outputs]
    return [base64.b64decode(data["image/png"]) for data in results if "image/png" in data]


def page(notebook: Any, name: str) -> str:
    """The page of a notebook in Markdown."""
    first, *cells = [cell for cell in notebook.cells if HIDDEN not in cell.metadata.get("tags", [])]
    downloads = f"[Script]({name}.py){{ download }} · [Notebook]({name}.ipynb){{ download }}\n{{ .downloads }}"
    pieces, drawn = [first.source, downloads], 0
    for cell in cells:
        if cell.cell_type == "markdown":
            pieces.append(cell.source)
            continue
        pieces.append(f"```python\n{CAPTION.sub('.figure', cell.source)}\n```")
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                drawn += 1
                pieces.append(_figure(output, f"{name}-{drawn}.png", caption(cell)))
            else:
                text = output.get("text") or output.data["text/plain"]
                pieces.append(f"```{{ .text .printed }}\n{text.rstrip()}\n```")
    return WIDE + "\n\n".join(pieces) + "\n"


def caption(cell: Any) -> str:
    """What the last line of a cell says of the picture that it draws."""
    found = CAPTION.search(cell.source)
    if found is None:
        raise ValueError(f"a picture needs a caption, .figure  # so, got {cell.source.splitlines()[-1]!r}")
    return found[1]


def _figure(output: Any, picture: str, text: str) -> str:
    width = output.metadata["image/png"]["width"]
    image = f'<img class="plot" src="{picture}" width="{width}" alt="{html.escape(text)}" loading="lazy">'
    return f'<figure><a href="{picture}">{image}</a><figcaption>{html.escape(text)}</figcaption></figure>'


def _card(script: Path) -> str:
    title, line = make_notebook(script).cells[1].source.removeprefix("# ").split("\n\n")[:2]
    name, words = page_name(script), line.replace("\n", " ")
    image = f'<img class="plot" src="{name}-1.png" alt="" loading="lazy">'
    return (
        f'<a class="card" href="{name}.html">{image}<b>{html.escape(title)}</b><span>{html.escape(words)}</span></a>\n'
    )
