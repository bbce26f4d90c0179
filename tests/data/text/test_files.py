"""Documents and queries in files: formats, and one sentence for each thing that can be wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from rankwise.data import read_documents, read_queries
from rankwise.data.text import _json_lines
from rankwise.errors import DataError, FormatError

EXPECTED = {"7": {"title": "Rain", "text": 'It "rains",\nall day.'}, "d2": {"text": "Sun.", "year": "2024"}}
JSON = (
    '{"id": 7, "title": "Rain", "text": "It \\"rains\\",\\nall day."}\n\n'
    '{"doc_id": "d2", "title": null, "text": "Sun.", "year": "2024"}\n'
)
TABLE = 'id{0}title{0}text{0}year\n7{0}Rain{0}"It ""rains"",\nall day."{0}\nd2{0}{0}Sun.{0}2024\n'


def test_json_lines(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text("\ufeff" + JSON, encoding="utf-8")
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(JSON.encode()))
    assert read_documents(tmp_path / "docs.jsonl") == read_documents(tmp_path / "docs.jsonl.gz") == EXPECTED


@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables(tmp_path: Path, ending: str, delimiter: str) -> None:
    path = tmp_path / f"docs.{ending}"
    path.write_text(TABLE.format(delimiter))
    found = read_documents(path)
    assert {name: {key: value for key, value in fields.items() if value} for name, fields in found.items()} == EXPECTED


def test_ids_of_tables_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "docs.csv").write_text("id,text\n007,true\nNA,3.0\n")
    assert read_documents(tmp_path / "docs.csv") == {"007": {"text": "true"}, "NA": {"text": "3.0"}}


def test_parquet(tmp_path: Path) -> None:
    table = pa.table({"_id": [7, 8], "title": ["Rain", None], "text": ["It rains.", "Sun."]})
    parquet.write_table(table, tmp_path / "docs.parquet")
    assert read_documents(tmp_path / "docs.parquet") == {
        "7": {"title": "Rain", "text": "It rains."},
        "8": {"text": "Sun."},
    }


def test_queries(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_bytes("\ufeffferry times\r\n\n  Straße  ".encode())
    assert read_queries(path) == {1: "ferry times", 2: "Straße"}
    path.write_text("07\tferry times\n1\tnight\tbus\n")
    assert read_queries(path) == {"07": "ferry times", "1": "night\tbus"}
    path.write_text("q7\tferry times\nq1\tnight\tbus\n")
    assert read_queries(path) == {"q7": "ferry times", "q1": "night\tbus"}


GOOD = '{"id": "a", "text": "x"}\n'
BAD_DOCUMENTS: dict[str, tuple[str | bytes, str]] = {
    "not JSON": (GOOD + "{", ":2: a line must be JSON"),
    "no object": (GOOD + "[1]", ":2: a line must be a JSON object"),
    "no id": (GOOD + '{"text": "x", "url": "y"}', ":2: a document must have an id, got text, url; add one"),
    "an empty id": ('{"id": "", "text": "x"}', ":1: id must be text or a whole number"),
    "an id of another kind": ('{"id": [1], "text": "x"}', r":1: id must be text or a whole number, got \[1\]"),
    "no text": (GOOD + '{"id": "b", "title": "x"}', ":2: the text of document 'b' must be text, got None"),
    "a text of another kind": ('{"id": "b", "text": 3}', ":1: the text of document 'b' must be text, got 3"),
    "a title of another kind": ('{"id": "b", "text": "x", "title": 3}', ":1: the title of document 'b' must be text"),
    "an id twice": (GOOD + GOOD, ":2: document 'a' stands twice"),
    "nothing": ("\n \n", "there are no documents"),
    "no UTF-8": (GOOD.encode() + b'{"id": "b", "text": "caf\xe9"}', ":2: this line is not UTF-8 text"),
    "a line that does not end": (GOOD + '{"id": "b", "text": "' + "x" * 2000, ":2: a line may have 0 MB, got a longer"),
}


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_documents_that_cannot_be_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json_lines, "MAX_LINE_BYTES", 1000)
    content, sentence = BAD_DOCUMENTS[name]
    (tmp_path / "docs.jsonl").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(FormatError, match=sentence):
        read_documents(tmp_path / "docs.jsonl")


BAD_TABLES = {
    "no id": (b"name,text\na,b\n", "a document must have an id, got name, text"),
    "no UTF-8": (b"id,text\na,caf\xe9\n", "this table cannot be read"),
    "a short row": (b"id,text\na\n", "this table cannot be read"),
    "empty": (b"", "this table cannot be read"),
    "only a header": (b"id,text\n", "there are no documents"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_tables_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    content, sentence = BAD_TABLES[name]
    (tmp_path / "docs.csv").write_bytes(content)
    with pytest.raises(FormatError, match=sentence):
        read_documents(tmp_path / "docs.csv")


BAD_QUERIES = {
    "no id": ("q1\tferry\nnight bus\n", ":2: a line must have an id, a tab and a text, as the first one"),
    "no text": ("q1\t \n", ":1: a line must have an id, a tab and a text"),
    "an id all at once": ("ferry\nq2\tbus\n", ":2: a line must have no tab, as the first one"),
    "an id twice": ("q\tferry\nq\tbus\n", ":2: query 'q' stands twice"),
    "nothing": ("\n", "there are no queries"),
}


@pytest.mark.parametrize("name", BAD_QUERIES)
def test_queries_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    content, sentence = BAD_QUERIES[name]
    (tmp_path / "queries.txt").write_text(content)
    with pytest.raises(FormatError, match=sentence):
        read_queries(tmp_path / "queries.txt")


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.csv", "docs.parquet"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_documents(tmp_path / name)
