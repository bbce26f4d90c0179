"""JSON bodies into a matrix, by three readers that must agree.

Every body can be read into the models of `_schemas`, which refuse what is wrong in it. What has a shape of
`_json_shapes` is read by that, and other lists of numbers by simdjson: neither makes a Python object for each number
(docs/serving.md has the times to read each form). What is odd in a body in any way, right or wrong, is left to the
models.
"""

from __future__ import annotations

import re
import struct
from typing import Any, cast

import msgspec
import numpy as np
import simdjson
from msgspec import UNSET, UnsetType

from rankwise.errors import DataError
from rankwise.serve.ranking._documents import FORMS, Documents, check_count, check_ids, named, refusal, values_by_name
from rankwise.serve.ranking._json_shapes import json_shapes
from rankwise.serve.ranking._schemas import (
    ExplainRequest,
    Id,
    ModelFeatures,
    RankRequest,
    Row,
    StructType,
    request_types,
)
from rankwise.types import FloatArray

FIRST_ROW = re.compile(rb'"features"\s*:\s*(\[\s*\[)?')  # a list in a list, or else
NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # no JSON, but simdjson takes it


class JsonReader:
    """Reads the bodies for one model; `types` are the requests that it takes."""

    def __init__(self, features: ModelFeatures) -> None:
        self._features = features
        self.types = request_types(features)
        rank, explain = self.types
        self._rank, self._explain = msgspec.json.Decoder(rank), msgspec.json.Decoder(explain)
        self._pack = struct.Struct(f"{features.count}d").pack
        self._shapes = json_shapes(features)

    def read(self, body: bytes, max_documents: int) -> Documents:
        """The documents of a body."""
        documents = self.read_shapes(body, max_documents) or self.read_lists(body, max_documents)
        return self.read_checked(body, max_documents) if documents is None else documents

    def read_shapes(self, body: bytes, max_documents: int) -> Documents | None:
        """The documents of a body written as most encoders do, None if it must be read with more care."""
        for shape in self._shapes:
            if body.startswith(shape.head):
                documents = shape.read(body, self._features, max_documents)
                if documents is not None:
                    if documents.ids is not None:
                        check_ids(documents.ids)
                    return documents
        return None

    def read_lists(self, body: bytes, max_documents: int) -> Documents | None:
        """The documents of a body of lists of numbers, None if it must be read with more care."""
        first = FIRST_ROW.search(body)
        if first is None or first[1] is None or body.startswith(BYTE_ORDER_MARK):
            return None
        try:
            content: Any = simdjson.Parser().parse(body)
            names, rows = list(content.keys()), content["features"]
            ids = content["ids"].as_list() if "ids" in names else None
            lengths, numbers = set(map(len, rows)), np.frombuffer(rows.as_buffer(of_type="d"))
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError):  # as simdjson and its types complain
            return None
        # Lists inside rows have been flattened as well: they show by their brackets.
        flat = body.count(b"[") == 1 + len(rows) + (ids is not None)
        if not flat or lengths != {self._features.count} or sorted(names) not in (["features"], ["features", "ids"]):
            return None
        if ids is not None and len(ids) != len(rows):
            return None
        check_count(len(rows), max_documents)
        if ids is not None:
            check_ids(ids)
        return Documents(numbers.reshape(-1, self._features.count), ids)

    def read_checked(self, body: bytes, max_documents: int) -> Documents:
        """The documents of a body, whatever it has in it."""
        return self._documents(self._decode(self._rank, body), max_documents)

    def read_explain(self, body: bytes, max_documents: int) -> tuple[ExplainRequest, Documents]:
        """A request to explain, and its documents."""
        request = self._decode(self._explain, body)
        return request, self._documents(request, max_documents)

    def _decode(self, decoder: msgspec.json.Decoder[StructType], body: bytes) -> StructType:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError as problem:
            raise DataError(refusal(str(problem), read_json(body), self._features)) from None
        except NOT_JSON as problem:
            raise _not_json(problem) from None

    def _documents(self, request: RankRequest, max_documents: int) -> Documents:
        if (request.documents is UNSET) == (request.features is UNSET):
            got = "neither" if request.documents is UNSET else "documents and features"
            raise DataError(f"the body must have either documents or features, got {got}; send {FORMS}")
        if isinstance(request.documents, UnsetType):
            rows, ids = cast("list[Row]", request.features), request.ids
            if not isinstance(ids, UnsetType) and len(ids) != len(rows):
                raise DataError(
                    f"ids must be a list of {len(rows)}, one per document, got {len(ids)} ids; send as many, or none"
                )
        else:
            if request.ids is not UNSET:
                raise DataError("the body has the unknown field 'ids' beside documents; put each id in its document")
            rows = [document.features for document in request.documents]
            ids = _all_or_none([document.id for document in request.documents])
        check_count(len(rows), max_documents)
        if isinstance(ids, UnsetType):
            return Documents(self._matrix(rows, None), None)
        check_ids(ids)
        return Documents(self._matrix(rows, ids), ids)

    def _matrix(self, rows: list[Row], ids: list[Id] | None) -> FloatArray:
        values = [
            msgspec.structs.astuple(row)
            if isinstance(row, msgspec.Struct)
            else row
            if isinstance(row, list)
            else values_by_name(row, named(number, ids), self._features)
            for number, row in enumerate(rows)
        ]
        try:
            X = np.frombuffer(bytearray().join([self._pack(*row) for row in values]))
        except struct.error:  # a null
            X = np.array(values, dtype=np.float64)
        return X.reshape(-1, self._features.count)


def _all_or_none(ids: list[Id | UnsetType]) -> list[Id] | UnsetType:
    """The ids of documents of which either all or none have one."""
    for row, id in enumerate(ids):
        if (id is UNSET) != (ids[0] is UNSET):
            has = "no id" if id is UNSET else "an id"
            raise DataError(f"document {row} has {has}, unlike those before it; give one to all or to none")
    return UNSET if ids[0] is UNSET else cast("list[Id]", ids)


def read_json(body: bytes) -> Any:
    """What a body holds, as plain values."""
    try:
        return msgspec.json.decode(body)
    except NOT_JSON as problem:
        raise _not_json(problem) from None


def _not_json(problem: Exception) -> DataError:
    return DataError(f"the body is not JSON ({problem}); send {FORMS}")
