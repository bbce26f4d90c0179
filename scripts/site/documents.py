"""A hook of mkdocs: documents as GitHub shows them become pages of the site.

Links that leave docs/ lead to copies in the site, links that are called by their file are called by its title, pictures
follow the theme, and interactive sessions are coloured (and copied without their prompts).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Documents at the root of the repository, by their page.
NAMES = ("CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "CHANGELOG")
PAGES = {f"{name.lower()}.md": ROOT / f"{name}.md" for name in NAMES}
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*</picture>')
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the documents at the root, and every file outside docs/ that a document links to."""
    for name, path in PAGES.items():
        files.append(File.generated(config, name, content=path.read_text()))
    documents = [*DOCS.rglob("*.md"), *PAGES.values()]
    linked = {target for path in documents for target in _targets(path) if not target.is_relative_to(DOCS)}
    for target in sorted(linked - set(PAGES.values())):
        if target.is_file():
            files.append(File(target.relative_to(ROOT).as_posix(), str(ROOT), config.site_dir, False))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite one document, its code apart."""
    source = PAGES.get(page.file.src_uri, DOCS / page.file.src_uri)
    pieces = FENCED.split(_by_theme(markdown))
    pieces[::2] = [LINK.sub(lambda link: _rewritten(link, source, page.file.src_uri), text) for text in pieces[::2]]
    pieces[1::2] = [re.sub(r"^```python\n>>>", "```pycon\n>>>", code) for code in pieces[1::2]]
    return "".join(pieces)


def _targets(document: Path) -> list[Path]:
    """Files that a document links to."""
    text = _by_theme("".join(FENCED.split(document.read_text())[::2]))
    links = [link[3] for link in LINK.finditer(text) if "://" not in link[3]]
    return [(document.parent / link).resolve() for link in links]


def _by_theme(markdown: str) -> str:
    """Pictures for light and dark, of which the theme of the page shows one and not that of the system."""
    return PICTURE.sub(r"![\2](\3#only-light)\n![\2](\1#only-dark)", markdown)


def _rewritten(link: re.Match[str], source: Path, uri: str) -> str:
    mark, text, path, anchor = link[1], link[2], link[3], link[4] or ""
    if "://" in path:
        return link[0]
    target = (source.parent / path).resolve()
    if text.removeprefix("docs/").endswith(".md") and target.is_file():
        text = _title(target)
    pages = {document: name for name, document in PAGES.items()} | {ROOT / "README.md": "index.md"}
    place = pages.get(target) or target.relative_to(DOCS if target.is_relative_to(DOCS) else ROOT).as_posix()
    there = os.path.relpath(place, Path(uri).parent)
    shown = f"{mark}[{text}]({there}{anchor})"
    return f"[{shown}]({there})" if mark else shown  # a picture opens in its full size


def _title(document: Path) -> str:
    """The first heading of a document."""
    return document.read_text().split("\n", 1)[0].removeprefix("# ").replace("`", "")
