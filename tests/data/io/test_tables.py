"""Parquet, CSV and TSV."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rankwise.data import read
from rankwise.errors import FormatError

CSV = "label,qid,f1,doc_id,f2\n1,7,0.5,a,2\n0,7,,b,-1e3\n2,8,1,c,0\n"


def write_table(path, **columns):
    parquet.write_table(pa.table(columns), path)
    return path


def check(data) -> None:
    np.testing.assert_array_equal(data.X, np.array([[0.5, 2], [np.nan, -1000], [1, 0]], dtype=np.float32))
    assert data.y.tolist() == [1, 0, 2]
    assert data.qid.tolist() == [7, 7, 8]
    assert data.doc_ids.tolist() == ["a", "b", "c"]


def test_csv_tsv_and_packed(text_file) -> None:
    check(read(text_file(CSV, "a.csv")))
    check(read(text_file(CSV.replace(",", "\t"), "a.tsv")))
    check(read(text_file(CSV, "by_content.txt")))
    check(read(text_file(CSV.replace("\n", "\r\n").replace("0.5", " 0.5 "), "b.csv")))
    check(read(text_file(gzip.compress(CSV.encode()), "a.csv.gz")))
    check(read(text_file("\ufeff" + CSV.replace("label", '"Relevance"'), "c.csv")))


def test_parquet(tmp_path) -> None:
    columns: dict[str, Any] = {"y": [1, 0, 2], "query": [7, 7, 8], "f1": [0.5, None, 1.0], "docid": ["a", "b", "c"]}
    check(read(write_table(tmp_path / "a.parquet", **columns, f2=np.array([2, -1000, 0], dtype=np.float32))))
    check(read(write_table(tmp_path / "no_ending", **columns, f2=[2, -1000, 0])))


def test_without_qid_and_doc_id(text_file) -> None:
    data = read(text_file("y,a\n1,2\n0,3\n", "a.csv"))
    assert data.groups.n_queries == 1
    assert data.doc_ids is None


def test_text_qids(text_file) -> None:
    assert read(text_file("y,qid,a\n1,q7,2\n0,8,3\n", "a.csv")).qid.tolist() == ["q7", "8"]


def test_several_files_by_column_name(text_file) -> None:
    one = text_file("y,qid,a,b\n1,1,2,3\n", "a.csv")
    two = text_file("y,qid,b,a\n0,1,5,4\n", "b.csv")
    assert read(one, two).X.tolist() == [[2, 3], [4, 5]]
    with pytest.raises(FormatError, match="must have the same columns"):
        read(one, text_file("y,qid,a\n0,1,5\n", "c.csv"))


def test_files_with_other_qid_types_or_no_doc_ids(tmp_path) -> None:
    one = write_table(tmp_path / "a.parquet", y=[1], qid=[7], a=[0.5], doc_id=["d"])
    two = write_table(tmp_path / "b.parquet", y=[0], qid=["q8"], a=[1.5])
    data = read(one, two)
    assert data.qid.tolist() == ["7", "q8"]
    assert data.doc_ids.tolist() == ["d", ""]  # type: ignore[union-attr]


def test_the_row_of_a_parquet_file(tmp_path) -> None:
    with pytest.raises(FormatError, match=r"parquet:2: column 'y' must be known for every row, got nothing"):
        read(write_table(tmp_path / "a.parquet", y=[1, None], a=[0.5, 1.0]))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1,7,x,a,2", r"csv:5: column 'f1' must hold finite numbers, got 'x'"),
        ("1,7,inf,a,2", r"csv:5: column 'f1' must hold finite numbers, got 'inf'"),
        ("1,7,1e39,a,2", r"csv:5: column 'f1' must hold finite numbers, got '1e39'"),
        ("x,7,1,a,2", r"csv:5: column 'label' must hold finite numbers, got 'x'"),
        ("inf,7,1,a,2", r"csv:5: column 'label' must hold finite numbers, got 'inf'"),
        (",7,1,a,2", r"csv:5: column 'label' must be known for every row"),
        ("1,,1,a,2", r"csv:5: column 'qid' must be known for every row"),
        ("1,7,1,a", r"csv:5: a row must have 5 values, got 4 in '1,7,1,a'"),
    ],
)
def test_bad_lines(text_file, line, words) -> None:
    path = text_file(CSV + line + "\n", "a.csv")
    with pytest.raises(FormatError, match=words):
        read(path)
    data = read(path, skip_bad=True)
    check(data)
    assert data.notes == ("1 malformed line skipped",)


def test_tables_that_cannot_be_read(text_file, tmp_path) -> None:
    with pytest.raises(FormatError, match="there is no label column, got a, b"):
        read(text_file("a,b\n1,2\n", "a.csv"))
    with pytest.raises(FormatError, match="column names must differ, got 'a' twice"):
        read(text_file("y,a,a\n1,2,3\n", "b.csv"))
    with pytest.raises(FormatError, match="no rows, got a header only"):
        read(text_file("y,a\n", "c.csv"))
    with pytest.raises(FormatError, match="this is not a Parquet file"):
        read(text_file("nonsense", "a.parquet"))
    with pytest.raises(FormatError, match="column 'a' must hold numbers, got list"):
        read(write_table(tmp_path / "list.parquet", y=[1], a=[[1, 2]]))
    with pytest.raises(FormatError, match="column 'a' must hold numbers, got date32"):
        read(write_table(tmp_path / "date.parquet", y=[1], a=pa.array([0], pa.date32())))
    with pytest.raises(FormatError, match="no rows"):
        read(write_table(tmp_path / "empty.parquet", y=pa.array([], pa.int64()), a=pa.array([], pa.int64())))


def test_damaged_parquet(tmp_path) -> None:
    whole = write_table(tmp_path / "whole.parquet", y=np.arange(9999) % 3, a=np.random.default_rng(0).random(9999))
    content = whole.read_bytes()
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match="Parquet file is cut off or damaged"):
        read(cut)
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(content[:100] + b"\xff" * 5000 + content[5100:])
    with pytest.raises(FormatError, match="Parquet file is cut off or damaged"):
        read(torn)


def test_a_cut_off_packed_table(text_file) -> None:
    packed = gzip.compress((CSV + "1,7,0.123,a,2\n" * 50_000).encode())
    with pytest.raises(FormatError, match=r"this \.gz archive is cut off"):
        read(text_file(packed[:-200], "a.csv.gz"))
