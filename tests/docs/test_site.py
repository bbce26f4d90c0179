"""The site builds strictly, has every public name, command and example, needs nothing but its own files, and fits."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbformat
import pytest

from rankwise.cli import app
from scripts.site import gallery
from tests.doc_tables import ROOT
from tests.docs.test_api import PACKAGES

pytestmark = pytest.mark.slow


def build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config), "--site-dir", str(site)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    result = build(ROOT / "mkdocs.yml", folder)
    assert result.returncode == 0, result.stderr
    return folder


def pages(site: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in site.rglob("*.html")}


def test_every_public_name_is_described_on_one_page(site: Path) -> None:
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    listed = {line.split(" ")[0] for line in inventory.splitlines()}
    everywhere = set(importlib.import_module("rankwise").__all__)
    for package in PACKAGES:
        names = set(importlib.import_module(package).__all__)
        own = names if package == "rankwise" else names - everywhere
        assert {f"{package}.{name}" for name in own} <= listed
        text = (site / "api" / f"{package}.html").read_text()
        described = {name for name in own if "<p>" in _entry(text, f"{package}.{name}")}
        assert described == own


def _entry(text: str, name: str) -> str:
    """What a page says of a name, up to the next one."""
    return text.partition(f'id="{name}"')[2].partition('class="doc doc-object doc-')[0]


def test_docstrings_are_put_together_as_help_shows_them(site: Path) -> None:
    losses = (site / "api" / "rankwise.losses.html").read_text()
    assert "{...}" not in losses
    assert losses.count("reduction") > 1  # written once, for several classes


def test_every_command_has_a_section(site: Path) -> None:
    text = (site / "commands.html").read_text()
    names = [info.name for info in app.registered_commands]
    assert "train" in names
    for name in names:
        assert f'id="rankwise-{name}"' in text
    assert 'id="rankwise-data-make-clicks"' in text
    assert "--objective" in text


def test_links_lead_to_files_of_the_site(site: Path) -> None:
    found = pages(site)
    assert len(found) > 60
    for path, text in found.items():
        for link in re.findall(r'(?:href|src|srcset)="([^"#?]+)', text):
            if path.name == "404.html" or re.match(r"https://|data:|mailto:|javascript:", link):
                continue
            assert (path.parent / unquote(link)).exists(), (path.name, link)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path, text in pages(site).items():
        loaded = re.findall(r'(?:src|srcset)="([^"]+)"|<link[^>]* href="([^"]+)"', text)
        assert not [link for pair in loaded for link in pair if link.startswith(("http", "//"))], path
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(\"?(?:https?:)?//", path.read_text()), path


def test_the_gallery_shows_every_example(site: Path) -> None:
    index = (site / "examples" / "index.html").read_text()
    for script in gallery.scripts():
        name = gallery.page_name(script)
        assert f'class="card" href="{name}.html"' in index
        assert (site / "examples" / f"{name}.py").read_text() == script.read_text()
        notebook = nbformat.read(site / "examples" / f"{name}.ipynb", as_version=4)
        text = (site / "examples" / f"{name}.html").read_text()
        assert text.count('class="plot"') == len(gallery.pictures(notebook)) > 0
        assert f'href="{name}.ipynb"' in text


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[nowhere](nowhere.md), [no part](#none)\n")
    settings = (ROOT / "mkdocs.yml").read_text()
    # The rules of the site for one page, without what makes the others.
    kept = re.search(r"^strict: .*?(?=^theme:)", settings, re.MULTILINE | re.DOTALL)
    assert kept is not None
    (tmp_path / "mkdocs.yml").write_text(f"site_name: one page\n{kept[0]}")
    result = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert result.returncode != 0
    assert "nowhere.md" in result.stderr
    assert "#none" in result.stderr


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_search_works_from_disk(site: Path, browser: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, offline=True)
    page = context.new_page()
    page.set_default_timeout(180_000)
    page.goto((site / "index.html").as_uri())
    if width < 800:
        page.locator("label.md-header__button[for=__search]").click()
    field = page.locator("input.md-search__input")
    field.focus()
    page.get_by_text("Type to start searching").wait_for(state="attached")  # the index is loaded
    field.press_sequentially("certificate")
    result = page.locator("a.md-search-result__link").first
    result.wait_for()
    assert "ertif" in result.inner_text()
    result.click()
    page.wait_for_url("file://*/**.html?*")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


# What sticks out of the page, without what scrolls by itself; headings; and pictures that did not load.
LOOK = """() => ({
  beyond: document.documentElement.scrollWidth - window.innerWidth,
  headings: document.querySelectorAll('article h1').length,
  broken: [...document.images].filter(i => i.complete && !i.naturalWidth && i.offsetParent).map(i => i.src),
})"""


@pytest.mark.browser
def test_pages_fit_and_are_whole(site: Path, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    page.set_default_timeout(180_000)
    complaints: list[str] = []
    page.on("pageerror", lambda problem: complaints.append(str(problem)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    faults = {}
    paths = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    for path in paths:
        complaints.clear()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(path.as_uri())
        desk = page.evaluate(LOOK)
        page.set_viewport_size({"width": 390, "height": 844})
        phone = page.evaluate(LOOK)
        sound = {"beyond": 0, "headings": 1, "broken": []}
        if desk != sound or phone != sound or complaints:
            faults[path.relative_to(site).as_posix()] = (desk, phone, list(complaints))
    context.close()
    assert faults == {}
    assert len(paths) > 60
