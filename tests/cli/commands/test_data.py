"""`rankwise data`: what is written can be read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import cubic, describe, normalize, polynomial, r_of_k, split, topics, web
from tests.cli.conftest import Run


def assert_same(data: rw.RankingData, other: rw.RankingData) -> None:
    np.testing.assert_array_equal(data.X, other.X)
    np.testing.assert_array_equal(data.y, other.y)
    np.testing.assert_array_equal(data.qid, other.qid)


def test_stats(run: Run) -> None:
    wanted = describe(rw.read("test.txt"))
    found = json.loads(run("data", "stats", "test.txt", "--json").stdout)
    assert found == json.loads(json.dumps(wanted.to_dict()))
    assert f"queries{' ' * 30}{wanted.queries}" in run("data", "stats", "test.txt").stdout


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.tsv.zst", "out.txt.gz"])
def test_convert(run: Run, name: str) -> None:
    result = run("data", "convert", "test.txt", name)
    assert result.stdout.startswith(f"{name}: ")
    assert_same(rw.read(name), rw.read("test.txt"))


def test_split_gives_the_parts_of_the_library(run: Run) -> None:
    run("data", "split", "test.txt", "--out", "a/b", "--fractions", "0.7,0.3", "--names", "x,y", "--seed", 5)
    for name, part in zip("xy", split(rw.read("test.txt"), (0.7, 0.3), seed=5), strict=True):
        assert_same(rw.read(f"a/b/{name}.txt"), part)


def test_split_writes_all_parts_or_none(run: Run) -> None:
    Path("out/valid.txt").mkdir(parents=True)  # where a file cannot be written
    result = run("data", "split", "test.txt", "--out", "out")
    assert result.exit_code == 2
    assert [path.name for path in Path("out").iterdir()] == ["valid.txt"]


@pytest.mark.parametrize("how", ["query", "global"])
def test_normalize(run: Run, how: str) -> None:
    run("data", "normalize", "test.txt", "out.parquet", "--how", how)
    assert_same(rw.read("out.parquet"), normalize(rw.read("test.txt"), how))  # type: ignore[arg-type]


def test_made_data_are_the_librarys(run: Run) -> None:
    run("data", "make", "cubic", "c.parquet", "--queries", 4, "--documents", 9, "--grades", 3, "--seed", 2)
    assert_same(rw.read("c.parquet"), cubic(4, 9, grades=3, seed=2))
    run("data", "make", "polynomial", "p.parquet", "--queries", 4, "--documents", 9, "--grades", 3, "--seed", 2)
    assert_same(rw.read("p.parquet"), polynomial(4, 9, grades=3, seed=2))
    run("data", "make", "r-of-k", "r.parquet", "--rows", 50, "--k", 9, "--r", 3, "--noise", 0, "--positive", 0.2)
    assert_same(rw.read("r.parquet"), r_of_k(50, k=9, r=3, noise=0, positive=0.2))
    run("data", "make", "web", "w.parquet", "--queries", 4, "--documents", 9, "--features", 7)
    assert_same(rw.read("w.parquet"), web(4, 9, 7))
    run("data", "make", "topics", "t.parquet", "--queries", 2, "--documents", 30, "--features", 6, "--relevant", 0.1)
    assert_same(rw.read("t.parquet"), topics(2, 30, 6, 0.1))
