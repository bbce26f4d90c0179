"""`--checkpoint` and `--resume`: training that is killed, in truth, ends as if it had not been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rankwise as rw
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SET, make_data

SOURCE = Path(__file__).parents[3] / "src"
CHECKPOINT = Path("run/training.npz")
TRAIN = ("train", "train.txt", "-o", "m.rw", *SET)

# Rounds are many enough that no process ends before it is killed, and each is written down.
LONG = [
    *("train", "train.txt", "--valid", "valid.txt", "--set", "n_estimators=300", "--set", "num_leaves=4"),
    *("--set", "colsample_bytree=0.5", "--set", "early_stopping_rounds=none", "--set", "n_jobs=1"),
]
SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background may have been told to ignore it
from rankwise.cli import app
from rankwise.rankers import _checkpoint as checkpoint
checkpoint.CHECKPOINT_SECONDS, checkpoint.MAX_IO_SHARE = 0.0, 1e9
app(sys.argv[1:])
"""


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    make_data()


def stop_training(arguments: list[str], by: signal.Signals, renewals: int) -> tuple[int, str]:
    """Start training, send it a signal when its checkpoint has been written so many times: exit code and stderr."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    seen = {_written()}
    while len(seen) <= renewals and process.poll() is None:
        seen.add(_written())
        time.sleep(0.001)
    process.send_signal(by)
    _, said = process.communicate(timeout=30)
    return process.returncode, said


def _written() -> int:
    return CHECKPOINT.stat().st_mtime_ns if CHECKPOINT.exists() else 0


@pytest.mark.slow
def test_killed_twice_and_resumed_is_the_same_file(run: Run) -> None:
    undisturbed = run(*LONG, "-o", "undisturbed.rw")
    once = [*LONG, "-o", "m.rw", "--checkpoint", "run"]
    assert stop_training(once, signal.SIGKILL, renewals=1) == (-signal.SIGKILL, "")
    assert stop_training([*once, "--resume"], signal.SIGKILL, renewals=20) == (-signal.SIGKILL, "")
    assert not Path("m.rw").exists()
    Path("run/.0123456789ab.training.npz").write_text("what a kill while writing leaves")
    resumed = run(*LONG, "-o", "m.rw", "--checkpoint", "run", "--resume")
    assert (undisturbed.exit_code, resumed.exit_code) == (0, 0), resumed.output
    assert Path("m.rw").read_bytes() == Path("undisturbed.rw").read_bytes()
    for model in ("m.rw", "undisturbed.rw"):
        run("predict", model, "valid.txt", "-o", f"{model}.txt")
    assert Path("m.rw.txt").read_text() == Path("undisturbed.rw.txt").read_text()
    assert [path.name for path in Path("run").iterdir()] == ["training.npz"]


@pytest.mark.slow
def test_a_real_ctrl_c_writes_the_model_and_can_be_resumed(run: Run) -> None:
    once = [*LONG, "-o", "m.rw", "--checkpoint", "run"]
    code, said = stop_training(once, signal.SIGINT, renewals=5)
    assert (code, said.count("\n")) == (130, 2)
    assert "m.rw holds the best so far" in said
    assert rw.load("m.rw").interrupted_
    run(*once, "--resume")
    run(*LONG, "-o", "undisturbed.rw")
    assert Path("m.rw").read_bytes() == Path("undisturbed.rw").read_bytes()


def test_killed_before_the_first_checkpoint(run: Run) -> None:
    Path("run").mkdir()
    result = run(*TRAIN, "--checkpoint", "run", "--resume")
    assert result.exit_code == 0
    assert result.stderr == "rankwise: note: run has no checkpoint yet, so training starts from the beginning\n"


def test_a_finished_training_is_resumed_without_work(run: Run) -> None:
    run(*TRAIN, "--checkpoint", "a/run")
    first = Path("m.rw").read_bytes()
    Path("m.rw").unlink()
    assert run(*TRAIN, "--checkpoint", "a/run", "--resume").exit_code == 0
    assert Path("m.rw").read_bytes() == first


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("--resume",), "pass --checkpoint DIR"),
        (("--resume", "--checkpoint", "nowhere"), "--resume found no checkpoint, got nowhere"),
        (("--checkpoint", "run"), "pass --resume to go on with it"),
        (("--checkpoint", "train.txt"), "cannot be written, this command also uses train.txt"),
        (("--checkpoint", "run", "--resume", "--set", "sigma=2"), "other data or parameters"),
        (("--checkpoint", "run", "--resume", "--metric", "auc"), "other data or parameters"),
        (("--checkpoint", "run", "--resume", "--valid", "valid.txt"), "other data or parameters"),
        (("--checkpoint", "run", "--resume", "--seed", 1), "other data or parameters"),
        (("--checkpoint", "damaged", "--resume"), "not a whole checkpoint"),
    ],
)
def test_what_cannot_be_resumed_is_one_sentence(run: Run, changed: tuple[object, ...], said: str) -> None:
    run(*TRAIN, "--checkpoint", "run")
    Path("damaged").mkdir()
    Path("damaged/training.npz").write_bytes(CHECKPOINT.read_bytes()[:1000])
    before, model = CHECKPOINT.read_bytes(), Path("m.rw").read_bytes()
    result = run(*TRAIN, *changed)
    assert_one_sentence(result)
    assert said in result.stderr
    assert (CHECKPOINT.read_bytes(), Path("m.rw").read_bytes()) == (before, model)
