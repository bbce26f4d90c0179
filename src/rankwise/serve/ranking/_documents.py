"""What a body brings: documents to rank, as a matrix of the model's features; and what may be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

from rankwise.errors import DataError
from rankwise.serve.ranking._schemas import MAX_TOP, Id, ModelFeatures
from rankwise.types import FloatArray

FORMS = '{"documents": [{"id": …, "features": …}, …]} or {"features": [[…], …], "ids": […]}'
MISSING = "missing required"
PROBLEM = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
FIELD_OF_OBJECT = re.compile(rf"Object (contains unknown|{MISSING}) field `(.*)`", re.DOTALL)
DOCUMENT = re.compile(r"\.documents\[(\d+)\](?:\.(features|id)(.*))?", re.DOTALL)
ROW = re.compile(r"\.(features|ids)\[(\d+)\](.*)", re.DOTALL)
EXPECTED = {  # fields of the body, and what they must be
    "": "an object",
    ".documents": "a list",
    ".features": "a list",
    ".ids": "a list, one per document",
    ".top": f"a whole number from 1 to {MAX_TOP}",
    ".pair": "a list of two documents",
}
NO_DOCUMENT = "there is no document to rank, got an empty list; send one or more"
INT64_MIN, UINT64_MAX = -(2**63), 2**64 - 1  # other parsers of JSON would read other whole numbers as fractions


@dataclass(frozen=True, eq=False)
class Documents:
    """One row of features per document, NaN where one is missing; `ids` are None where documents go by position."""

    X: FloatArray
    ids: list[Id] | None

    def names(self, order: Sequence[int]) -> list[Id]:
        """What an answer calls the documents of these rows."""
        return list(order) if self.ids is None else [self.ids[row] for row in order]


def named(row: int, ids: Sequence[object] | Mapping[int, object] | None) -> str:
    """A document as sentences name it: by position, counted from 0, and by id if it has one."""
    return f"document {row}" if ids is None else f"document {row} (id {shown(ids[row])})"


def shown(value: object) -> str:
    """What was got, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_count(count: int, max_documents: int) -> None:
    """At least one document, and no more than are allowed."""
    if count == 0:
        raise DataError(NO_DOCUMENT)
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
    try:
        match = PROBLEM.fullmatch(problem)
        assert match is not None
        return _refusal(match[1], match[2] or "", body, features)
    except (LookupError, TypeError, ValueError):  # a field that is there twice: the last is right, the first is not
        return f"the body is not right ({' '.join(problem.split())[:200]}); send {FORMS}"


def _refusal(complaint: str, path: str, body: Any, features: ModelFeatures) -> str:
    field = FIELD_OF_OBJECT.fullmatch(complaint)
    if match := DOCUMENT.fullmatch(path):
        row, document = int(match[1]), body["documents"][int(match[1])]
        if match[2] == "id":
            return bad_id(row, document["id"])
        if match[2] == "features":
            name = named(row, {row: document["id"]} if "id" in document else None)
            return _row_refusal(field, match[3], document["features"], name, features)
        fault = f"must be an object, got {shown(document)}"
        if field is not None:
            fault = "has no features" if field[1] == MISSING else f"has the unknown field {shown(field[2])}"
        return f'document {row} {fault}; send {{"id": …, "features": …}}'
    if match := ROW.fullmatch(path):
        row, ids = int(match[2]), body.get("ids")
        if match[1] == "ids":
            return bad_id(row, ids[row])
        name = named(row, ids if isinstance(ids, list) and len(ids) == len(body["features"]) else None)
        return _row_refusal(field, match[3], body["features"][row], name, features)
    if path.startswith(".pair["):
        return unknown_document(body["pair"][int(path[6:-1])])
    value = body[path[1:]] if path else body
    if value == []:
        return NO_DOCUMENT
    fault = (
        f"must be {EXPECTED[path]}, got {shown(value)}" if field is None else f"has the unknown field {shown(field[2])}"
    )
    return f"{path[1:] or 'the body'} {fault}; send {FORMS}"


def _row_refusal(field: re.Match[str] | None, tail: str, values: Any, document: str, features: ModelFeatures) -> str:
    if tail == "[...]":  # one of a dict, which msgspec does not name
        allowed = (int, float, NoneType) if features.takes_missing else (int, float)
        tail = next((f".{name}" for name, value in values.items() if type(value) not in allowed), ".")
    if tail:
        column = int(tail[1:-1]) if isinstance(values, list) else features.place[tail[1:]]
        value = values[column if isinstance(values, list) else tail[1:]]
        if value is None:
            return missing_feature(column, document, features)
        hint = ", or null where it is missing" if features.takes_missing else ""
        return f"{features.label(column)} of {document} must be a number, got {shown(value)}; send a number{hint}"
    if field is not None and field[1] == MISSING:
        return missing_feature(features.place[field[2]], document, features)
    if field is not None:
        return unknown_feature(field[2], document)
    all_of_them = f"send a list of {features.count} numbers"
    if isinstance(values, list):
        return f"{document} must have the model's {features.count} features, got {len(values)}; {all_of_them}"
    if isinstance(values, dict):
        return f"{document} has features by name, but those of the model have none; {all_of_them}"
    return f"features of {document} must be an object or a list, got {shown(values)}"


def values_by_name(row: dict[str, float | None], document: str, features: ModelFeatures) -> list[float | None]:
    """The features of a document in the model's order, from those of names that no class can have."""
    for name in row:
        if name not in features.place:
            raise DataError(unknown_feature(name, document))
    for name, column in features.place.items():
        if name not in row and not features.takes_missing:
            raise DataError(missing_feature(column, document, features))
    return [row.get(name) for name in features.place]


def missing_feature(column: int, document: str, features: ModelFeatures) -> str:
    """The sentence for a feature that a model needs and does not get."""
    return f"{features.label(column)} of {document} is missing, and the model ({features.kind}) needs it; send a number"


def unknown_feature(name: str, document: str) -> str:
    """The sentence for a feature that a model does not have."""
    return f"{document} has the feature {shown(name)}, which the model does not know; leave it out"


def unknown_document(id: object) -> str:
    """The sentence for a document of a pair that is not among the others."""
    return f"pair names the document {shown(id)}, which the body does not have; name one that it has"
