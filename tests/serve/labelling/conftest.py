from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.labelling.factories import write_pool

PATIENCE = 180_000  # milliseconds: a busy machine is no failure
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_pool(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("there is no chromium; scripts/browser.sh installs it")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as running:
        # root has no sandbox; a container's /dev/shm may be small
        arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        arguments += ["--host-resolver-rules=MAP evil.example 127.0.0.1"]  # a name of somebody else that leads here
        found = running.chromium.launch(executable_path=program, args=arguments, timeout=PATIENCE)
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of its own; that it complains of nothing is part of every test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(PATIENCE)
    found = context.new_page()
    complaints: list[str] = []
    found.on("pageerror", lambda problem: complaints.append(str(problem)))
    found.complaints = complaints
    yield found
    context.close()
    assert complaints == []
