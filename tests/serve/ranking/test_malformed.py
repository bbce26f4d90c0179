"""A catalogue of bodies that are not right: each is a 4xx with a sentence, and the server lives on."""

from __future__ import annotations

import io
import json
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rankwise as rw
from rankwise.serve.ranking._arrow import _is_packed
from tests.serve.ranking.factories import ARROW, DATA, NAMES, ROW, Client, X, is_sentence, serving, stream

NAMED = dict(zip(NAMES, ROW, strict=True))


def documents(*given: Any) -> dict[str, Any]:
    return {"documents": list(given)}


def doc(features: Any, **more: Any) -> dict[str, Any]:
    return {"features": features, **more}


# The body, and words of the sentence; document and feature are named wherever there is one.
JSON_BODIES: dict[str, tuple[Any, list[str]]] = {
    "empty": (b"", ["not JSON"]),
    "cut off": (b'{"features": [[1, 2', ["not JSON", "truncated"]),
    "no JSON": (b"bm25=1", ["not JSON"]),
    "not UTF-8": (b'{"features": "\xff\xfe"}', ["not JSON", "utf-8"]),
    "an id that is not UTF-8": (b'{"features": [[1, 2, 3, 4]], "ids": ["\xff"]}', ["not JSON", "utf-8"]),
    "a feature that is not UTF-8": (b'{"features": [{"b\xff": 1}]}', ["not JSON", "utf-8"]),
    "a document's id that is not UTF-8": (b'{"documents": [{"id": "\xc3"}]}', ["not JSON", "utf-8"]),
    "a byte order mark": (b"\xef\xbb\xbf{}", ["not JSON"]),
    "NaN": (b'{"features": [[NaN, 2, 3, 4]]}', ["not JSON", "byte 15"]),
    "Infinity": (b'{"features": [[1, -Infinity, 3, 4]]}', ["not JSON"]),
    "too large a number": (b'{"features": [[1e999, 2, 3, 4]]}', ["not JSON", "out of range"]),
    "a trailing comma": (b'{"features": [[1, 2, 3, 4],]}', ["not JSON"]),
    "a deep list": (b'{"features": ' + b"[" * 40_000, ["not JSON", "depth"]),
    "a deep object": (b'{"features":' * 5_000, ["not JSON", "depth"]),
    "a lone surrogate": (b'{"ids": ["\\ud800"], "features": [[1, 2, 3, 4]]}', ["not JSON"]),
    "a list": ([ROW], ["must be an object"]),
    "null": (b"null", ["must be an object", "None"]),
    "a number": (b"17", ["must be an object", "17"]),
    "no documents": ({}, ["either documents or features", "neither"]),
    "both forms": ({"documents": [doc(ROW)], "features": [ROW]}, ["documents and features"]),
    "an unknown field": ({"features": [ROW], "k": 3}, ["unknown field 'k'"]),
    "ids beside documents": ({**documents(doc(ROW)), "ids": ["a"]}, ["unknown field 'ids'"]),
    "documents that are an object": ({"documents": doc(ROW)}, ["documents must be a list"]),
    "features that are a text": ({"features": "1 2 3 4"}, ["features must be a list"]),
    "features that are null": ({"features": None}, ["features must be a list"]),
    "an empty list": ({"features": []}, ["no document"]),
    "empty documents": (documents(), ["no document"]),
    "too many documents": ({"features": [ROW] * 51}, ["50 documents at most", "51"]),
    "a document that is a list": (documents(doc(ROW), ROW), ["document 1 must be an object"]),
    "a document that is null": (documents(None), ["document 0 must be an object"]),
    "a document without features": (documents(doc(ROW), {"id": "a"}), ["document 1 has no features"]),
    "a document with more": (documents(doc(ROW), doc(ROW, label=1)), ["document 1", "unknown field 'label'"]),
    "too few features": ({"features": [ROW, ROW[:3]]}, ["document 1", "4 features", "got 3"]),
    "too many features": (documents(doc(ROW, id="a"), doc([*ROW, 5], id="b")), ["document 1 (id 'b')", "got 5"]),
    "no features": ({"features": [[]]}, ["document 0", "got 0"]),
    "features that are a number": ({"features": [ROW, 7]}, ["document 1", "object or a list", "7"]),
    "null as features": (documents(doc(None, id="a")), ["document 0 (id 'a')", "object or a list"]),
    "a text as feature": ({"features": [ROW, [1, 2, "3", 4]]}, ["document 1", "feature 'clicks'", "'3'"]),
    "true as feature": ({"features": [[True, 2, 3, 4]]}, ["document 0", "feature 'bm25'", "True"]),
    "a list as feature": ({"features": [[1, [2], 3, 4]]}, ["document 0", "feature 'age'", "[2]"]),
    "an object as feature": (documents(doc([1, 2, 3, {}], id=5)), ["document 0 (id 5)", "feature 'länge'"]),
    "a text by name": (documents(doc(NAMED), doc({**NAMED, "age": "old"})), ["document 1", "feature 'age'", "'old'"]),
    "false by name": (documents(doc({**NAMED, "clicks": False}, id="x")), ["document 0 (id 'x')", "'clicks'"]),
    "an unknown feature": (documents(doc(NAMED), doc({**NAMED, "pagerank": 1})), ["document 1", "'pagerank'"]),
    "an unknown feature alone": (documents(doc({"BM25": 1}, id="q")), ["document 0 (id 'q')", "'BM25'"]),
    "an unknown feature of a long name": (documents(doc({"x" * 9_000: 1})), ["document 0", "xxx..."]),
    "an id that is null": (documents(doc(ROW, id=None)), ["document 0", "None"]),
    "an id that is a fraction": ({"features": [ROW, ROW], "ids": ["a", 1.5]}, ["document 1", "1.5"]),
    "an id that is true": (documents(doc(ROW, id=True)), ["document 0", "True"]),
    "an id that is a list": ({"features": [ROW], "ids": [["a"]]}, ["document 0", "['a']"]),
    "an id twice": (documents(doc(ROW, id="a"), doc(ROW, id="a")), ["document 1", "'a'", "document 0"]),
    "an id that only some have": (documents(doc(ROW, id="a"), doc(ROW)), ["document 1 has no id"]),
    "an id that only the last has": (documents(doc(ROW), doc(ROW, id="a")), ["document 1 has an id"]),
    "too few ids": ({"features": [ROW, ROW], "ids": ["a"]}, ["list of 2", "1 ids"]),
    "ids that are a text": ({"features": [ROW], "ids": "a"}, ["ids must be a list", "one per document", "'a'"]),
    "ids that are null": ({"features": [ROW], "ids": None}, ["ids must be a list", "one per document", "None"]),
    "a field twice, the first wrong": (b'{"documents": [1], "documents": 5}', ["documents[0]"]),
    "a field twice, a name of two lines": (b'{"documents": [{"features": {"a\\nb": 1}}], "documents": 5}', ["a b"]),
    "a field twice, a long name": (b'{"documents": [{"%s": 1}], "documents": 5}' % (b"x" * 9_000), ["xxx"]),
    "features twice": (b'{"features": [[1, 2, 3, "4"]], "features": []}', ["features[0][3]"]),
    "a feature twice": (b'{"features": [{"age": "x", "age": 1}]}', ["feature 'age' of document 0"]),
    "an id out of range": ({"features": [ROW], "ids": [2**64]}, ["document 0", "18446744073709551616", "64 bits"]),
}


