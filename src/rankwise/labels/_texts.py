"""What documents and queries say: a JSON-lines file, one object per line."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

from rankwise.data import RankingData
from rankwise.data._columns import DOC_ID_NAMES, QID_NAMES
from rankwise.data.io._streams import open_stream
from rankwise.errors import FormatError

ByName = dict[str, dict[str, Any]]


def read_texts(path: str | PathLike[str], data: RankingData) -> tuple[ByName, ByName]:
    """Fields of documents by their id, and of queries by theirs, as far as `data` has them.

    A line with a `doc_id` (or `docid`) tells of a document, one with only a `qid` (or `query_id`, `query`) of a
    query; all else on the line is kept as its fields: `{"doc_id": "d1", "title": "Rain", "text": "It rains."}`.
    The file may be packed, and may hold far more than the data.
    """
    known = {
        "document": set() if data.doc_ids is None else set(data.doc_ids.tolist()),
        "query": set(map(str, data.groups.qids.tolist())),
    }
    found: dict[str, ByName] = {"document": {}, "query": {}}
    with open_stream(Path(path)) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            kind, name, fields = _told(line, Path(path), number)
            if name in found[kind]:
                raise FormatError(f"{kind} {name[:40]!r} stands twice; keep one of the lines", path=path, line=number)
            if name in known[kind]:
                found[kind][name] = fields
    return found["document"], found["query"]


def _told(line: bytes, path: Path, number: int) -> tuple[str, str, dict[str, Any]]:
    """Whether a line tells of a document or a query, of which one, and what."""
    try:
        fields = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise FormatError(f"a line must be JSON ({problem}); mend the line", path=path, line=number) from None
    if not isinstance(fields, dict):
        raise FormatError(f"a line must be a JSON object, got {line[:40]!r}; mend the line", path=path, line=number)
    for kind, names in (("document", DOC_ID_NAMES), ("query", QID_NAMES)):
        key = next((key for key in names if key in fields), None)
        if key is not None:
            name = fields.pop(key)
            if isinstance(name, bool) or not isinstance(name, str | int):
                raise FormatError(f"{key} must be text or a whole number, got {str(name)[:40]}", path=path, line=number)
            return kind, str(name), fields
    raise FormatError("a line must have a doc_id or a qid, got neither; add one", path=path, line=number)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
