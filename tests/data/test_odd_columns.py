"""Columns that would be learnt from by mistake: a second label, numbers as texts, names that are none."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rankwise as rw
from rankwise.data import RankingData
from rankwise.errors import DataError, FormatError


def test_two_columns_that_could_be_the_label(tmp_path: Path) -> None:
    table = pa.table({"label": [0, 1], "relevance": [1, 0], "a": [1.0, 2.0]})
    said = "columns 'label' and 'relevance' could both be the label; say which by label="
    with pytest.raises(FormatError, match=said):
        RankingData.from_frame(table)
    path = tmp_path / "a.csv"
    path.write_text("label,Relevance,a\n0,1,1\n1,0,2\n")
    with pytest.raises(FormatError, match="columns 'label' and 'Relevance' could both be the label"):
        rw.read(path)
    assert RankingData.from_frame(table, label="relevance", drop=["label"]).feature_names == ["a"]


def test_a_positive_label_that_no_row_has() -> None:
    table = pa.table({"label": ["Yes", "no"], "a": [1.0, 2.0]})
    with pytest.raises(DataError, match="no label in column 'label' is 'yes'; check its spelling"):
        RankingData.from_frame(table, positive="yes")


@pytest.mark.parametrize("texts", [["1,5", "2,25"], ["1.5", "-2.5"], ["1,000", "$20"], ["10%", "7.5 %"]])
def test_numbers_as_people_write_them(texts: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    said = f"column 'a' is taken for categories, though its texts look like numbers, such as {min(texts)!r}"
    RankingData.from_frame(pa.table({"label": [0, 1], "a": texts}))
    assert said in caplog.text
    caplog.clear()
    path = tmp_path / "a.csv"
    path.write_text('label,a\n0,"' + '"\n1,"'.join(texts) + '"\n')
    rw.read(path, categories=["a"])
    assert said in caplog.text


@pytest.mark.parametrize("texts", [["1", "2"], ["a", "1.5"], ["2020-01", "2020-02"], ["1.2.3-a", "b"], ["007", "008"]])
def test_codes_are_categories(texts: list[str], caplog: pytest.LogCaptureFixture) -> None:
    assert RankingData.from_frame(pa.table({"label": [0, 1], "a": texts})).categories["a"] == tuple(sorted(texts))
    assert caplog.text == ""


@pytest.mark.parametrize("names", ["ab", [1, 2], ["a", None]])
def test_names_of_features_are_texts(names: Any) -> None:
    with pytest.raises(DataError, match="feature_names must be a list of texts"):
        RankingData([[1.0, 2.0]], [1], None, feature_names=names)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ([0, "b"], "names of columns must be texts, all of them or none; rename the columns"),
        (["b", "b"], "Expected unique column names; rename one of two columns of the same name"),
    ],
)
def test_names_of_columns(columns: list[Any], said: str) -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match=said):
        rw.RankSVM().fit(pd.DataFrame(np.eye(2), columns=columns), [0, 1])


def test_whole_numbers_beyond_all_floats() -> None:
    with pytest.raises(DataError, match="too large to convert to float; scale the numbers"):
        rw.RankSVM().fit(np.array([[10**400], [1]], dtype=object), [0, 1])


def test_labels_left_in_the_features(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        rw.RankSVM().fit(pa.table({"a": [1.0, 2.0], "label": [0.0, 1.0]}), [0, 1])
    assert "column 'label' of X is learnt from like any other; drop it if it holds the labels" in caplog.text


def test_systems_to_compare_have_names() -> None:
    with pytest.raises(DataError, match="compare takes scores by the names of systems, got list; pass a dict"):
        rw.compare([0, 1], [[1.0, 2.0], [2.0, 1.0]])  # type: ignore[arg-type]
