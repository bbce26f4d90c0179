"""`rankwise certify` finds what `rw.certify` finds for the scores of the model in a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.data import r_of_k, write
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SMALL


@pytest.fixture
def scores(folder: Path) -> np.ndarray:
    """Those of the model m.rw for held-out.csv."""
    train, held_out = (r_of_k(rows=600, features=8, k=6, r=3, positive=0.4, seed=seed) for seed in (1, 2))
    write(held_out, "held-out.csv")
    write(replace(held_out, y=np.zeros(len(held_out))), "without.csv")
    model = rw.LambdaMART("auc", random_state=0, **SMALL).fit(train.X, train.y)
    rw.save(model, "m.rw")
    return model.predict(held_out.X)


@pytest.mark.parametrize("objective", ["r@p=0.6", "p@r=0.9", "tpr@fpr=0.2"])
def test_it_certifies_the_scores_of_the_model(run: Run, scores: np.ndarray, objective: str) -> None:
    expected = rw.certify(rw.read("held-out.csv").y, scores, objective, confidence=0.9)
    arguments = ("certify", "m.rw", "held-out.csv", "--objective", objective, "--confidence", 0.9)
    result = run(*arguments, "--json")
    assert result.exit_code == 0
    assert expected.certified
    assert json.loads(result.stdout) == json.loads(json.dumps(expected.to_dict()))
    table = run(*arguments).stdout
    assert repr(expected.threshold) in table
    assert f"{expected.tp} positive, {expected.fp} not" in table
    assert table.endswith(f"\n{expected}\n")
    assert ("to choose thresholds" in table) == objective.startswith("r@p")


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_no_threshold_is_another_exit_code(run: Run, options: tuple[str, ...]) -> None:
    result = run("certify", "m.rw", "held-out.csv", "--objective", "p@r=0.999", *options)
    assert (result.exit_code, result.stderr) == (NOT_CERTIFIED, "")
    if options:
        assert json.loads(result.stdout)["positives_needed"] == 2995
    else:
        assert "No threshold can be certified" in result.stdout
        assert "2,995 positives in" in result.stdout


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("--objective r@p=0.95", ("held-out.csv",)),
        ("must demand a rate, got auc", ("held-out.csv", "--objective", "auc")),
        ("there is no metric", ("held-out.csv", "--objective", "r@q=0.9")),
        ("confidence must lie between", ("held-out.csv", "--objective", "r@p=0.9", "--confidence", 95)),
        ("needs a relevant document", ("without.csv", "--objective", "r@p=0.9")),
    ],
)
def test_what_cannot_be_asked(run: Run, said: str, arguments: tuple[object, ...]) -> None:
    result = run("certify", "m.rw", *arguments)
    assert_one_sentence(result)
    assert said in result.stderr


@pytest.mark.usefixtures("scores")
def test_a_model_that_knows_its_objective_needs_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rw.LambdaMART, "objective", "p@r=0.9", raising=False)
    assert json.loads(run("certify", "m.rw", "held-out.csv", "--json").stdout)["objective"] == "p@r=0.9"
    other = run("certify", "m.rw", "held-out.csv", "--objective", "tpr@fpr=0.2", "--json")
    assert json.loads(other.stdout)["objective"] == "tpr@fpr=0.2"
