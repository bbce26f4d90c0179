"""`rankwise train` and `predict` on Parquet in passes, and on a cluster of two processes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import rankwise as rw
from rankwise.data import cubic, write
from tests.cli.conftest import Run
from tests.cli.test_failures import assert_one_sentence
from tests.cli.trained import SET

DATA = cubic(queries=30, documents=15, features=4, seed=1)


@pytest.fixture(autouse=True)
def _data(folder: Path) -> None:
    order = np.random.default_rng(0).permutation(300)
    for number in range(3):
        write(DATA.rows(order[number * 100 : number * 100 + 100]), f"part.{number}.parquet")
    write(DATA.rows(order), "train.txt")
    for name in ("valid.parquet", "valid.txt"):
        write(DATA.rows(np.arange(300, 450)), name)


def trees(path: str) -> list[str]:
    return [booster.model_to_string() for booster in rw.load(path).boosters_]


def test_parquet_in_passes_is_the_model_of_the_same_rows_as_text(run: Run) -> None:
    streamed = run("train", "part.*.parquet", "--valid", "valid.parquet", "-o", "a.rw", "--json", *SET)
    held = run("train", "train.txt", "--valid", "valid.txt", "-o", "b.rw", "--json", *SET)
    mixed = run("train", "part.*.parquet", "--valid", "valid.txt", "-o", "c.rw", "--json", *SET)
    assert (streamed.exit_code, held.exit_code, mixed.exit_code) == (0, 0, 0), streamed.output
    assert trees("a.rw") == trees("b.rw") == trees("c.rw")
    told = [json.loads(result.stdout) for result in (streamed, held)]
    for name in ("rounds", "best_round", "train", "valid"):
        assert told[0][name] == told[1][name]
    assert run("predict", "a.rw", "part.*.parquet", "-o", "s.parquet").stdout == "s.parquet: 300 scores\n"
    run("predict", "a.rw", "train.txt", "-o", "s.txt")
    assert parquet.read_table("s.parquet")["score"].to_pylist() == list(map(float, Path("s.txt").read_text().split()))
    assert run("eval", "train.txt", "--scores", "s.parquet").exit_code == 0


def test_a_cluster_of_two_processes(run: Run) -> None:
    spread = run(
        *("train", "part.*.parquet", "--valid", "valid.parquet", "-o", "a.rw", "--json", *SET),
        *("--dask", "local:2", "--checkpoint", "run"),
    )
    assert spread.exit_code == 0, spread.output
    held = run("train", "train.txt", "--valid", "valid.txt", "-o", "b.rw", "--json", *SET)
    told, expected = json.loads(spread.stdout), json.loads(held.stdout)
    assert told["train"] is None
    assert told["valid"] == pytest.approx(expected["valid"])
    run("predict", "b.rw", "part.*.parquet", "-o", "here.txt")
    result = run("predict", "a.rw", "part.*.parquet", "--dask", "local:2", "-o", "there.parquet")
    assert result.exit_code == 0, result.output
    there = parquet.read_table("there.parquet")["score"].to_numpy()
    assert there == pytest.approx(np.loadtxt("here.txt"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "train.txt", "-o", "m.rw", "--dask", "local:2"), "--dask reads Parquet, got train.txt"),
        (("train", "part.0.parquet", "-o", "m.rw", "--dask", "local:x"), "local:N needs a number of processes"),
        (
            ("train", "part.0.parquet", "-o", "m.rw", "--dask", "local:2", "--model", "rankboost"),
            "--dask trains lambda",
        ),
        (("train", "nothing*.parquet", "-o", "m.rw"), "no file matches nothing*.parquet"),
        (("train", "part.*.parquet", "-o", "part.1.parquet"), "part.1.parquet cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[object, ...], said: str) -> None:
    result = run(*arguments)
    assert_one_sentence(result)
    assert said in result.stderr
