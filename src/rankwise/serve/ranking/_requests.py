"""JSON bodies: documents with features by name or by position, checked by hand because a schema would be slower.

The usual body is read by `quick`; only one with something odd in it is read here, and only one with something wrong in
it is gone through value by value, to say which document and which feature it is.
"""

from __future__ import annotations

from itertools import chain
from types import NoneType
from typing import Any

import numpy as np
import orjson

from rankwise.errors import DataError
from rankwise.serve.ranking._documents import Documents, Features, Id, check_count, check_ids, named, shown
from rankwise.serve.ranking._quick import QuickReader
from rankwise.types import FloatArray

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


class JsonReader:
    """Reads the bodies for one model."""

    def __init__(self, features: Features) -> None:
        self._features, self._quick = features, QuickReader(features)

    def read(self, body: bytes, most: int) -> Documents:
        """The documents of a body."""
        found = self._quick.read(body, most)
        return self.read_object(read_object(body), most) if found is None else found

    def read_object(self, told: dict[str, Any], most: int, *more: str) -> Documents:
        """The documents of an object, which may have the fields in `more` besides."""
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
            return Documents(_matrix(items, ids, self._features), ids)
        ids = _ids(items)
        return Documents(_matrix([item["features"] for item in items], ids, self._features), ids)


def _listed_ids(told: dict[str, Any], count: int) -> list[Id] | None:
    if "ids" not in told:
        return None
    ids = told["ids"]
    if not isinstance(ids, list) or len(ids) != count:
        got = f"{len(ids)} ids" if isinstance(ids, list) else shown(ids)
        raise DataError(f"ids must be a list of {count}, one per document, got {got}; send as many, or none")
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


def _matrix(rows: list[Any], ids: list[Id] | None, features: Features) -> FloatArray:
    placed = [_placed(row, features) for row in rows]
    if set(map(type, placed)) == {list} and set(map(len, placed)) == {features.count}:
        numbers = {int, float, NoneType} if features.takes_missing else {int, float}
        if set(map(type, chain.from_iterable(placed))) <= numbers:
            return np.array(placed, dtype=np.float64)  # NaN for None
    return np.array([_row(one, row, ids, features) for row, one in enumerate(rows)])


def _placed(row: Any, features: Features) -> Any:
    """Features by name in the model's order, if it knows them all; anything else as it is."""
    if features.names is None or not isinstance(row, dict) or not row.keys() <= features.place.keys():
        return row
    return [row.get(name) for name in features.names]


def _row(given: Any, row: int, ids: list[Id] | None, features: Features) -> list[float]:
    """The features of one document, one after the other."""
    if isinstance(given, list):
        if len(given) != features.count:
            raise DataError(
                f"{named(row, ids)} must have the model's {features.count} features, got {len(given)}; send all"
            )
        return [_number(value, column, row, ids, features) for column, value in enumerate(given)]
    if not isinstance(given, dict):
        raise DataError(f"features of {named(row, ids)} must be an object or a list, got {shown(given)}")
    if features.names is None:
        raise DataError(
            f"{named(row, ids)} has features by name, but those of the model have none; "
            f"send a list of {features.count} numbers"
        )
    if odd := [name for name in given if name not in features.place]:
        raise DataError(
            f"{named(row, ids)} has the feature {shown(odd[0])}, which the model does not know; leave it out"
        )
    return [_number(given.get(name), column, row, ids, features) for column, name in enumerate(features.names)]


def _number(value: Any, column: int, row: int, ids: list[Id] | None, features: Features) -> float:
    if type(value) in (int, float):
        return float(value)
    if value is not None:
        raise DataError(
            f"{features.label(column)} of {named(row, ids)} must be a number, got {shown(value)}; send a number"
            + (", or null where it is missing" if features.takes_missing else "")
        )
    if not features.takes_missing:
        raise DataError(
            f"{features.label(column)} of {named(row, ids)} is missing, and the model ({features.kind}) needs it; "
            "send a number"
        )
    return float("nan")
