"""Bodies that are read quickly are read as the models read them with care, and both as plain Python would."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import DataError
from rankwise.serve.ranking._documents import Documents
from rankwise.serve.ranking._requests import JsonReader
from rankwise.serve.ranking._schemas import ModelFeatures

NAMES = ["bm25", "a b", "länge"]
MAX_DOCUMENTS = 50


def features(names: list[str] | None = NAMES, takes_missing: bool = True) -> ModelFeatures:
    return ModelFeatures(names, 3, takes_missing, "lambdamart")


def outcome(read: Any) -> Any:
    try:
        found: Documents = read()
    except DataError as problem:
        return str(problem)
    return found.X.tolist(), found.X.dtype, found.X.flags.writeable, found.ids


def agree(body: bytes, of: ModelFeatures) -> bool:
    """Whether a body was read quickly; what comes out is the same either way."""
    with_care = outcome(lambda: JsonReader(of).read_checked(body, MAX_DOCUMENTS))
    assert repr(outcome(lambda: JsonReader(of).read(body, MAX_DOCUMENTS))) == repr(with_care), body
    try:
        return JsonReader(of).read_lists(body, MAX_DOCUMENTS) is not None
    except DataError:
        return True


def value_by_value(body: Any, of: ModelFeatures) -> Any:
    """Rows and ids as plain Python reads them from a body in which nothing is wrong."""
    documents = body.get("documents", [])
    rows = body.get("features", [document["features"] for document in documents])
    ids = body.get("ids", [document["id"] for document in documents if "id" in document]) or None
    listed = [[row.get(name) for name in of.place] if isinstance(row, dict) else row for row in rows]
    return [[math.nan if value is None else float(value) for value in row] for row in listed], ids


ROW = [1.5, -2, 3e-320]
NAMED = dict(zip(NAMES, ROW, strict=True))
QUICK: list[Any] = [
    {"features": [ROW]},
    {"features": [ROW, [2**53 + 1, -0.0, 1.7e308]]},
    {"features": [ROW], "ids": [2**64 - 1]},
    {"ids": ["a", 2**63 - 1], "features": [ROW, ROW]},
    {"features": [ROW] * 51},
    {"features": [ROW, ROW], "ids": ["a", "a"]},
]
RIGHT: list[Any] = [
    {"documents": [{"features": NAMED}, {"features": dict(reversed(NAMED.items()))}]},
    {"documents": [{"features": NAMED, "id": "é"}, {"id": -5, "features": NAMED}]},
    {"features": [NAMED, NAMED], "ids": [1, 2]},
    {"features": [{"bm25": 1}, {}]},
    {"features": [[1, None, 3]]},
    {"features": [{"bm25": None}]},
    {"features": [NAMED, ROW]},
    {"features": [ROW, NAMED]},
    {"features": [ROW], "ids": ["["]},
    {"features": [NAMED], "ids": [2**64 - 1]},
    {"features": [NAMED], "ids": [-(2**63)]},
    {"documents": [{"features": ROW}]},
    {"documents": [{"features": [2**53 + 1, -0.0, None], "id": ""}, {"features": {}, "id": 0}]},
]
WRONG: list[Any] = [
    {"features": [[[1], 2, 3], [1, 2, 3]]},
    {"features": [[[1, 2], 3, 4], [[], 5, 6]]},
    {"features": [[1, 2], [3, 4, 5, 6]]},
    {"features": [[1, True, 3]]},
    {"features": [[1, 2, 3], 4]},
    {"features": [NAMED], "ids": [2**64]},
    {"features": [NAMED], "ids": []},
    {"features": [ROW], "ids": ["a", "b"]},
    {"features": [ROW], "documents": []},
    {"features": [NAMED], "documents": []},
    {"documents": [{"features": NAMED, "id": 1}, {"features": NAMED}]},
    {"documents": [{"features": NAMED}], "ids": [1]},
    {"features": [{"bm25": 1, "more": 2}]},
    {"features": [], "ids": [{"features": {}}]},
]


@pytest.mark.parametrize("body", QUICK, ids=str)
def test_usual_bodies(body: Any) -> None:
    for text in (json.dumps(body), json.dumps(body, indent=1), json.dumps(body, ensure_ascii=False)):
        assert agree(text.encode(), features())


@pytest.mark.parametrize("body", [*QUICK[:-2], *RIGHT], ids=str)
def test_bodies_are_read_as_plain_python_reads_them(body: Any) -> None:
    for text in (json.dumps(body), json.dumps(body, indent=1), json.dumps(body, ensure_ascii=False)):
        documents = JsonReader(features()).read_checked(text.encode(), MAX_DOCUMENTS)
        assert repr((documents.X.tolist(), documents.ids)) == repr(value_by_value(body, features()))
        assert (documents.X.dtype, documents.X.flags.writeable) == (np.float64, True)  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("body", RIGHT, ids=str)
def test_other_bodies_are_left_to_the_models(body: Any) -> None:
    assert not agree(json.dumps(body).encode(), features())


@pytest.mark.parametrize("body", WRONG, ids=str)
def test_what_is_wrong_is_left_to_the_models_which_refuse_it(body: Any) -> None:
    assert not agree(json.dumps(body).encode(), features())
    with pytest.raises(DataError):
        JsonReader(features()).read(json.dumps(body).encode(), MAX_DOCUMENTS)


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


def named_body(rows: list[list[str]], ids: list[str] | None, spaced: bool) -> bytes:
    """Documents by name, of numbers and ids as they are to stand in the text."""
    comma, colon = (", ", ": ") if spaced else (",", ":")
    documents = []
    for number, row in enumerate(rows):
        id = "" if ids is None else f'"id"{colon}{ids[number]}{comma}'
        values = comma.join(f'"{name}"{colon}{value}' for name, value in zip(NAMES, row, strict=True))
        documents.append(f'{{{id}"features"{colon}{{{values}}}}}')
    return f'{{"documents"{colon}[{comma.join(documents)}]}}'.encode()


def listed_body(rows: list[list[str]], ids: list[str] | None, spaced: bool) -> bytes:
    """The same as lists."""
    comma, colon = (", ", ": ") if spaced else (",", ":")
    lists = comma.join(f"[{comma.join(row)}]" for row in rows)
    end = "" if ids is None else f'{comma}"ids"{colon}[{comma.join(ids)}]'
    return f'{{"features"{colon}[{lists}]{end}}}'.encode()


Form = Callable[[list[list[str]], list[str] | None, bool], bytes]
both_forms = pytest.mark.parametrize("form", [named_body, listed_body])


def has_shape(body: bytes, of: ModelFeatures) -> bool:
    agree(body, of)
    return JsonReader(of).read_shapes(body, MAX_DOCUMENTS) is not None


SOUND_NUMBERS = [
    "0",
    "7",
    "-1",
    "0.5",
    "-0.25",
    "12345678.87654321",
    "0.00000001",
    "123456789",
    "0.123456789",
    "1e5",
    "1E+05",
    "12e-3",
    "0.12345678",
    "123456789.25",
    "9007199254740992",
    "1e22",
]
HARD_NUMBERS = [
    "-0",
    "-0.0",
    "98765432.12345678",
    "9" * 31,
    "9" * 70,
    "0." + "1" * 70,
    "9007199254740993",
    "1e23",
    "1e999",
    "0.1234567890123456789",
    "3e-320",
    "12345678901234567890",
]
BAD_NUMBERS = [
    "01",
    "1.",
    "-01.5",
    "00.5",
    "1.5.2",
    "--1",
    "1-2",
    ".5",
    "+1",
    "1e",
    "-",
    "",
    "NaN",
    "nul",
    "nulls",
    '"1"',
    "true",
    "1 ",
    "0x1",
    "1_0",
    "1:0",
    "1/2",
]
SOUND_IDS = ['"a"', '"é"', '"x y"', "0", "12", '"}}"', '""']
ODD_IDS = ["-5", "007", "1.5", "null", '"\\n"', '"\\""', '"\t"', "[]", '"']


@both_forms
@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize("ids", [None, SOUND_IDS])
def test_usual_texts_are_read_quickly(form: Form, spaced: bool, ids: list[str] | None) -> None:
    rows = [[*SOUND_NUMBERS[k : k + 2], "null"] for k in range(7)]
    body = form(rows, ids, spaced)
    assert has_shape(body, features())
    assert has_shape(body + b" \n", features())
    for other in (body[:-1], body[:-2], body + b"\x0b", body + b"x", b" " + body, body.replace(b"0,", b"0;", 1)):
        assert not has_shape(other, features())
    assert not has_shape(body, features(takes_missing=False))
    assert JsonReader(features()).read_shapes(body, 6) is None


def test_other_names_have_another_shape() -> None:
    body = named_body([["1", "2", "3"]], None, False)
    assert has_shape(body, features())
    assert not has_shape(body.replace(b"bm25", b"bm26", 1), features())
    assert not has_shape(body, features(["a b", "bm25", "länge"]))


@both_forms
@pytest.mark.parametrize("number", SOUND_NUMBERS)
def test_sound_numbers(form: Form, number: str) -> None:
    for row in ([number, "1", "2"], ["1", "2", number]):
        documents = JsonReader(features()).read_shapes(form([row], None, False), 1)
        assert documents is not None
        assert documents.X.tolist() == [[float(one) for one in row]]


@both_forms
@pytest.mark.parametrize("number", [*HARD_NUMBERS, *BAD_NUMBERS])
def test_hard_numbers_are_left_to_others(form: Form, number: str) -> None:
    for row in ([number, "1", "2"], ["1", "2", number]):
        assert not has_shape(form([["1", "2", "3"], row], None, False), features())


@pytest.mark.parametrize(
    "end",
    [
        '"ids":["a"]',
        '"ids":["a","b"],"ids":["b","a"]',
        '"ids":["a",1.5]',
        '"ids":["a",null]',
        '"ids":["a","a"]',
        '"ids":null',
        '"ids":[]',
        '"id":["a","b"]',
        '"features":[[1,2,3]]',
        '"documents":[]',
        '"ids":["a","b"]}',
        "",
    ],
)
def test_what_follows_lists(end: str) -> None:
    agree(f'{{"features":[[1,2,3],[4,5,6]],{end}}}'.encode(), features())


@pytest.mark.parametrize("id", ODD_IDS)
def test_odd_ids_are_left_to_the_models(id: str) -> None:
    assert not has_shape(named_body([["1", "2", "3"]] * 2, ['"a"', id], False), features())


@pytest.mark.parametrize("ids", [['"a"', "18446744073709551616"], ["7", "7"]])
def test_ids_by_name_are_refused_as_the_models_refuse_them(ids: list[str]) -> None:
    body = named_body([["1", "2", "3"]] * 2, ids, False)
    assert not agree(body, features())
    with pytest.raises(DataError, match="document 1 has the id"):
        JsonReader(features()).read_shapes(body, MAX_DOCUMENTS)


@both_forms
@given(rows=st.lists(st.tuples(*3 * [st.decimals(places=None, allow_nan=False, allow_infinity=False) | st.floats()])))
def test_numbers_in_texts_are_rounded_as_python_rounds_them(form: Form, rows: list[Any]) -> None:
    agree(form([[str(number) for number in row] for row in rows], None, False), features())


@both_forms
@given(mantissa=st.integers(-(2**53), 2**53), power=st.integers(-22, 22), place=st.integers(0, 16))
def test_exact_numbers(form: Form, mantissa: int, power: int, place: int) -> None:
    digits = str(mantissa or 1)
    number = f"{digits[:-place]}.{digits[-place:]}" if 0 < place < len(digits.strip("-")) else f"{digits}e{power}"
    found = JsonReader(features()).read_shapes(form([[number, "1", number]], None, True), 1)
    assert found is not None
    assert found.X.tolist() == [[float(number), 1.0, float(number)]]


def test_the_last_of_equal_names_counts() -> None:
    documents = JsonReader(features()).read(b'{"features": [{"bm25": 1, "bm25": 2}]}', MAX_DOCUMENTS)
    assert documents.X[0, 0] == 2


ODD_NAMES = ['a"b', "c\\", "d"]


@pytest.mark.parametrize("takes_missing", [True, False])
def test_names_that_no_class_can_have(takes_missing: bool) -> None:
    """They are read by a dict, which tells as much of what is wrong."""
    right: dict[str, Any] = dict(zip(reversed(ODD_NAMES), (1, 2, 3), strict=True))

    def read(row: Any) -> Any:
        body = json.dumps({"features": [row], "ids": ["x"]}).encode()
        return outcome(lambda: JsonReader(features(ODD_NAMES, takes_missing)).read(body, MAX_DOCUMENTS))

    assert read(right)[0] == [[3, 2, 1]]
    assert "feature 'd' of document 0 (id 'x') must be a number, got '4'" in read({**right, "d": "4"})
    assert "document 0 (id 'x') has the feature 'e', which the model does not" in read({**right, "e": 4})
    for row in ({"c\\": 1, 'a"b': 2}, {**right, "d": None}):
        if takes_missing:
            assert np.isnan(read(row)[0]).tolist() == [[False, False, True]]
        else:
            assert "feature 'd' of document 0 (id 'x') is missing" in read(row)


def test_a_model_without_names() -> None:
    assert not agree(json.dumps({"features": [NAMED]}).encode(), features(None))
    assert agree(json.dumps({"features": [ROW]}).encode(), features(None))


def test_a_model_that_needs_every_feature() -> None:
    needs = features(takes_missing=False)
    assert agree(json.dumps({"features": [ROW]}).encode(), needs)
    assert JsonReader(needs).read(json.dumps({"features": [NAMED]}).encode(), 1).X.tolist() == [ROW]
    for row in ({"bm25": 1}, [1, None, 3], {**NAMED, "a b": None}):
        with pytest.raises(DataError, match="feature 'a b' of document 0 is missing"):
            JsonReader(needs).read(json.dumps({"features": [row]}).encode(), 1)


def test_numbers_are_rounded_as_python_rounds_them() -> None:
    drawn = np.random.default_rng(0)
    numbers = drawn.integers(0, 2**64, size=3_000, dtype=np.uint64).view(np.float64)
    rows = numbers[np.isfinite(numbers)][:2_700].reshape(-1, 3).tolist()
    reader = JsonReader(features())
    for listed in (rows, [dict(zip(NAMES, row, strict=True)) for row in rows]):
        body = json.dumps({"features": listed}).encode()
        for documents in (reader.read(body, 10_000), reader.read_checked(body, 10_000)):
            assert documents.X.tolist() == rows
    assert reader.read_lists(json.dumps({"features": rows}).encode(), 10_000) is not None
