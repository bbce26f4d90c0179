"""Names of features: from tables, through all that data goes through, and back to tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.data import RankingData, normalize, read, split, write
from rankwise.errors import DataError, FormatError, ShapeError

NAMES = ["price", "größe, cm", 'the "best"', "x:1 [a]"]
DATA = RankingData(
    np.arange(24, dtype=np.float32).reshape(6, 4), [0, 1, 2, 0, 1, 2], qid=[1, 1, 2, 2, 3, 3], feature_names=NAMES
)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "csv.gz"])
def test_tables_keep_names(tmp_path, ending) -> None:
    path = tmp_path / f"a.{ending}"
    write(DATA, path)
    again = read(path)
    assert again.feature_names == NAMES
    np.testing.assert_array_equal(again.X, DATA.X)


@pytest.mark.parametrize("ending", ["csv", "parquet", "txt"])
def test_features_without_names_stay_so(tmp_path, ending) -> None:
    path = tmp_path / f"a.{ending}"
    write(replace(DATA, feature_names=None), path)
    assert read(path).feature_names is None


def test_letor_text_has_no_names(tmp_path) -> None:
    write(DATA, tmp_path / "a.txt")
    assert read(tmp_path / "a.txt").feature_names is None


def test_numbered_columns_in_another_order_are_names(tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,feature_2,feature_1\n1,0,0\n")
    assert read(path).feature_names == ["feature_2", "feature_1"]


def test_names_follow_the_first_of_several_files(tmp_path) -> None:
    (tmp_path / "a.csv").write_text('y, b ,"a"\n1,2,3\n')
    (tmp_path / "b.csv").write_text("a,y,b\n4,0,5\n")
    data = read(tmp_path / "a.csv", tmp_path / "b.csv")
    assert data.feature_names == ["b", "a"]
    assert data.X.tolist() == [[2, 3], [5, 4]]


def test_names_go_with_the_columns() -> None:
    assert DATA.rows(np.array([3, 1])).feature_names == NAMES
    assert normalize(DATA).feature_names == NAMES
    assert [part.feature_names for part in split(DATA, (2 / 3, 1 / 3))] == [NAMES, NAMES]


def test_names_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="one entry per feature, got 1 for 4 features"):
        replace(DATA, feature_names=["a"])
    with pytest.raises(DataError, match="must differ, got 'a' twice"):
        replace(DATA, feature_names=["a", "b", "a", "c"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["qid", "Label", "docid", "two\nlines"])
def test_names_that_would_be_read_as_something_else(tmp_path, ending, name) -> None:
    data = replace(DATA, feature_names=["a", "b", "c", name])
    with pytest.raises((DataError, FormatError), match="rename"):
        write(data, tmp_path / f"a.{ending}")
    assert list(tmp_path.iterdir()) == []
    write(data, tmp_path / "a.txt")
