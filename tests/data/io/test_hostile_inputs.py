"""Files of data that once crashed, hung or were taken for a mistake of ours, and thousands made like them."""

from __future__ import annotations

import gzip
import lzma
import sqlite3
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from benchmarks.fuzz_inputs import Inputs, input_tries
from rankwise.cli import app
from rankwise.data import RankingData, read
from rankwise.errors import DataError, FormatError, MetricError, StoreError
from rankwise.labels import LabelStore
from rankwise.metrics import parse

LETOR = "1 qid:1 1:0.5\n0 qid:1 1:0.25\n"
N_FILES = 500  # a whole run is benchmarks/fuzz_inputs.py


def lightgbm(folder, sizes) -> Path:
    path = folder / "data.txt"
    path.write_text("1 0:0.5\n" * 80)
    (folder / "data.txt.query").write_text("".join(f"{size}\n" for size in sizes))
    return path


@pytest.mark.parametrize(
    "sizes", [[2**63 - 1, 2**63 - 1, 82], ["9" * 5000], [2**64], [2**63]], ids=["wraps", "long", "2^64", "2^63"]
)
def test_sizes_of_queries_that_no_machine_counts(tmp_path, sizes) -> None:
    with pytest.raises(FormatError, match="at most 18 digits"):
        read(lightgbm(tmp_path, sizes))


def test_sizes_of_queries_whose_sum_wraps_around(tmp_path) -> None:
    count = 10**18 - 1
    rest = (80 - 18 * count) % 2**64
    sizes = [count] * 18 + [rest]
    assert sum(sizes) % 2**64 == 80
    assert rest < 10**18
    with pytest.raises(FormatError, match="must add up to the rows"):
        read(lightgbm(tmp_path, sizes))


@pytest.mark.parametrize("name", ["ndcg@" + "9" * 30, "ndcg@2147483648", "p@" + "9" * 5000])
def test_cutoffs_that_no_list_has(name) -> None:
    with pytest.raises(MetricError):
        parse(name)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_archives_that_would_fill_the_memory(tmp_path, pack) -> None:
    path = tmp_path / f"a.txt{'.gz' if pack is gzip.compress else '.xz'}"
    path.write_bytes(pack(b"1 qid:1 1:1\n" * (6 << 20)))
    with pytest.raises(FormatError, match="over 100 times its size"):
        read(path)


def test_tables_that_would_fill_the_memory(tmp_path) -> None:
    column = pa.array(np.ones(1_000_000))
    with parquet.ParquetWriter(
        tmp_path / "a.parquet", pa.schema([("label", pa.float64())]), compression="zstd"
    ) as file:
        for _ in range(20):
            file.write_table(pa.table({"label": column}))
    with pytest.raises(FormatError, match="says that it has 20000000 values"):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize("header", ["label," + "a" * 200_000, "label,a\rb"])
def test_names_of_columns_that_cannot_be_read(tmp_path, header) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n1,2\n")
    with pytest.raises(FormatError, match="names of its columns cannot be read"):
        read(tmp_path / "a.csv")


def test_a_malformed_row_that_is_not_utf8(tmp_path, capfd) -> None:
    (tmp_path / "a.csv").write_bytes(b"label,a\n1,2\n1,\x80,3\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        read(tmp_path / "a.csv")
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("column", ["qid", "docid"])
def test_lists_where_texts_are_due(tmp_path, column) -> None:
    columns = {"label": [1.0, 0.0], "qid": [1, 1], "f": [0.5, 0.25]} | {column: [["a"], ["b"]]}
    parquet.write_table(pa.table(columns), tmp_path / "lists.parquet")
    with pytest.raises(DataError, match="cannot be read as text"):
        read(tmp_path / "lists.parquet")


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("content", "exit_code"),
    [
        ("score,x\n1," + "a" * 200_000 + "\n1,2\n", 2),
        ("score," + "a" * 200_000 + "\n1,2\n1,2\n", 2),
        ("score,x\r1,2\r3,4\r", 0),
    ],
    ids=["long field", "long name", "bare CR"],
)  # fmt: skip
def test_scores(tmp_path, content, exit_code) -> None:
    (tmp_path / "a.txt").write_text(LETOR)
    (tmp_path / "s.csv").write_bytes(content.encode())
    assert run("eval", tmp_path / "a.txt", "--scores", tmp_path / "s.csv")[0] == exit_code


def test_outputs_that_are_loops_of_links(tmp_path) -> None:
    (tmp_path / "a.txt").write_text(LETOR * 5)
    (tmp_path / "x").symlink_to(tmp_path / "y")
    (tmp_path / "y").symlink_to(tmp_path / "x")
    for arguments in (["train", tmp_path / "a.txt", "-o"], ["data", "convert", tmp_path / "a.txt"]):
        assert run(*arguments, tmp_path / "x")[0] == 2


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("UPDATE facts SET feature_names = '{'", "holds what no rankwise wrote"),
        ("UPDATE items SET feature_values = x'00'", "holds what no rankwise wrote"),
        ("UPDATE items SET id = 4611686018427387904 WHERE id = 1", "do not fit its items"),
        ("PRAGMA user_version = 99", "get a newer rankwise"),
    ],
)
def test_label_stores_that_somebody_changed(tmp_path, sql, message) -> None:
    path = tmp_path / "a.labels"
    LabelStore.create(path, RankingData([[1.0], [2.0]], [-1, -1], [1, 1]), highest_grade=1).close()
    connection = sqlite3.connect(path)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql)
    connection.commit()
    connection.close()
    with pytest.raises((StoreError, DataError), match=message), LabelStore.open(path) as store:
        assert store.data is not None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_thousands_of_inputs_are_read_or_refused(tmp_path) -> None:
    attempt = input_tries(Inputs(tmp_path, bombs=False))
    with np.errstate(all="ignore"):
        outcomes = Counter(
            attempt(number)[1] for number in range(N_FILES)
        )  # what is no error of the package, it raises
    assert outcomes["refused"] + outcomes["accepted"] == N_FILES
    assert outcomes["accepted"] > N_FILES // 10
