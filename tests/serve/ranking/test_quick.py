"""Bodies read quickly are read as with care: the same matrix and ids, or they are left to the careful reader."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from rankwise.errors import DataError
from rankwise.serve.ranking._documents import Documents, Features
from rankwise.serve.ranking._quick import QuickReader
from rankwise.serve.ranking._requests import JsonReader, read_object

NAMES = ["bm25", "a b", "länge"]
MOST = 50


def features(names: list[str] | None = NAMES, takes_missing: bool = True) -> Features:
    return Features(names, 3, takes_missing, "lambdamart")


def outcome(read: Any) -> Any:
    try:
        found: Documents = read()
    except DataError as problem:
        return str(problem)
    return found.X.tolist(), found.X.dtype, found.X.flags.writeable, found.ids


def agree(body: bytes, of: Features) -> bool:
    """Whether a body was read quickly; what comes out is the same either way."""
    with_care = outcome(lambda: JsonReader(of).read_object(read_object(body), MOST))
    assert repr(outcome(lambda: JsonReader(of).read(body, MOST))) == repr(with_care), body
    try:
        return QuickReader(of).read(body, MOST) is not None
    except DataError:
        return True


ROW = [1.5, -2, 3e-320]
NAMED = dict(zip(NAMES, ROW, strict=True))
QUICK: list[Any] = [
    {"features": [ROW]},
    {"features": [ROW, [2**53 + 1, -0.0, 1.7e308]]},
    {"features": [ROW], "ids": [2**64 - 1]},
    {"ids": ["a", 2**63 - 1], "features": [ROW, ROW]},
    {"documents": [{"features": NAMED}, {"features": dict(reversed(NAMED.items()))}]},
    {"documents": [{"features": NAMED, "id": "é"}, {"id": -5, "features": NAMED}]},
    {"features": [NAMED, NAMED], "ids": [1, 2]},
    {"features": [{"bm25": 1}, {}]},
    {"features": [ROW] * 51},
    {"features": [ROW, ROW], "ids": ["a", "a"]},
]
CAREFUL: list[Any] = [
    {"features": [[1, None, 3]]},
    {"features": [{"bm25": None}]},
    {"features": [[[1], 2, 3], [1, 2, 3]]},
    {"features": [[[1, 2], 3, 4], [[], 5, 6]]},
    {"features": [[1, 2], [3, 4, 5, 6]]},
    {"features": [[1, True, 3]]},
    {"features": [[1, 2, 3], 4]},
    {"features": [NAMED, ROW]},
    {"features": [ROW, NAMED]},
    {"features": [ROW], "ids": ["["]},
    {"features": [NAMED], "ids": [2**64]},
    {"features": [NAMED], "ids": []},
    {"features": [ROW], "ids": ["a", "b"]},
    {"features": [ROW], "documents": []},
    {"features": [NAMED], "documents": []},
    {"documents": [{"features": ROW}]},
    {"documents": [{"features": NAMED, "id": 1}, {"features": NAMED}]},
    {"documents": [{"features": NAMED}], "ids": [1]},
    {"features": [{"bm25": 1, "more": 2}]},
    {"features": [], "ids": [{"features": {}}]},
]


@pytest.mark.parametrize("body", QUICK, ids=str)
def test_usual_bodies(body: Any) -> None:
    for text in (json.dumps(body), json.dumps(body, indent=1), json.dumps(body, ensure_ascii=False)):
        assert agree(text.encode(), features())


@pytest.mark.parametrize("body", CAREFUL, ids=str)
def test_odd_bodies(body: Any) -> None:
    assert not agree(json.dumps(body).encode(), features())


@pytest.mark.parametrize(
    "body",
    [
        b'{"features": [[1, 2, 3]], "features": [[4, 5, 6]]}',
        b'{"ids": [1], "features": [[1, 2, 3]], "ids": [2]}',
        b'{"features": [[1, 2, 123456789012345678901234567890]]}',
        b'{"features": [[1, 2, 1e999]]}',
        b'{"features": [[1, 2, 3]]} x',
        b'\xef\xbb\xbf{"features": [[1, 2, 3]]}',
        b'\xef\xbb\xbf{"features": [{"bm25": 1}]}',
        b'[{"features": [[1, 2, 3]]}]',
        b'{"features": [[1, 2, 3]], "ids": ["\xff"]}',
        b'{"x": "\\"features\\": [[", "features": [[1, 2, 3]]}',
    ],
)
def test_odd_texts(body: bytes) -> None:
    assert not agree(body, features())


def test_the_last_of_equal_names_counts_as_ever() -> None:
    assert agree(b'{"features": [{"bm25": 1, "bm25": 2}]}', features())


def test_names_that_cannot_be_read_quickly_and_models_without() -> None:
    odd = ['a"b', "c\\", "d"]
    assert not agree(json.dumps({"features": [dict.fromkeys(odd, 1)]}).encode(), features(odd))
    assert not agree(json.dumps({"features": [NAMED]}).encode(), features(None))
    assert agree(json.dumps({"features": [ROW]}).encode(), features(None))


def test_a_model_that_needs_every_feature() -> None:
    needs = features(takes_missing=False)
    assert agree(json.dumps({"features": [NAMED]}).encode(), needs)
    assert not agree(json.dumps({"features": [{"bm25": 1}]}).encode(), needs)
    assert not agree(json.dumps({"features": [[1, None, 3]]}).encode(), needs)


def test_numbers_are_rounded_as_python_rounds_them() -> None:
    drawn = np.random.default_rng(0)
    numbers = drawn.integers(0, 2**64, size=3_000, dtype=np.uint64).view(np.float64)
    rows = numbers[np.isfinite(numbers)][:2_700].reshape(-1, 3).tolist()
    for given in (rows, [dict(zip(NAMES, row, strict=True)) for row in rows]):
        found = QuickReader(features()).read(json.dumps({"features": given}).encode(), 10_000)
        assert found is not None
        assert found.X.tolist() == rows
