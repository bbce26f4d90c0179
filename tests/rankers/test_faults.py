"""Disks that are full, candidates left to chance, constraints that LightGBM dies of: what kills and fuzzing found."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import rankwise as rw
from rankwise.data import web
from rankwise.errors import DataError, ModelFileError, ShapeError
from rankwise.rankers import _checkpoint

DATA = web(queries=6, documents=10, features=3, seed=1)
TREES: dict[str, Any] = {"n_estimators": 4, "num_leaves": 4, "min_child_samples": 2, "random_state": 0, "n_jobs": 1}


@pytest.fixture
def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round is to be written, and none can be."""

    def full(file: Any, **_: object) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_checkpoint, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(np, "savez", full)


@pytest.mark.usefixtures("_full_disk")
def test_a_full_disk_does_not_end_training(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = rw.LambdaMART(**TREES).fit(DATA, checkpoint=tmp_path / "run.npz")
    assert np.array_equal(model.predict(DATA), rw.LambdaMART(**TREES).fit(DATA).predict(DATA))
    assert "could not be written (No space left on device); the run goes on" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_known_before_the_work(tmp_path: Path) -> None:
    places: list[Any] = [tmp_path / "no folder" / "run.npz", tmp_path, 3]
    for bad in places:
        with pytest.raises(DataError):
            rw.LambdaMART(**TREES).fit(DATA, checkpoint=bad, callbacks=[lambda *_: pytest.fail("it began")])


def test_halves_of_files_that_a_kill_left_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".0123456789ab.run.npz").write_bytes(b"half")
    rw.LambdaMART(**TREES).fit(DATA, checkpoint=tmp_path / "run.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_digit_that_the_disk_changed_in_a_simulation_is_noticed(tmp_path: Path) -> None:
    path, options = tmp_path / "runs.json", {"rounds": 1, "seeds": 1, "n_jobs": 1, "start": (1, 2)}
    rw.simulate(DATA, DATA, "random", checkpoint=path, **options)  # type: ignore[arg-type]
    text = path.read_text()
    place = text.index('"values"') + text[text.index('"values"') :].index("0.") + 2
    path.write_text(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :])
    with pytest.raises(ModelFileError, match="has been damaged"):
        rw.simulate(DATA, DATA, "random", checkpoint=path, **options)  # type: ignore[arg-type]


def test_candidates_of_a_search_are_not_left_to_chance() -> None:
    candidates = {"trees": rw.LambdaMART(n_estimators=4, colsample_bytree=0.5, min_child_samples=2, n_jobs=1)}
    first, again = (rw.AutoRanker(candidates=candidates, folds=2, random_state=0).fit(DATA) for _ in range(2))
    assert np.array_equal(first.predict(DATA), again.predict(DATA))
    for bad in (3, rw.RankSVM, None):
        with pytest.raises(DataError, match="takes a ranker"):
            rw.AutoRanker(candidates={"bad": bad}).fit(DATA)
        with pytest.raises(DataError, match="takes a ranker"):
            rw.cross_validate(bad, DATA)


@pytest.mark.parametrize("make", [rw.LambdaMART, rw.RateClassifier])
def test_categories_cannot_rise_or_fall(make: Any) -> None:
    """LightGBM ends the process at that."""
    model = make(categorical_feature=[0], monotone_constraints=[1, 0, 0])
    with pytest.raises(DataError, match="must leave categories free, got 1 for column 0"):
        model.fit(np.round(DATA.X), (DATA.y > 0).astype(int))


class Constant(torch.nn.Module):
    """Has parameters, and does not use them."""

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return X[:, 0]


@pytest.mark.parametrize(
    ("module", "error", "said"),
    [
        (torch.nn.Linear(9, 1), DataError, "does not take rows of 3 features"),
        (torch.nn.Linear(3, 1, device="meta"), DataError, "does not take rows"),
        (torch.nn.Conv2d(1, 1, 3), DataError, "does not take rows"),
        (Constant(), DataError, "nothing to train"),
        (torch.nn.LSTM(3, 1), ShapeError, "one score per row, got tuple"),
    ],
)
def test_modules_that_cannot_be_trained(module: torch.nn.Module, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        rw.LambdaRank(torch_module=module, epochs=1).fit(DATA)
