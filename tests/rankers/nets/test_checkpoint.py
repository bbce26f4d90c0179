"""Nets: killed at any moment and resumed, training ends with the same net, bit for bit."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rankwise.errors import DataError, ModelFileError
from rankwise.models import save
from rankwise.rankers import LambdaRank, RankNet
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.rankers.nets._state import NetState
from tests.rankers.kills import KilledError, kill_when_written, killed_after
from tests.rankers.nets.factories import fitted

RUNS = [
    (LambdaRank, {"dropout": 0.3, "hidden": (8, 4), "early_stopping_rounds": 4, "learning_rate": 0.05, "epochs": 20}),
    (RankNet, {"optimizer": "burges2006", "learning_rate": 0.01, "epochs": 12}),
]


@pytest.fixture(autouse=True)
def _every_epoch(monkeypatch) -> None:
    monkeypatch.setattr(checkpoint, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "MAX_IO_SHARE", 1e9)


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "options"), RUNS)
@pytest.mark.parametrize("epoch", [1, 5])
def test_resumed_is_undisturbed(tmp_path, cls, options, epoch) -> None:
    save(fitted(cls, **options), tmp_path / "undisturbed.rw")
    path = tmp_path / "run.npz"
    for number in (epoch, epoch + 1):
        with pytest.raises(KilledError):
            fitted(cls, **options, checkpoint=path, resume=True, callbacks=killed_after(number))
    save(fitted(cls, **options, checkpoint=path, resume=True), tmp_path / "resumed.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == (tmp_path / "undisturbed.rw").read_bytes()
    seen = []
    fitted(cls, **options, checkpoint=path, resume=True, callbacks=[lambda *epoch: seen.append(epoch)])
    assert seen == []  # a finished run is read from its checkpoint


def test_an_own_net_is_resumed(tmp_path) -> None:
    own = torch.nn.Linear(6, 1)
    undisturbed = fitted(torch_module=own)
    with pytest.raises(KilledError):
        fitted(torch_module=own, checkpoint=tmp_path / "run.npz", callbacks=killed_after(3))
    resumed = fitted(torch_module=own, checkpoint=tmp_path / "run.npz", resume=True)
    assert torch.equal(resumed.module_.weight, undisturbed.module_.weight)
    with pytest.raises(DataError, match="other data or parameters"):
        fitted(torch_module=torch.nn.Linear(6, 1), checkpoint=tmp_path / "run.npz", resume=True)


SCRIPT = """
import sys
from rankwise.rankers import _checkpoint as checkpoint
from tests.rankers.nets.factories import fitted
checkpoint.CHECKPOINT_SECONDS, checkpoint.MAX_IO_SHARE = 0.0, 1e9
fitted(epochs=400, early_stopping_rounds=None, checkpoint=sys.argv[1])
"""


@pytest.mark.slow
def test_killed_by_the_system(tmp_path) -> None:
    """A real SIGKILL at a moment of chance: what is on disk is whole, and goes on as if nothing had been."""
    path = tmp_path / "run.npz"
    kill_when_written(SCRIPT, path)
    options: dict[str, Any] = {"epochs": 400, "early_stopping_rounds": None}
    save(fitted(**options, checkpoint=path, resume=True), tmp_path / "resumed.rw")
    save(fitted(**options), tmp_path / "undisturbed.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == (tmp_path / "undisturbed.rw").read_bytes()


def test_a_run_without_a_seed_keeps_the_one_it_drew(tmp_path) -> None:
    with pytest.raises(KilledError):
        fitted(random_state=None, checkpoint=tmp_path / "run.npz", callbacks=killed_after(3))
    saved = checkpoint.read_checkpoint(tmp_path / "run.npz", NetState)
    assert saved.state.epochs == 3  # type: ignore[union-attr]
    fitted(random_state=None, checkpoint=tmp_path / "run.npz", resume=True)
    assert checkpoint.read_checkpoint(tmp_path / "run.npz", NetState).seed == saved.seed


def test_another_run_is_not_resumed(tmp_path) -> None:
    path = tmp_path / "run.npz"
    fitted(checkpoint=path)
    with pytest.raises(DataError, match="other data or parameters"):
        fitted(checkpoint=path, resume=True, hidden=(11,))
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"text"):
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match="not a whole checkpoint"):
            fitted(checkpoint=path, resume=True)
