"""`rankwise train` writes the model that LambdaMART learns."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

import rankwise as rw
from rankwise.cli.commands import _train as command
from rankwise.cli.support._progress import progress_bar
from rankwise.rankers import LambdaMART
from rankwise.rankers._base import Ranker, model_kinds
from rankwise.rankers.rates._classifier import FAMILIES
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SET, SMALL, make_data

TRAIN = ("train", "train.txt", "-o", "m.rw", *SET)


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    make_data()


def library_model(metric: str, **parameters: Any) -> LambdaMART:
    train, valid = rw.read("train.txt"), rw.read("valid.txt")
    model = LambdaMART(metric, **SMALL | parameters)
    return model.fit(train.X, train.y, qid=train.qid, eval_set=(valid.X, valid.y, valid.qid))


def test_kinds_of_models_are_those_of_the_library() -> None:
    """Those of tests come on top, those of selection once it is imported."""
    import_module("rankwise.selection.peers")
    rankers = {kind for kind, cls in model_kinds().items() if issubclass(cls, Ranker)}
    assert {name for name in get_args(command.Model) if name not in FAMILIES} <= rankers
    assert set(FAMILIES) < set(get_args(command.Model))


def test_the_file_is_that_of_the_library(run: Run) -> None:
    result = run(*TRAIN, "--valid", "valid.txt", "--metric", "AUC", "--seed", 3, "--set", "colsample_bytree=0.5")
    model = library_model("auc", random_state=3, colsample_bytree=0.5)
    rw.save(model, "library.rw")
    assert result.exit_code == 0
    assert ("no tree helped" in result.stderr) == (model.best_iteration_ == 0)
    assert Path("m.rw").read_bytes() == Path("library.rw").read_bytes()
    assert f"auc on valid  {model.best_score_:.4f}\n" in result.stdout


def test_the_summary(run: Run) -> None:
    model = library_model("ndcg@10", random_state=0)
    train = rw.read("train.txt")
    summary = json.loads(run(*TRAIN, "--valid", "valid.txt", "--json").stdout)
    assert summary.pop("seconds") > 0
    assert summary == {
        "model": "m.rw",
        "metric": "ndcg@10",
        "rounds": 6,
        "best_round": model.best_iteration_,
        "train": model.score(train.X, train.y, train.qid),
        "valid": model.best_score_,
        "interrupted": False,
    }


def test_without_validation_data_all_rounds_are_kept(run: Run) -> None:
    result = run(*TRAIN)
    assert "best round        6\n" in result.stdout
    assert "valid" not in result.stdout


def test_settings_reach_the_model(run: Run) -> None:
    given = {
        "sigma": "2",
        "norm": "none",
        "init": "l2",
        "monotone_constraints": '{"2": 1}',
        "categorical_feature": "[]",
    }
    result = run(*TRAIN, *(word for name, value in given.items() for word in ("--set", f"{name}={value}")))
    assert result.exit_code == 0, result.output
    model = rw.load("m.rw")
    found = {name: getattr(model, name) for name in given}
    assert found == {
        "sigma": 2, "norm": None, "init": "l2", "monotone_constraints": {"2": 1}, "categorical_feature": []
    }  # fmt: skip


BAD = {
    "num_leavs=3": "has no parameter 'num_leavs', known are n_estimators, learning_rate,",
    "num_leaves": "must be KEY=VALUE",
    "sigma=x": "sigma must be a number above 0 and at most 1e+06, got 'x'",
    "sigma=-1": "sigma must be a number above 0",
    "bags=2.5": "bags must be a whole number from 1 to 10000, got 2.5",
    "bags=true": "bags must be a whole number from 1 to 10000, got True",
    "norm=gaps": 'norm must be "gap" or None, got',
    "init=7": 'init must be "auto", None, "logloss" or "l2", got',
    "init=l3": "init must be",
    "monotone_constraints=1": "monotone_constraints must be a list, a mapping or None, got 1",
    'monotone_constraints={"a": 1}': "monotone_constraints names the feature 'a', which X does not have",
    "categorical_feature=3": "categorical_feature must be a list or None, got 3",
    "num_leaves=9": "num_leaves twice",
    "metric=auc": "use --metric",
    "random_state=1": "use --seed",
}


@pytest.mark.parametrize("setting", BAD)
def test_a_bad_setting_is_one_sentence(run: Run, setting: str) -> None:
    result = run(*TRAIN, "--set", setting)
    assert_one_sentence(result)
    assert BAD[setting] in result.stderr
    assert not Path("m.rw").exists()


def test_ctrl_c_keeps_the_best_so_far(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(number: int, _: dict[str, float]) -> None:
        if number == 4:
            raise KeyboardInterrupt

    @contextmanager
    def stopping(rounds: int) -> Iterator[list[Any]]:
        with progress_bar(rounds) as callbacks:
            yield [*callbacks, stop]

    # The module, which the function of the same name hides.
    monkeypatch.setattr(sys.modules["rankwise.cli.commands._train"], "progress_bar", stopping)
    result = run(*TRAIN, "--json", "--checkpoint", "run")
    summary = json.loads(result.stdout)
    assert (result.exit_code, summary["best_round"], summary["interrupted"]) == (130, 4, True)
    assert rw.load("m.rw").best_iteration_ == 4
    assert result.stderr.splitlines() == [
        "rankwise: note: training was interrupted; the best rounds so far are kept",
        "rankwise: note: stopped by Ctrl-C: m.rw holds the best so far, that of round 4; pass --resume to go on",
    ]


def test_a_person_sees_a_bar_with_the_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress_bar(8) as (show,):
        show(3, {"ndcg[linear]@10": 0.51234})
    assert "validation ndcg[linear]@10 0.5123" in terminal.getvalue()
    assert "3/8" in terminal.getvalue()
