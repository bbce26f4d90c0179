"""A hook of mkdocs: one page per package with every public name, made by mkdocstrings from numpydoc.

A name stands on one page: what `import rankwise as rw` offers on that of `rankwise`, the rest on that of its package.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PACKAGE = Path(__file__).parents[2] / "src" / "rankwise"
MADE = re.compile(r"<!-- made: (rankwise[\w.]*) -->(.*?)<!-- end -->", re.DOTALL)


def packages() -> dict[str, list[str]]:
    """Public packages and modules, with the names that they make public."""
    api = (PACKAGE.parents[1] / "docs" / "api.md").read_text()
    return {name: list(importlib.import_module(name).__all__) for name, _ in MADE.findall(api)}


def on_config(config: Any) -> Any:
    """Put the pages below API in the navigation."""
    section = next(part["API"] for part in config.nav if "API" in part)
    section += [{name: f"api/{name}.md"} for name in packages() if {name: f"api/{name}.md"} not in section]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    for package, names in packages().items():
        files.append(File.generated(config, f"api/{package}.md", content=_page(package, names)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link the names in the tables of api.md."""
    if page.file.src_uri != "api.md":
        return markdown
    return MADE.sub(
        lambda made: re.sub(
            r"^\| `(\w+)`", lambda row: f"| [`{row[1]}`][{home(made[1], row[1])}]", made[2], flags=re.MULTILINE
        ),
        markdown,
    )


def home(package: str, name: str) -> str:
    """Where a name of a package is documented."""
    elsewhere = name in packages()["rankwise"]
    return f"rankwise.{name}" if elsewhere else f"{package}.{name}"


def _page(package: str, names: list[str]) -> str:
    own = [name for name in names if home(package, name) == f"{package}.{name}"]
    lines = [f"# `{package}`\n", f"::: {package}", "    options:", "      members:", *(f"        - {n}" for n in own)]
    others = [f"[`{name}`][rankwise.{name}]" for name in names if name not in own]
    if others:
        lines += ["", f"Also here, and in `rankwise`: {', '.join(others)}."]
    return "\n".join(lines) + "\n"
