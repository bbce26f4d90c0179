"""A folder with a small data set, scores of it, and TREC files, in which commands are run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from rankwise.cli import app
from rankwise.data import web, write

Run = Callable[..., Result]

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 c 2\n3 0 d 1\n"
RUN1 = "1 Q0 a 1 0.9 x\n1 Q0 b 2 0.5 x\n2 Q0 c 1 3 x\n2 Q0 a 2 1 x\n3 Q0 d 1 1 x\n"
RUN2 = "1 Q0 b 1 0.9 y\n1 Q0 z 2 0.8 y\n1 Q0 a 3 0.5 y\n2 Q0 a 1 3 y\n9 Q0 a 1 3 y\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = web(queries=20, documents=15, features=5, seed=1)
    write(data, "test.txt")
    generator = np.random.default_rng(0)
    for name, noise in (("model.txt", 1.0), ("old.txt", 3.0)):
        scores = data.y + noise * generator.normal(size=len(data))
        Path(name).write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    for name, text in (("qrels.txt", QRELS), ("run1.txt", RUN1), ("run2.txt", RUN2)):
        Path(name).write_text(text)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs a command in the folder, in this process."""

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="rankwise")

    return invoke
