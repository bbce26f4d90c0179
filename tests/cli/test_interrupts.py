"""Ctrl-C where Python itself would answer it by a traceback, or where nobody would hear it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest

import rankwise as rw
import rankwise.data
from rankwise.cli._errors import _exit_code
from rankwise.data import web
from rankwise.selection import _tune as tuning

SOURCE = Path(__file__).parents[2] / "src"
WHILE_IMPORTING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "rankwise.cli._app":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from rankwise.__main__ import main
main()
"""

WHERE_NOTHING_CAN_BE_RAISED = """
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import rankwise.cli
class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(600)
def command():
    Last()
    time.sleep(600)
rankwise.cli.main = command
from rankwise.__main__ import main
main()
"""
IN_A_LATE_IMPORT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import rankwise.cli
class Compiled:  # which prints what is raised in it, and fails by an error of its own
    def find_spec(self, name, path=None, target=None):
        if name == "colorsys":
            os.kill(os.getpid(), signal.SIGINT)
            try:
                time.sleep(0.3)
            except KeyboardInterrupt:
                raise ImportError("half of it") from None
sys.meta_path.insert(0, Compiled())
def command():
    import colorsys
    time.sleep(600)
rankwise.cli.main = command
from rankwise.__main__ import main
main()
"""
WORKER_WITHOUT_PARENT = """
import os, time
from rankwise.sampling.simulation._parallel import _end_with_parent
if os.fork() == 0:
    _end_with_parent()
    time.sleep(600)
"""


@pytest.mark.parametrize(
    "script",
    [WHILE_IMPORTING, WHERE_NOTHING_CAN_BE_RAISED, IN_A_LATE_IMPORT],
    ids=["importing", "in __del__", "importing late"],
)
def test_where_python_would_print_it(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_in_the_middle_of_compiled_code() -> None:
    def fail() -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    assert _exit_code(fail) == 130


def test_in_one_of_the_models_of_a_trade_off() -> None:
    data = web(queries=4, documents=8, features=3, seed=1)

    class Interrupted(rw.RankSVM):
        def fit(self, *args: Any, **kwargs: Any) -> Self:
            super().fit(*args, **kwargs)
            self.interrupted_ = True
            return self

    with pytest.raises(KeyboardInterrupt):
        rw.trade_off(Interrupted(), data, data, "ndcg@5 auc", weights=2)


def test_in_the_last_fit_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    data = web(queries=4, documents=8, features=3, seed=1)
    refit = tuning.refit  # type: ignore[attr-defined]

    def interrupted(*args: Any) -> Any:
        model = refit(*args)
        model.interrupted_ = True
        return model

    monkeypatch.setattr(tuning, "refit", interrupted)
    result = rw.tune(rw.RankSVM(), data, {"C": [0.1, 1.0]}, trials=1, folds=2)
    assert result.interrupted
    assert "the fit to all rows" in result.notes[-1]


def test_a_process_without_a_parent_ends() -> None:
    """A worker of a simulation whose parent is gone: its end closes the output that is read here."""
    done = subprocess.run(
        [sys.executable, "-c", WORKER_WITHOUT_PARENT],
        env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
