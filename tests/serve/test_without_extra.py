"""Without the extra `serve`, its commands name it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BLOCKED = """
import importlib.machinery as machinery
import sys
found = machinery.PathFinder.find_spec
machinery.PathFinder.find_spec = lambda name, *more: None if name == "uvicorn" else found(name, *more)
from rankwise.cli import main
sys.argv = ["rankwise", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["serve"], ["label", "--db", "labels.db", "--no-open"]], ids=["serve", "label"])
def test_a_command_names_the_extra(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
    command = [sys.executable, "-c", BLOCKED, *arguments, "file", "--port", "0"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 2, result.stderr
    assert result.stderr.strip() == "rankwise: uvicorn is not installed; run: pip install 'rankwise[serve]'"
