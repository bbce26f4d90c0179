"""RankingData of data frames, and its categories."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rankwise.data import RankingData
from rankwise.errors import DataError
from tests.data.frames import ArrowStream

FRAME = pd.DataFrame(
    {
        "Label": [1, 0, 2],
        "query_id": ["a", "b", "a"],
        "doc_id": ["d1", None, "d3"],
        "price": [0.5, np.nan, 2.0],
        "sold": [True, False, True],
        "shop": ["x", None, "b"],
        "size": pd.Categorical(["S", "L", "S"], categories=["S", "M", "L"]),
    }
)
FORMS: dict[str, Any] = {
    "pandas": FRAME,
    "arrow": pa.Table.from_pandas(FRAME),
    "batch": pa.Table.from_pandas(FRAME).to_batches()[0],
    "stream": ArrowStream(pa.Table.from_pandas(FRAME)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_library_gives_the_same_data(form: str) -> None:
    data = RankingData.from_frame(FORMS[form])
    assert data.feature_names == ["price", "sold", "shop", "size"]
    assert data.categories == {"shop": ("b", "x"), "size": ("S", "M", "L")}
    np.testing.assert_array_equal(
        data.X, np.array([[0.5, 1, 1, 0], [np.nan, 0, np.nan, 2], [2, 1, 0, 0]], dtype=np.float32)
    )
    assert data.y.tolist() == [1, 0, 2]
    assert data.qid.tolist() == ["a", "b", "a"]
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == ["d1", "", "d3"]


def test_columns_by_name() -> None:
    frame = FRAME.assign(weight=[2.0, 1.0, 2.0], place=[1, 1, 2], shown=["yes", "no", "no"], session=[7, 8, 7])
    data = RankingData.from_frame(
        frame,
        label="shown",
        positive="yes",
        qid="session",
        weight="weight",
        position="place",
        drop=["Label", "query_id"],
    )
    assert data.y.tolist() == [1, 0, 0]
    assert data.qid.tolist() == [7, 8, 7]
    assert data.query_weight is not None
    assert data.query_weight.tolist() == [2, 1]
    assert data.position is not None
    assert data.position.tolist() == [1, 1, 2]
    assert data.feature_names == ["price", "sold", "shop", "size"]
    numbered = RankingData.from_frame(FRAME, positive=2)
    assert numbered.y.tolist() == [0, 0, 1]


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no label": (FRAME[["price"]], {}, "the frame: there is no label column, got price; name one of them label, or"),
    "a missing column": (FRAME, {"qid": "session"}, "the frame: there is no column 'session', got Label"),
    "a missing weight": (FRAME, {"weight": "w"}, "the frame has no column 'w', got Label"),
    "two weights in a query": (
        FRAME,
        {"weight": "price"},
        "column 'price' must hold one weight per query, got",
    ),
    "texts as labels": (FRAME, {"label": "shop"}, "column 'shop' must hold numbers to be the label, got large_string"),
    "an unknown label": (FRAME, {"label": "price"}, "labels must be finite, got nan at row 1"),
    "dates": (
        FRAME.assign(when=pd.Timestamp("2026-11-17")),
        {},
        "column 'when' must hold numbers, truth values",
    ),
    "two columns of a name": (FRAME.rename(columns={"shop": "price"}), {}, "must differ, got 'price' twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_frames_that_are_refused(case: str) -> None:
    frame, options, words = REFUSED[case]
    with pytest.raises(DataError, match=words) as caught:
        RankingData.from_frame(frame, **options)
    assert "\n" not in str(caught.value)


DATA = RankingData.from_frame(FRAME)


def test_categories_go_with_the_rows() -> None:
    assert DATA.rows(np.array([2, 0])).categories == DATA.categories


def test_features_of_other_data() -> None:
    names = ["size", "shop", "price", "sold"]
    values: dict[str, tuple[str, ...]] = {"shop": ("x", "y"), "size": ("L", "S")}
    data = DATA.with_features(names, 4, values)
    assert (data.feature_names, data.categories) == (names, values)
    np.testing.assert_array_equal(data.X[:, :2], np.array([[1, 0], [0, np.nan], [1, np.nan]], dtype=np.float32))
    assert data.with_features(names, 4, values) is data
    with pytest.raises(DataError, match="feature 'size' of the frame must hold numbers as in training, got categories"):
        DATA.with_features(DATA.feature_names, 4, {"shop": ("x",)})
    codes = RankingData([[1.0], [0.0]], [0, 1], qid=None)
    assert codes.with_features(["shop"], 1, {"shop": ("x", "y")}).X.tolist() == [[1], [0]]  # without names: codes


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no feature": ({"categories": {"other": ("a",)}}, "categories must be of named features, got 'other'"),
    "no names": ({"feature_names": None}, "categories must be of named features, got 'shop'"),
    "the same twice": ({"categories": {"shop": ("a", "a")}}, "the categories of 'shop' must be different texts"),
    "numbers": ({"categories": {"shop": (1, 2)}}, "the categories of 'shop' must be different texts"),
    "a code too high": ({"categories": {"shop": ("b",)}}, "'shop' must hold codes from 0 to 0 or NaN, got 1; make"),
    "no code": ({"categories": {"price": ("b", "c", "d")}}, "'price' must hold codes from 0 to 2 or NaN, got 0.5"),
}


@pytest.mark.parametrize("case", WRONG)
def test_categories_that_do_not_fit(case: str) -> None:
    changes, words = WRONG[case]
    with pytest.raises(DataError, match=words):
        replace(DATA, **changes)
