"""Tables as they come: label, queries, positive label, texts, columns to leave out, no header."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rankwise as rw
from rankwise.data import ParquetRows, RankingData, normalize, read, write
from rankwise.errors import DataError, FormatError

ADULT = """id,age,work,income,session
1,39, State-gov, <=50K,a
2,50, Private, >50K,a
3,, ?, <=50K,b
4,28,, >50K,b
"""
OPTIONS: dict[str, Any] = {"label": "income", "positive": ">50K", "qid": "session", "drop": ["id"]}


def check(data: RankingData) -> None:
    assert data.feature_names == ["age", "work"]
    assert data.categories == {"work": ("?", "Private", "State-gov")}
    np.testing.assert_array_equal(data.X, np.array([[39, 2], [50, 1], [np.nan, 0], [28, np.nan]], dtype=np.float32))
    assert data.y.tolist() == [0, 1, 0, 1]
    assert data.qid.tolist() == ["a", "a", "b", "b"]


def parquet_file(path, **changes):
    table = {
        "id": [1, 2, 3, 4],
        "age": [39, 50, None, 28],
        "work": ["State-gov", "Private", "?", None],
        "income": ["<=50K", ">50K", "<=50K", ">50K"],
        "session": ["a", "a", "b", "b"],
    }
    parquet.write_table(pa.table(table | changes), path)
    return path


def test_the_same_table_in_three_formats(text_file, tmp_path) -> None:
    check(read(text_file(ADULT, "adult.csv"), **OPTIONS))
    check(read(text_file(ADULT.replace(",", "\t"), "adult.tsv"), **OPTIONS))
    check(read(text_file(ADULT, "adult.data"), **OPTIONS))  # told by the label among its names
    check(read(parquet_file(tmp_path / "adult.parquet"), **OPTIONS))
    check(read(text_file(ADULT, "adult.csv"), **(OPTIONS | {"drop": "id"})))


def test_rows_in_passes_have_the_same_options(tmp_path) -> None:
    rows = ParquetRows.of(parquet_file(tmp_path / "adult.parquet"), **OPTIONS).with_found_categories()
    batch: Any
    (batch,) = rows.batches()
    check(
        RankingData(
            batch.X, batch.y, batch.qid.to_pylist(), feature_names=rows.feature_names, categories=rows.categories
        )
    )


def test_a_table_without_header(text_file) -> None:
    lines = ADULT.split("\n", 1)[1]
    options: dict[str, Any] = {"label": 4, "positive": ">50K", "qid": "5", "drop": [1], "header": False}
    for name in ("adult.csv", "adult.data"):
        data = read(text_file(lines, name), **options)
        assert data.feature_names == ["2", "3"]
        assert data.categories == {"3": ("?", "Private", "State-gov")}
        assert data.y.tolist() == [0, 1, 0, 1]
    plain = read(text_file("2,0.5\n0,1.5\n", "plain.csv"), header=False)
    assert (plain.y.tolist(), plain.X.tolist()) == ([2, 0], [[0.5], [1.5]])  # the label comes first, as in LightGBM
    with pytest.raises(FormatError, match=r"bad.csv:2: column '2' must hold finite numbers, got 'x'; fix the row"):
        read(text_file("2,0.5\n0,x\n1,2\n", "bad.csv"), header=False)


@pytest.mark.parametrize(("positive", "y"), [("2", [0, 1, 0]), (2, [0, 1, 0]), (1.0, [1, 0, 1]), ("7", [0, 0, 0])])
def test_the_positive_label_may_be_a_number(text_file, tmp_path, positive, y) -> None:
    parquet.write_table(pa.table({"label": [1, 2, 1], "a": [1, 2, 3]}), tmp_path / "a.parquet")
    for path in (text_file("label,a\n1,1\n2,2\n1,3\n", "a.csv"), tmp_path / "a.parquet"):
        data = read(path, positive=positive)
        assert data.y.tolist() == y
        assert data.notes == (() if any(y) else ("no label is '7': all are 0",))


def test_a_column_of_texts_is_one_where_most_are_no_numbers(text_file) -> None:
    """So that one slip among numbers is an error, as ever, and one number among texts a category."""
    path = text_file("y,a,b\n1,x,0.5\n0,3,oops\n1,y,1\n", "a.csv")
    with pytest.raises(FormatError, match=r"csv:3: column 'b' must hold finite numbers, got 'oops'; .*in categories"):
        read(path)
    data = read(path, skip_bad=True)
    assert data.categories == {"a": ("3", "x", "y")}
    assert data.X.tolist() == [[1, 0.5], [2, 1]]
    assert read(path, categories=["b"]).categories == {"a": ("3", "x", "y"), "b": ("0.5", "1", "oops")}
    with pytest.raises(FormatError, match="or say by positive which text counts as 1"):
        read(text_file("y,a\nyes,1\nno,2\n", "b.csv"))


def test_codes_are_those_of_all_files(text_file) -> None:
    first, second = text_file("y,a\n1,m\n0,z\n", "a.csv"), text_file("a,y\nb,1\nm,0\n", "b.csv")
    data = read(first, second)
    assert data.categories == {"a": ("b", "m", "z")}
    assert data.X.ravel().tolist() == [1, 2, 0, 1]


def test_codes_over_many_batches(text_file) -> None:
    lines = [f"1,v{number % 1000:03}" for number in range(300_000)]
    data = read(text_file("y,a\n" + "\n".join(lines) + "\n", "a.csv"))
    assert data.categories["a"] == tuple(f"v{number:03}" for number in range(1000))
    assert np.array_equal(data.X.ravel(), np.arange(300_000) % 1000)


def test_category_types_of_parquet_keep_their_order(tmp_path) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), ["z", "a", "unused"])
    parquet.write_table(pa.table({"y": [1, 0, 1], "size": column}), tmp_path / "a.parquet")
    data = read(tmp_path / "a.parquet")
    assert data.categories["size"][:2] == ("z", "a")
    np.testing.assert_array_equal(data.X.ravel(), np.array([1, 0, np.nan], dtype=np.float32))


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv.gz"])
def test_categories_are_written_as_texts(tmp_path, ending) -> None:
    data = RankingData(
        [[0, 1.5], [1, 2.5], [np.nan, 3.5]],
        [1, 0, 2],
        qid=[1, 1, 1],
        feature_names=["kind", "size"],
        categories={"kind": ("a, b", "c")},
    )
    write(data, tmp_path / f"a.{ending}")
    again = read(tmp_path / f"a.{ending}")
    assert again.categories == data.categories
    np.testing.assert_array_equal(again.X, data.X)


REFUSED: dict[str, Any] = {
    "no label": ({"label": "salary"}, "there is no column 'salary', got id, age, work, income, session; name one of"),
    "no query": ({"label": "age", "qid": "q"}, "there is no column 'q', got id"),
    "nothing to drop": ({"label": "age", "drop": ["x"]}, "there is no column 'x', got id"),
    "no category": ({"label": "age", "categories": ["x"]}, "categories must name columns of features, got 'x'"),
    "no option": ({}, "name one of them label, or say which by label="),
}


@pytest.mark.parametrize("case", REFUSED)
def test_columns_that_are_not_there(text_file, case) -> None:
    options, words = REFUSED[case]
    with pytest.raises(DataError, match=words):
        read(text_file(ADULT, "adult.csv"), **options)


@pytest.mark.parametrize(
    "option", [{"label": "a"}, {"positive": 1}, {"qid": "q"}, {"drop": ["a"]}, {"categories": "a"}]
)
def test_options_of_tables_are_refused_elsewhere(text_file, option) -> None:
    (name,) = option
    with pytest.raises(DataError, match=rf"{name} is for tables \(CSV, TSV, Parquet\), got .*, which is letor; leave"):
        read(text_file("1 qid:1 1:0.5\n", "a.txt"), **option)


def test_options_that_mean_nothing(text_file, tmp_path) -> None:
    with pytest.raises(DataError, match=r"Parquet has names of columns, got header=False for .*; leave it out"):
        read(parquet_file(tmp_path / "a.parquet"), header=False, **OPTIONS)
    data = read(text_file(ADULT, "adult.csv"), **OPTIONS)
    with pytest.raises(DataError, match="LETOR text has numbers alone, got categories in 'work'; write Parquet or CSV"):
        write(data, tmp_path / "a.txt")
    with pytest.raises(DataError, match="categories have no scale, got those of 'work'"):
        normalize(data)


def test_a_model_from_a_table_as_it_comes(text_file) -> None:
    lines = [
        f"{k},{40 + k % 7},{'Private' if k % 3 else 'State-gov'},{'>50K' if k % 3 else '<=50K'},a" for k in range(90)
    ]
    train = read(text_file("\n".join([ADULT.split("\n")[0], *lines]) + "\n", "train.csv"), **OPTIONS)
    model = rw.LambdaMART("auc", n_estimators=2, min_child_samples=5, n_jobs=1).fit(train)
    fewer = read(text_file("\n".join([ADULT.split("\n")[0], *lines[1:3]]) + "\n", "few.csv"), **OPTIONS)
    assert fewer.categories == {"work": ("Private",)}
    assert np.array_equal(model.predict(fewer), model.predict(train)[1:3])