@pytest.mark.parametrize("name", JSON_BODIES)
def test_json_bodies(client: Client, name: str) -> None:
    body, words = JSON_BODIES[name]
    for path in ("/rank", "/explain"):
        status, said = client.send("POST", path, body)
        assert (status, is_sentence(said)) == (422, True), said
        assert [word for word in words if word not in said["error"]] == [], said["error"]
        assert len(said["error"]) < 400
    assert client.rank({"features": [ROW]})[0] == 200


def columns(**changed: Any) -> pa.Table:
    table = {name: pa.array([1.0, 2.0]) for name in NAMES} | changed
    return pa.table({name: values for name, values in table.items() if values is not None})


def fixed(width: int, values: Any) -> pa.Table:
    return pa.table({"f": pa.FixedSizeListArray.from_arrays(pa.array(values), width)})


def packed_before_v5() -> bytes:
    """A stream that is compressed as the format was before V5: by metadata of the batch, its header says nothing."""
    batch, sink = pa.record_batch({name: pa.array(np.zeros(50)) for name in NAMES}), io.BytesIO()
    options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V4, compression="zstd")
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch, custom_metadata={"ARROW:experimental_compression": "zstd"})
    raw = sink.getvalue()
    for place in range(len(raw) - 2):  # of the field's offset in the header
        changed = raw[:place] + b"\0\0" + raw[place + 2 :]
        with suppress(pa.ArrowException, OSError, struct.error, IndexError):
            messages = list(pa.ipc.MessageReader.open_stream(changed))
            if messages[1].metadata_version == pa.ipc.MetadataVersion.V4 and not is_declared(messages[1]):
                assert pa.ipc.open_stream(changed).read_next_batch().equals(batch)
                return changed
    raise AssertionError


