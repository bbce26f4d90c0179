"""The program as the shell starts it; few runs, because each takes a second to start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rankwise

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[2] / "src"
COMMAND = f"{sys.executable} -m rankwise"


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `rankwise` is the command."""
    return subprocess.run(
        ["bash", "-c", f'rankwise() {{ {COMMAND} "$@"; }}; {script}'],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_version() -> None:
    done = shell("rankwise --version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"rankwise {rankwise.__version__}\n", "")


@pytest.mark.usefixtures("folder")
def test_a_reader_that_goes_away_is_no_error() -> None:
    done = shell("rankwise eval test.txt --feature 1 --json --metrics 'ndcg map mrr auc' | head -1")
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.usefixtures("folder")
def test_bad_input_is_one_sentence() -> None:
    done = shell("rankwise eval nowhere.txt")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full, an output without space")
def test_an_output_without_space_is_one_sentence() -> None:
    done = shell("rankwise metrics > /dev/full")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "No space left" in done.stderr


def test_a_write_that_fails_leaves_nothing(folder: Path) -> None:
    """The limit on the size of files stands in for a full disk."""
    before = {path.name for path in folder.iterdir()}
    done = shell("ulimit -f 8; rankwise data make web out.txt --queries 50")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.usefixtures("folder")
def test_names_that_the_terminal_cannot_show() -> None:
    done = shell("PYTHONIOENCODING=ascii rankwise compare test.txt --scores α=old.txt --scores model.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert "? ? model" in done.stdout


def test_ctrl_c() -> None:
    """The command sends itself the signal when it is at work, so that the test need not guess when that is."""
    script = (
        "import os, signal, rankwise.cli, rankwise.data\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # which a run in the background may ignore
        f"rankwise.data.web = lambda *_: os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "rankwise.cli.app(['data', 'make', 'web', 'out.txt'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
