"""Documents and queries in files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from rankwise.data._columns import DOC_ID_NAMES
from rankwise.data.io._formats import PARQUET_ENDINGS, TABLE_ENDINGS
from rankwise.data.io._parquet_table import ParquetTable
from rankwise.data.io._streams import open_stream, without_compression
from rankwise.data.text._json_lines import json_lines, text_lines
from rankwise.errors import FormatError
from rankwise.types import JsonObject

ID_NAMES = (*DOC_ID_NAMES, "id", "_id")
WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def read_documents(path: str | PathLike[str]) -> dict[str, JsonObject]:
    """Read what documents say, for `TextIndex` and `LabelStore.create`.

    Parameters
    ----------
    path : str or PathLike
        A file of JSON lines, `{"id": "d1", "title": "Rain", "text": "It rains."}`, or a table (`.csv`, `.tsv`,
        `.parquet`) of such columns; text may be packed (`.gz`, …). The id may be called `doc_id`, `docid` or `_id`,
        a title may be missing, and further fields are kept.

    Returns
    -------
    dict
        The fields of each document by its id, in the order of the file.

    Raises
    ------
    FormatError
        If a line is no object, lacks an id or a text, or an id stands twice; it names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "docs.jsonl")
    ...     _ = file.write_text('{"id": 7, "text": "It rains."}')
    ...     read_documents(file)
    {'7': {'text': 'It rains.'}}
    """
    file = Path(path)
    documents: dict[str, JsonObject] = {}
    for number, fields in _rows(file):
        name = take_id(fields, ID_NAMES, file, number)
        if name is None:
            raise FormatError(
                f"a document must have an id, got {', '.join(fields)[:80] or 'nothing'}; add one",
                path=file,
                line=number,
            )
        title, text = fields.get("title"), fields.get("text")
        if not isinstance(text, str) or not (title is None or isinstance(title, str)):
            wrong = "title" if isinstance(text, str) else "text"
            raise FormatError(
                f"the {wrong} of document {name[:40]!r} must be text, got {str(fields.get(wrong))[:40]}; correct it",
                path=file,
                line=number,
            )
        if title is None:
            fields.pop("title", None)
        if name in documents:
            raise FormatError(f"document {name[:40]!r} stands twice; keep one of the lines", path=file, line=number)
        documents[name] = fields
    if not documents:
        raise FormatError("there are no documents, got a file without any; check the file", path=file)
    return documents


def read_queries(path: str | PathLike[str]) -> dict[int, str] | dict[str, str]:
    """Read queries, for `TextIndex.pool` and `LabelStore.create`.

    Parameters
    ----------
    path : str or PathLike
        A text file with a query per line: an id, a tab and what is looked for, or that alone, when queries are named
        by their number from 1. Blank lines are left out.

    Returns
    -------
    dict
        The text of each query by its id; ids are whole numbers if all of them look so, as in data that are read.

    Raises
    ------
    FormatError
        If there is no query, a line has no tab where the first one has, or an id stands twice; it names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "queries.txt")
    ...     _ = file.write_text("ferry times\\nnight bus\\n")
    ...     read_queries(file)
    {1: 'ferry times', 2: 'night bus'}
    """
    file = Path(path)
    queries: dict[str, str] = {}
    is_named: bool | None = None
    for number, line in text_lines(file):
        name, _, text = (part.strip() for part in line.partition("\t"))
        has_tab = "\t" in line
        is_named = has_tab if is_named is None else is_named
        if has_tab != is_named or (is_named and not (name and text)):
            form = "an id, a tab and a text, as the first one" if is_named else "no tab, as the first one"
            raise FormatError(f"a line must have {form}, got {line[:40]!r}; fix the line", path=file, line=number)
        name, text = (name, text) if is_named else (str(len(queries) + 1), name)
        if name in queries:
            raise FormatError(f"query {name[:40]!r} stands twice; keep one of the lines", path=file, line=number)
        queries[name] = text
    if not queries:
        raise FormatError("there are no queries, got a file without any; write one per line", path=file)
    if all(WHOLE_NUMBER.fullmatch(name) for name in queries):
        return {int(name): text for name, text in queries.items()}
    return queries


def take_id(fields: JsonObject, names: tuple[str, ...], path: Path, line: int) -> str | None:
    """The id among the fields, which is taken out of them; None where there is none."""
    key = next((key for key in names if key in fields), None)
    if key is None:
        return None
    name = fields.pop(key)
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        raise FormatError(f"{key} must be text or a whole number, got {str(name)[:40]}", path=path, line=line)
    return str(name).encode(errors="replace").decode()


def _rows(path: Path) -> Iterator[tuple[int, JsonObject]]:
    """The rows of a file as objects, by number of the line or the row."""
    ending = without_compression(path).suffix.lower()
    if ending not in (*TABLE_ENDINGS, *PARQUET_ENDINGS):
        yield from json_lines(path)
        return
    row = 1
    is_parquet = ending in PARQUET_ENDINGS
    batches = ParquetTable(path).record_batches() if is_parquet else _csv_batches(path, TABLE_ENDINGS[ending])
    for batch in batches:
        for fields in batch.to_pylist():
            yield row, {name: value for name, value in fields.items() if value is not None}
            row += 1


def _csv_batches(path: Path, delimiter: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table, every value as text."""
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)

    def opened(stream: Any, types: dict[str, pa.DataType]) -> csv.CSVStreamingReader:
        convert = csv.ConvertOptions(column_types=types)
        return csv.open_csv(stream, csv.ReadOptions(use_threads=False), parse, convert)

    try:
        with open_stream(path) as stream:
            names = opened(stream, {}).schema.names
        with open_stream(path) as stream:
            yield from opened(stream, dict.fromkeys(names, pa.string()))
    except (pa.ArrowException, UnicodeDecodeError) as problem:
        reason = str(problem).splitlines()[0]
        raise FormatError(f"this table cannot be read ({reason}); fix it, or pass JSON lines", path=path) from None