def is_declared(message: Any) -> bool:
    """Whether the header of a record batch says that it is compressed."""
    return _is_packed(message.metadata.to_pybytes(), pa.ipc.MetadataVersion.V5)


def with_names(old: bytes, new: bytes) -> bytes:
    assert len(old) == len(new)
    return WHOLE.replace(old, new)


WHOLE = stream(columns())
EMPTY = pa.table({name: pa.array([], pa.float64()) for name in NAMES})
TWICE = pa.Table.from_arrays([pa.array([1.0])] * 2, names=["bm25", "bm25"])
ARROW_BODIES: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["not an Arrow stream"]),
    "no stream": (b"[[1, 2, 3, 4]]", ["not an Arrow stream"]),
    "a cut schema": (WHOLE[:100], ["not an Arrow stream"]),
    "a cut batch": (WHOLE[:-60], ["not an Arrow stream"]),
    "a huge length": (b"\xff\xff\xff\xff" + struct.pack("<i", 2**31 - 1) + b"x" * 50, ["not an Arrow stream"]),
    "compressed": (stream(columns(), compression="zstd"), ["compressed"]),
    "compressed by lz4": (stream(fixed(4, X[:3].ravel()), compression="lz4"), ["compressed"]),
    "compressed as before V5": (packed_before_v5(), ["compressed"]),
    "a name that is not UTF-8": (with_names(b"clicks", b"clic\xff\xff"), ["not an Arrow stream", "utf-8"]),
    "an id that is not UTF-8": (
        stream(columns(id=pa.array(["aaaa", "b"]))).replace(b"aaaa", b"aa\xff\xff"),
        ["not an Arrow stream", "UTF8"],
    ),
    "a dictionary": (stream(columns(age=pa.array([1.0, 2.0]).dictionary_encode())), ["dictionary"]),
    "no rows": (stream(EMPTY), ["no document"]),
    "too many rows": (stream(fixed(4, np.ones(4 * 51))), ["50 documents at most", "51"]),
    "an unknown column": (stream(columns(pagerank=pa.array([1.0, 2.0]))), ["every document", "'pagerank'"]),
    "a column twice": (stream(TWICE), ["'bm25'", "more than once"]),
    "a column of texts": (stream(columns(age=pa.array(["1", "2"]))), ["feature 'age'", "string"]),
    "a column of booleans": (stream(columns(age=pa.array([True, False]))), ["feature 'age'", "bool"]),
    "a column of lists": (stream(columns(age=pa.array([[1.0], [2.0]]))), ["feature 'age'", "list"]),
    "infinity": (stream(columns(clicks=pa.array([1.0, -np.inf]))), ["document 1", "feature 'clicks'", "-inf"]),
    "infinity in a list": (stream(fixed(4, [*ROW, 1, 2, np.inf, 4])), ["document 1", "'clicks'", "inf"]),
    "lists too short": (stream(fixed(3, [1.0, 2.0, 3.0])), ["4 numbers", "[3]"]),
    "lists of texts": (stream(fixed(4, ["1", "2", "3", "4"])), ["4 numbers", "string"]),
    "a list that is null": (
        stream(pa.table({"f": pa.array([ROW, None], pa.list_(pa.float64(), 4))})),
        ["document 1 has no features"],
    ),
    "ids of fractions": (stream(columns(id=pa.array([1.5, 2.5]))), ["column id", "double"]),
    "an id that is null": (stream(columns(id=pa.array(["a", None]))), ["document 1", "None"]),
    "an id twice": (stream(columns(id=pa.array([7, 7]))), ["document 1", "7", "document 0"]),
}


@pytest.mark.parametrize("name", ARROW_BODIES)
def test_arrow_bodies(client: Client, name: str) -> None:
    body, words = ARROW_BODIES[name]
    status, said = client.rank(body, ARROW)
    assert (status, is_sentence(said)) == (422, True), said
    assert [word for word in words if word not in said["error"]] == [], said["error"]
    assert client.rank(WHOLE, ARROW)[0] == 200


