"""`rankwise data make clicks` and `rankwise train --position`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import RankingData, polynomial, simulate_clicks, write
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SET

DATA = polynomial(queries=30, documents=12, features=4, seed=1)


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    write(RankingData(DATA.X, DATA.y, DATA.qid, feature_names=list("abcd")), "judged.parquet")
    np.savetxt("scores.txt", DATA.X[:, 0])


@pytest.mark.slow
def test_from_judged_data_to_propensities(run: Run) -> None:
    made = run(
        *("data", "make", "clicks", "log.parquet", "--judged", "judged.parquet", "--scores", "scores.txt"),
        *("--sessions", 30, "--top", 5, "--steepness", 0.8, "--shuffle", 0.4, "--seed", 3),
    )
    assert made.exit_code == 0, made.output
    judged = rw.read("judged.parquet")
    log = simulate_clicks(judged, DATA.X[:, 0], sessions=30, top=5, steepness=0.8, shuffle=0.4, seed=3)
    table = rw.read("log.parquet")
    assert table.feature_names == [*"abcd", "position"]
    assert np.array_equal(table.y, log.clicked)
    done = run(
        "train", "log.parquet", "--position", "position", "--valid", "judged.parquet", "-o", "m.rw", "--json", *SET
    )
    assert done.exit_code == 0, done.output
    model = rw.load("m.rw")
    assert list(model.feature_names_in_) == list("abcd")
    told = json.loads(done.stdout)["propensities"]
    assert list(told) == ["1", "2", "3", "4", "5"]
    assert list(told.values()) == pytest.approx(model.propensities_)
    assert run("predict", "m.rw", "judged.parquet", "-o", "s.txt").exit_code == 0
    with_positions = run("train", "log.parquet", "--position", "position", "--valid", "log.parquet", "-o", "n.rw", *SET)
    assert "position 2 is seen" in with_positions.stdout
    numbered = RankingData(table.X, table.y, table.qid)
    write(numbered, "log.txt")
    run("train", "log.txt", "--position", "5", "-o", "o.rw", *SET)
    assert rw.load("o.rw").predict(DATA.X) == pytest.approx(model.predict(_named(DATA.X)))


def _named(X: np.ndarray) -> object:
    import pandas as pd

    return pd.DataFrame(X, columns=list("abcd"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("judged.parquet", "--position", "place"), "there is no column place, got a, b, c, d"),
        (("judged.parquet", "--position", "a", "--model", "rankboost"), "--position goes with lambdamart"),
        (("judged.parquet", "--position", "a", "--dask", "local:2"), "--position goes with lambdamart"),
        (("judged.parquet", "--position", "a", "--objective", "f1"), "--objective goes without"),
        (("judged.parquet", "--position", "a"), "position must have"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[str, ...], said: str) -> None:
    result = run("train", *arguments, "-o", "m.rw")
    assert_one_sentence(result)
    assert said in result.stderr
    assert not Path("m.rw").exists()
