"""`py.typed` is true: a project of a user's, beside an installed rankwise, is checked by mypy --strict."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PROJECT = Path(__file__).parent / "project"
FOUND = re.compile(r"^(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", re.M)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has rankwise and numpy; without the types of torch, which mypy takes minutes to read."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python3.*/site-packages")
    (packages / "rankwise").symlink_to(ROOT / "src" / "rankwise")
    (packages / "numpy").symlink_to(Path(np.__file__).parent)
    return folder / "bin" / "python"


@pytest.mark.slow
def test_a_strict_project_passes_and_wrong_calls_fail(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    options = ["--strict", "--no-error-summary", "--show-error-codes", f"--cache-dir={tmp_path}", "--config-file="]
    command = [sys.executable, "-m", "mypy", *options, f"--python-executable={installed}", "right.py", "wrong.py"]
    checked = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    lines = enumerate((PROJECT / "wrong.py").read_text(encoding="utf-8").splitlines(), start=1)
    marked = [("wrong.py", str(number), line.rpartition("# ")[2]) for number, line in lines if "  # " in line]
    assert (FOUND.findall(checked.stdout), len(marked), checked.returncode) == (marked, 9, 1), checked.stdout
