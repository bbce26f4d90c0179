"""KilledError at any moment and resumed, training ends with the same model, bit for bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import DataError, ModelFileError
from rankwise.models import save
from rankwise.rankers import LambdaMART, checkpoint
from tests.rankers.made import EVAL_SET, TRAIN, VALID


class KilledError(Exception):
    """Stands for the end of the process: nothing after it runs but what an exception runs."""


@pytest.fixture(autouse=True)
def _every_round(monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)


def train(path=None, *, resume=False, kill_after=None, **parameters):
    parameters = {"n_estimators": 10, "num_leaves": 7, "random_state": 0, "n_jobs": 1, **parameters}

    def kill(number, _):
        if number == kill_after:
            raise KilledError

    model = LambdaMART("ndcg@10", **parameters)
    return model.fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET, callbacks=[kill], checkpoint=path, resume=resume
    )


OPTIONS = {"colsample_bytree": 0.5, "query_subsample": 0.6, "bags": 2, "init": "logloss", "early_stopping_rounds": 4}


@pytest.mark.parametrize("kill_after", [1, 7, 11, 12, 21, 33, 35])
def test_resumed_is_undisturbed(tmp_path, kill_after):
    undisturbed = train(**OPTIONS)
    save(undisturbed, tmp_path / "undisturbed.rw")
    with pytest.raises(KilledError):
        train(tmp_path / "run.npz", kill_after=kill_after, **OPTIONS)
    save(train(tmp_path / "run.npz", resume=True, **OPTIONS), tmp_path / "resumed.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == (tmp_path / "undisturbed.rw").read_bytes()


def test_killed_in_every_round_is_undisturbed(tmp_path):
    for number in range(1, 11):
        with pytest.raises(KilledError):
            train(tmp_path / "run.npz", resume=True, kill_after=number, colsample_bytree=0.5)
    resumed = train(tmp_path / "run.npz", resume=True, colsample_bytree=0.5)
    undisturbed = train(colsample_bytree=0.5)
    assert np.array_equal(resumed.predict(VALID.X), undisturbed.predict(VALID.X))
    assert resumed.evals_result_ == undisturbed.evals_result_


SCRIPT = """
import sys
from rankwise.rankers import checkpoint
from tests.rankers.test_checkpoint import train
checkpoint.SECONDS, checkpoint.SHARE = 0.0, 1e9
train(sys.argv[1], n_estimators=300, early_stopping_rounds=None)
"""


def test_killed_by_the_system(tmp_path):
    """A real SIGKILL at a moment of chance: what is on disk is whole, and goes on as if nothing had been."""
    path = tmp_path / "run.npz"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(path)], cwd=Path(__file__).parents[2])
    try:
        while not path.exists():
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)
        assert process.poll() is None, "it ended before it was killed"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    options = {"n_estimators": 300, "early_stopping_rounds": None}
    save(train(path, resume=True, **options), tmp_path / "resumed.rw")
    save(train(**options), tmp_path / "undisturbed.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == (tmp_path / "undisturbed.rw").read_bytes()


def test_a_finished_run_is_read_from_its_checkpoint(tmp_path):
    first = train(tmp_path / "run.npz")
    seen = []
    again = LambdaMART("ndcg@10", n_estimators=10, num_leaves=7, random_state=0, n_jobs=1).fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET, checkpoint=tmp_path / "run.npz", resume=True,
        callbacks=[lambda *args: seen.append(args)],
    )  # fmt: skip
    assert seen == []
    assert np.array_equal(first.predict(VALID.X), again.predict(VALID.X))


def test_a_run_without_a_seed_keeps_the_one_it_drew(tmp_path):
    with pytest.raises(KilledError):
        train(tmp_path / "run.npz", kill_after=3, random_state=None, colsample_bytree=0.5)
    _, seed, _ = checkpoint.read_checkpoint(tmp_path / "run.npz")
    train(tmp_path / "run.npz", resume=True, random_state=None, colsample_bytree=0.5)
    assert checkpoint.read_checkpoint(tmp_path / "run.npz")[1] == seed


def test_another_run_is_not_resumed(tmp_path):
    train(tmp_path / "run.npz")
    with pytest.raises(DataError, match="other data or parameters"):
        train(tmp_path / "run.npz", resume=True, num_leaves=8)
    train(tmp_path / "new.npz", resume=True)  # nothing there yet: the first start of a run that may be resumed


def test_a_damaged_checkpoint_is_named(tmp_path):
    path = tmp_path / "run.npz"
    train(path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"text", whole.replace(b"leaf_value", b"leaf_valve", 1)):
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match="not a whole checkpoint"):
            train(path, resume=True)
