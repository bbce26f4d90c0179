"""JSON bodies: documents with features by name or by position, checked by hand because a schema would be slower.

The usual body passes in a few whole-list operations; only one with something odd in it is gone through value by value,
to say which document and which feature it is.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.serve.ranking.documents import Documents, Id, check_count, check_ids, named, shown
from rankwise.serve.ranking.model import ServedModel

__all__ = ["read_documents", "read_object"]

FORMS = '{"documents": [{"id": …, "features": …}, …]} or {"features": [[…], …], "ids": […]}'


def read_object(body: bytes) -> dict[str, Any]:
    """The object that a body holds."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError as problem:
        raise DataError(f"the body is not JSON ({problem}); send {FORMS}") from None
    if not isinstance(told, dict):
        raise DataError(f"the body must be an object, got {shown(told)}; send {FORMS}")
    return told


def read_documents(body: bytes, told: dict[str, Any], model: ServedModel, most: int, *more: str) -> Documents:
    """The documents of an object, which may have the fields in `more` besides."""
    may_have_truths = _may_have_truths(body)
    given = [name for name in ("documents", "features") if name in told]
    if len(given) != 1:
        raise DataError(
            f"the body must have either documents or features, got {' and '.join(given) or 'neither'}; send {FORMS}"
        )
    known = {"documents", *more} if given == ["documents"] else {"features", "ids", *more}
    if odd := [name for name in told if name not in known]:
        raise DataError(f"the body has the unknown field {shown(odd[0])}; it may have {', '.join(sorted(known))}")
    items = told[given[0]]
    if not isinstance(items, list):
        raise DataError(f"{given[0]} must be a list, got {shown(items)}; send {FORMS}")
    check_count(len(items), most)
    if given == ["features"]:
        ids = _listed_ids(told, len(items))
        return Documents(_matrix(items, ids, model, may_have_truths), ids)
    ids = _ids(items)
    return Documents(_matrix([item["features"] for item in items], ids, model, may_have_truths), ids)


def _listed_ids(told: dict[str, Any], count: int) -> list[Id] | None:
    if "ids" not in told:
        return None
    ids = told["ids"]
    if not isinstance(ids, list) or len(ids) != count:
        got = f"{len(ids)} ids" if isinstance(ids, list) else shown(ids)
        raise DataError(f"ids must be a list of {count}, one a document, got {got}; send as many, or none")
    check_ids(ids)
    return ids


def _ids(items: list[Any]) -> list[Id] | None:
    """The ids of documents of which either all or none have one."""
    for row, item in enumerate(items):
        if not isinstance(item, dict):
            raise DataError(f'document {row} must be an object, got {shown(item)}; send {{"id": …, "features": …}}')
        if "features" not in item:
            raise DataError(f"document {row} has no features; add them, as an object or as a list")
        if len(item) > 1 and (odd := [name for name in item if name not in ("id", "features")]):
            raise DataError(f"document {row} has the unknown field {shown(odd[0])}; it may have id and features")
    having = [row for row, item in enumerate(items) if "id" in item]
    if not having:
        return None
    if len(having) < len(items):
        row = next(row for row, item in enumerate(items) if ("id" in item) != ("id" in items[0]))
        has = "an id" if "id" in items[row] else "no id"
        raise DataError(f"document {row} has {has}, unlike those before it; give one to all or to none")
    ids = [item["id"] for item in items]
    check_ids(ids)
    return ids


def _may_have_truths(body: bytes) -> bool:
    """Whether `true` or `false`, which would pass for 1 and 0, can be among the values: a letter of each is sought."""
    start = body.find(b"[")
    return body.find(b"r", start) >= 0 or body.find(b"s", start) >= 0


def _matrix(rows: list[Any], ids: list[Id] | None, model: ServedModel, may_have_truths: bool) -> NDArray[np.float64]:
    kinds, found = set(map(type, rows)), None
    if kinds == {list} and set(map(len, rows)) == {model.n_features}:
        found = _packed(rows, model.n_features, may_have_truths)
    elif kinds == {dict} and model.names is not None:
        found = _packed_by_name(rows, model)
    return np.array([_row(one, row, ids, model) for row, one in enumerate(rows)]) if found is None else found


@lru_cache(maxsize=64)
def _doubles(count: int) -> struct.Struct:
    return struct.Struct(f"{count}d")


def _packed(rows: list[Any], width: int, may_have_truths: bool) -> NDArray[np.float64] | None:
    """Rows of equal length as a matrix, None unless all are numbers; packing takes half the time of np.array."""
    if may_have_truths and bool in set(map(type, chain.from_iterable(rows))):
        return None
    form = _doubles(len(rows) * width)
    room = bytearray(form.size)
    try:
        form.pack_into(room, 0, *chain.from_iterable(rows))
    except (struct.error, OverflowError):
        return None
    return np.frombuffer(room).reshape(-1, width)


def _packed_by_name(rows: list[dict[str, Any]], model: ServedModel) -> NDArray[np.float64] | None:
    """The same for objects, None unless all have the model's features in one order."""
    order = list(rows[0])
    if len(order) != model.n_features or any(list(row) != order for row in rows):
        return None
    columns = [model.place.get(name, -1) for name in order]
    if -1 in columns:
        return None
    found = _packed([row.values() for row in rows], model.n_features, may_have_truths=True)
    if found is None or columns == list(range(model.n_features)):
        return found
    ordered = np.empty_like(found)
    ordered[:, columns] = found
    return ordered


def _row(features: Any, row: int, ids: list[Id] | None, model: ServedModel) -> list[float]:
    """The features of one document, one after the other."""
    if isinstance(features, list):
        if len(features) != model.n_features:
            raise DataError(
                f"{named(row, ids)} must have the model's {model.n_features} features, got {len(features)}; send all"
            )
        return [_number(value, column, row, ids, model) for column, value in enumerate(features)]
    if not isinstance(features, dict):
        raise DataError(f"features of {named(row, ids)} must be an object or a list, got {shown(features)}")
    if model.names is None:
        raise DataError(
            f"{named(row, ids)} has features by name, but those of the model have none; "
            f"send a list of {model.n_features} numbers"
        )
    if odd := [name for name in features if name not in model.place]:
        raise DataError(
            f"{named(row, ids)} has the feature {shown(odd[0])}, which the model does not know; leave it out"
        )
    return [_number(features.get(name), column, row, ids, model) for column, name in enumerate(model.names)]


def _number(value: Any, column: int, row: int, ids: list[Id] | None, model: ServedModel) -> float:
    if type(value) in (int, float):
        return float(value)
    if value is not None:
        raise DataError(
            f"{model.label(column)} of {named(row, ids)} must be a number, got {shown(value)}; send a number"
            + (", or null where it is missing" if model.takes_missing else "")
        )
    if not model.takes_missing:
        raise DataError(
            f"{model.label(column)} of {named(row, ids)} is missing, and the model ({model.ranker.kind}) needs it; "
            "send a number"
        )
    return float("nan")
