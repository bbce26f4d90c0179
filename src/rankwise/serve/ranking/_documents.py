"""What a body brings: documents to rank, as a matrix of the model's features; and what may be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

from rankwise.errors import DataError
from rankwise.serve.ranking._schemas import MAX_TOP, Id, ModelFeatures
from rankwise.types import FloatArray

FORMS = '{"documents": [{"id": …, "features": …}, …]} or {"features": [[…], …], "ids": […]}'
PROBLEM = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
FIELD_OF_OBJECT = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL)
DOCUMENT = re.compile(r"\.documents\[(\d+)\](?:\.(features|id)(.*))?", re.DOTALL)
ROW = re.compile(r"\.(features|ids)\[(\d+)\](.*)", re.DOTALL)
FIELDS = {  # what each must be, and what to do
    "": ("the body must be an object", f"send {FORMS}"),
    ".documents": ("documents must be a list", f"send {FORMS}"),
    ".features": ("features must be a list", f"send {FORMS}"),
    ".ids": ("ids must be a list of {count}, one per document", "send as many, or none"),
    ".top": (f"top must be a whole number from 1 to {MAX_TOP}", "correct it"),
    ".pair": ("pair must be a list of two documents", "name them as the body does"),
}
INT64_MIN, UINT64_MAX = -(2**63), 2**64 - 1  # other parsers of JSON would read other whole numbers as fractions


@dataclass(frozen=True, eq=False)
class Documents:
    """One row of features per document, NaN where one is missing; `ids` are None where documents go by position."""

    X: FloatArray
    ids: list[Id] | None

    def names(self, order: Sequence[int]) -> list[Id]:
        """What an answer calls the documents of these rows."""
        return list(order) if self.ids is None else [self.ids[row] for row in order]


def named(row: int, ids: Sequence[object] | None) -> str:
    """A document as sentences name it: by position, counted from 0, and by id if it has one."""
    return f"document {row}" if ids is None else f"document {row} (id {shown(ids[row])})"


def shown(value: object) -> str:
    """What was got, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_count(count: int, max_documents: int) -> None:
    """At least one document, and no more than are allowed."""
    if count == 0:
        raise DataError("there is no document to rank, got an empty list; send one or more")
    if count > max_documents:
        raise DataError(
            f"a request may have {max_documents} documents at most, got {count}; send them in several requests"
        )


def check_ids(ids: Sequence[object]) -> None:
    """Texts or whole numbers, each once."""
    if set(map(type, ids)) != {str} and not all(map(_is_id, ids)):
        row = next(row for row, id in enumerate(ids) if not _is_id(id))
        raise DataError(bad_id(row, ids[row]))
    if len(set(ids)) < len(ids):
        first: dict[object, int] = {}
        for row, id in enumerate(ids):
            if first.setdefault(id, row) != row:
                raise DataError(
                    f"document {row} has the id {shown(id)}, which document {first[id]} has as well; "
                    "give each its own, or none"
                )


def _is_id(value: object) -> bool:
    return type(value) is str or (type(value) is int and INT64_MIN <= value <= UINT64_MAX)


def bad_id(row: int, id: object) -> str:
    """The sentence for an id of another type."""
    return f"document {row} has the id {shown(id)}; an id must be a text or a whole number of 64 bits"


def refusal(problem: str, body: Any, features: ModelFeatures) -> str:
    """The sentence for a body (as plain JSON) of which msgspec complains."""
    match = PROBLEM.fullmatch(problem)
    assert match is not None
    complaint, path = match[1], match[2] or ""
    if document := DOCUMENT.fullmatch(path):
        row = int(document[1])
        return _document_refusal(complaint, row, document[2], document[3], body["documents"], features)
    if document := ROW.fullmatch(path):
        row = int(document[2])
        if document[1] == "ids":
            return bad_id(row, body["ids"][row])
        ids = body.get("ids")
        has_ids = isinstance(ids, list) and len(ids) == len(body["features"])
        return _row_refusal(complaint, document[3], body["features"][row], row, ids if has_ids else None, features)
    if field := FIELD_OF_OBJECT.fullmatch(complaint):
        return f"the body has the unknown field {shown(field[2])}; send {FORMS}"
    if path.startswith(".pair["):
        return unknown_document(body["pair"][int(path[6:-1])])
    value = body[path[1:]] if path else body
    if value == [] and path in (".documents", ".features"):
        return "there is no document to rank, got an empty list; send one or more"
    expected, remedy = FIELDS[path]
    count = len(body.get("features", ())) if path == ".ids" else 0
    return f"{expected.format(count=count)}, got {shown(value)}; {remedy}"


def _document_refusal(
    complaint: str, row: int, field: str | None, tail: str, documents: list[Any], features: ModelFeatures
) -> str:
    document = documents[row]
    if field == "id":
        return bad_id(row, document["id"])
    if field == "features":
        ids = [other.get("id") if isinstance(other, dict) else None for other in documents]
        return _row_refusal(complaint, tail, document["features"], row, ids if "id" in document else None, features)
    if match := FIELD_OF_OBJECT.fullmatch(complaint):
        if match[1] == "missing required":
            return f"document {row} has no features; add them, as an object or as a list"
        return f"document {row} has the unknown field {shown(match[2])}; it may have id and features"
    return f'document {row} must be an object, got {shown(document)}; send {{"id": …, "features": …}}'


def _row_refusal(
    complaint: str, tail: str, values: Any, row: int, ids: list[Any] | None, features: ModelFeatures
) -> str:
    document = named(row, ids)
    if tail == "[...]":  # one of a dict, which msgspec does not name
        allowed = (int, float, NoneType) if features.takes_missing else (int, float)
        tail = next(f".{name}" for name, value in values.items() if type(value) not in allowed)
    if tail:
        column = int(tail[1:-1]) if isinstance(values, list) else features.place[tail[1:]]
        value = values[column if isinstance(values, list) else tail[1:]]
        if value is None:
            return missing_feature(column, document, features)
        hint = ", or null where it is missing" if features.takes_missing else ""
        return f"{features.label(column)} of {document} must be a number, got {shown(value)}; send a number{hint}"
    if match := FIELD_OF_OBJECT.fullmatch(complaint):
        if match[1] == "missing required":
            return missing_feature(features.place[match[2]], document, features)
        return unknown_feature(match[2], document)
    if isinstance(values, list):
        return f"{document} must have the model's {features.count} features, got {len(values)}; send all"
    if isinstance(values, dict):
        return (
            f"{document} has features by name, but those of the model have none; "
            f"send a list of {features.count} numbers"
        )
    return f"features of {document} must be an object or a list, got {shown(values)}"


def missing_feature(column: int, document: str, features: ModelFeatures) -> str:
    """The sentence for a feature that a model needs and does not get."""
    return f"{features.label(column)} of {document} is missing, and the model ({features.kind}) needs it; send a number"


def unknown_feature(name: str, document: str) -> str:
    """The sentence for a feature that a model does not have."""
    return f"{document} has the feature {shown(name)}, which the model does not know; leave it out"


def unknown_document(id: object) -> str:
    """The sentence for a document of a pair that is not among the others."""
    return f"pair names the document {shown(id)}, which the body does not have; name one that it has"