def test_no_damage_to_a_stream_is_a_mistake_of_ours(client: Client) -> None:
    """Bytes turned over and left out anywhere: 200 or 422, never more."""
    drawn = np.random.default_rng(0)
    found = set()
    for _ in range(300):
        raw = bytearray(WHOLE)
        for place in drawn.integers(len(raw), size=drawn.integers(1, 4)):
            raw[place] ^= 1 << int(drawn.integers(8))
        status, said = client.rank(bytes(raw[: drawn.integers(len(raw) // 2, len(raw) + 1)]), ARROW)
        check_answer(status, said)
        found.add(status)
    assert found == {200, 422}


def check_answer(status: int, said: Any) -> None:
    """A refusal is a sentence; an answer has an order of all documents, by falling scores."""
    if status != 200:
        assert (status, is_sentence(said)) == (422, True), said
        return
    order, scores = said["order"], said["scores"]
    assert sorted(order) == list(range(len(scores)))
    assert [scores[row] for row in order] == sorted(scores, reverse=True)


@pytest.mark.slow
def test_no_damage_to_json_is_a_mistake_of_ours(client: Client) -> None:
    """Bytes of a body exchanged for others that JSON has, doubled and left out."""
    drawn = np.random.default_rng(0)
    bodies = [json.dumps(body).encode() for body in (documents(doc(NAMED), doc(ROW)), {"features": [ROW, NAMED, ROW]})]
    found = set()
    for turn in range(600):
        raw = bytearray(bodies[turn % 2])
        for _ in range(drawn.integers(1, 4)):
            place = int(drawn.integers(len(raw)))
            match drawn.integers(3):
                case 0:
                    raw[place] = drawn.choice(list(b'[]{},:"0123e-.nulltrue '))
                case 1:
                    raw[place:place] = raw[place : place + int(drawn.integers(1, 30))]
                case 2:
                    del raw[place : place + int(drawn.integers(1, 30))]
        status, said = client.rank(bytes(raw))
        check_answer(status, said)
        found.add(status)
    assert found == {200, 422}


MISSING: dict[str, tuple[Any, str | None, list[str]]] = {
    "null": ({"features": [ROW, [1, None, 3, 4]]}, None, ["document 1", "feature 'age'", "missing", "ranksvm"]),
    "left out": (documents(doc({"bm25": 1}, id="a")), None, ["document 0 (id 'a')", "feature 'age'", "missing"]),
    "null by name": (documents(doc({**NAMED, "länge": None})), None, ["document 0", "feature 'länge'", "missing"]),
    "a column left out": (stream(columns(clicks=None)), ARROW, ["every document", "'clicks'", "missing"]),
    "a null in a column": (stream(columns(age=pa.array([None, 1.0]))), ARROW, ["document 0", "'age'", "missing"]),
    "NaN in a list": (stream(fixed(4, [1, 2, np.nan, 4])), ARROW, ["document 0", "'clicks'", "missing"]),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_model_that_needs_every_feature(linear_client: Client, name: str) -> None:
    body, kind, words = MISSING[name]
    status, said = linear_client.rank(body, kind)
    assert (status, is_sentence(said)) == (422, True), said
    assert [word for word in words if word not in said["error"]] == [], said["error"]


def test_a_score_that_is_no_number(tmp_path: Path) -> None:
    rw.save(rw.RankSVM("ndcg@10").fit(DATA.X * 1e-6, DATA.y, qid=DATA.qid), tmp_path / "m.rw")
    with serving(tmp_path / "m.rw") as client:
        status, said = client.rank({"features": [ROW, [1.7e308] * 4]})
    assert (status, is_sentence(said), "document 1" in said["error"]) == (422, True, True), said


def test_a_model_without_names(nameless_client: Client) -> None:
    for body, kind in ((documents(doc(ROW), doc(NAMED)), None), (WHOLE, ARROW)):
        status, said = nameless_client.rank(body, kind)
        assert (status, "4 numbers" in said["error"]) == (422, True), said
    said = nameless_client.rank({"features": [[1, 2, 3, "x"]]})[1]
    assert "feature 3 of document 0" in said["error"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"top": 0}, "top"),
        ({"top": 101}, "top"),
        ({"top": "3"}, "top"),
        ({"top": True}, "top"),
        ({"pair": [0]}, "two documents"),
        ({"pair": "ab"}, "two documents"),
        ({"pair": [0, 9]}, "document 9"),
        ({"pair": [0, -1]}, "document -1"),
        ({"pair": [0, [1]]}, "document [1]"),
        ({"pair": [0, 1], "top": 3}, "both"),
    ],
)
def test_what_explain_is_asked(client: Client, more: dict[str, Any], words: str) -> None:
    status, said = client.send("POST", "/explain", {"features": [ROW, ROW], **more})
    assert (status, is_sentence(said), words in said["error"]) == (422, True, True), said
