"""A command of ours that serves, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"


@contextmanager
def started(command: str, *arguments: str, folder: Path | None = None) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """The process of `rankwise …` and what it tells when it listens; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rankwise", command, "--port", "0", "--json", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield process, json.loads(line)
    finally:
        process.kill()
        process.communicate()
