"""JSON bodies as they usually come, read into a matrix without a Python object for each text and list.

Numbers take longest to read, so each form has the parser that is fastest for it. What is odd in any way, right or
wrong, is left to `requests`, which reads everything and knows the sentences.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Annotated, Any

import msgspec
import numpy as np
import simdjson
from msgspec import UNSET, UnsetType

from rankwise.serve.ranking._documents import Documents, Features, Id, check_count, check_ids

# The first document's features: in an object by name, or in a list.
FIRST = re.compile(rb'"features"\s*:\s*(?:\[\s*)?([\[{])')
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # no JSON, but simdjson takes it
# Others could not be written in an answer.
Given = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class QuickReader:
    """Reads the bodies for one model."""

    def __init__(self, features: Features) -> None:
        self._width = features.count
        self._row = struct.Struct(f"{features.count}d")
        self._decoder = _decoder_by_name(features)

    def read(self, body: bytes, most: int) -> Documents | None:
        """The documents of a body, None if it must be read with more care."""
        found = FIRST.search(body)
        if found is None or body.startswith(BYTE_ORDER_MARK):
            return None
        return self._read_by_name(body, most) if found[1] == b"{" else self._read_lists(body, most)

    def _read_lists(self, body: bytes, most: int) -> Documents | None:
        try:
            told: Any = simdjson.Parser().parse(body)
            names, rows = list(told.keys()), told["features"]
            ids = told["ids"].as_list() if "ids" in names else None
            lengths, numbers = set(map(len, rows)), np.frombuffer(rows.as_buffer(of_type="d"))
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError):  # as simdjson and its types complain
            return None
        # Lists inside rows have been flattened as well: they show by their brackets.
        flat = body.count(b"[") == 1 + len(rows) + (ids is not None)
        if not flat or lengths != {self._width} or sorted(names) not in (["features"], ["features", "ids"]):
            return None
        if ids is not None and len(ids) != len(rows):
            return None
        return _documents(numbers.reshape(-1, self._width), ids, most)

    def _read_by_name(self, body: bytes, most: int) -> Documents | None:
        if self._decoder is None:
            return None
        try:
            told = self._decoder.decode(body)
        except msgspec.DecodeError:
            return None
        if told.documents is UNSET:
            rows, ids = told.features, told.ids
        else:
            rows, ids = [one.features for one in told.documents], [one.id for one in told.documents]
            if told.features is not UNSET or told.ids is not UNSET:
                return None
            ids = UNSET if all(one is UNSET for one in ids) else ids
        if not rows or (ids is not UNSET and (len(ids) != len(rows) or UNSET in ids)):
            return None
        values, pack = msgspec.structs.astuple, self._row.pack
        X = np.frombuffer(bytearray().join([pack(*values(row)) for row in rows])).reshape(-1, self._width)
        return _documents(X, None if ids is UNSET else ids, most)


def _documents(X: np.ndarray[Any, np.dtype[np.float64]], ids: list[Id] | None, most: int) -> Documents:
    check_count(len(X), most)
    if ids is not None:
        check_ids(ids)
    return Documents(X, ids)


def _decoder_by_name(features: Features) -> msgspec.json.Decoder[Any] | None:
    """What reads features by name into slots, in the model's order; None if their names cannot be so read."""
    if features.names is None:
        return None
    slots = {f"f{column}": name for column, name in enumerate(features.names)}
    default = (math.nan,) if features.takes_missing else ()
    strict: dict[str, Any] = {"forbid_unknown_fields": True, "gc": False}
    try:
        Row = msgspec.defstruct("Row", [(slot, float, *default) for slot in slots], rename=slots, **strict)
    except ValueError:  # a name with a quotation mark, say
        return None
    Document = msgspec.defstruct("Document", [("features", Row), ("id", Given | UnsetType, UNSET)], **strict)
    Body = msgspec.defstruct(
        "Body",
        [
            ("documents", list[Document] | UnsetType, UNSET),  # type: ignore[valid-type]
            ("features", list[Row] | UnsetType, UNSET),  # type: ignore[valid-type]
            ("ids", list[Given] | UnsetType, UNSET),
        ],
        **strict,
    )
    return msgspec.json.Decoder(Body)
