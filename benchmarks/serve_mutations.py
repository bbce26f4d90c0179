"""Bodies for `POST /rank` and `/explain` that are nearly right: what benchmarks/serve_abuse.py and tests send.

Sound requests are changed in what they mean (values, fields, types, lengths, messages of a stream and their order), and
then in their bytes. A number gives the same body each time.
"""

from __future__ import annotations

import copy
import io
import json
import math
import struct
from typing import Any

import numpy as np
import pyarrow as pa

JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
NASTY: list[Any] = [
    *(None, True, False, 0, -1, 1, -0.0, 0.1, 1e308, -1e308, 5e-324, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 10**400),
    *("", "a", "0", "\0", "\n2026-01-01 ERROR", "ä", "\u202e", "\ud800", "x" * 3_000, "documents", "{}", "'; DROP"),
    *([], [[]], [[], []], {}, {"": 1}, {"id": {}}, [None], [0] * 200, {"a": {"b": {"c": []}}}, math.nan, math.inf),
]
TOKENS = [
    *(
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b'"',
        b"-",
        b"0x10",
        b"//",
        b"nul",
        b" " * 500,
    ),
    *(b"\\u0000", b"\\ud800", b"\xff", b"\xc3\x28", b"\0", b"\xef\xbb\xbf"),
    *(b"[" * 2_000, b'{"a":' * 1_500, b"1" * 5_000),
]
KINDS = [pa.float64(), pa.float32(), pa.float16(), pa.int8(), pa.uint64(), pa.bool_(), pa.string(), pa.null(),
         pa.date32(), pa.decimal128(30, 2), pa.list_(pa.float64()), pa.timestamp("ns")]  # fmt: skip
WORDS = [0, 1, -1, 2, 7, 8, 255, 1 << 16, (1 << 31) - 1, -(1 << 31), 1 << 24]
MAX_CHANGES = 5


def json_body(number: int, names: list[str]) -> tuple[str, bytes]:
    """The route and the body of a try; features of the model have these names."""
    drawn = np.random.default_rng([1, number])
    request = _request(drawn, names)
    route = "/rank"
    if drawn.random() < 0.3:
        route = "/explain"
        if drawn.random() < 0.7:
            request |= {"top": _one(drawn, [1, 5, 100])} if drawn.random() < 0.5 else {"pair": [0, 1]}
    for _ in range(int(drawn.integers(MAX_CHANGES))):
        _change(drawn, request, names)
    return route, _change_text(drawn, json.dumps(request, ensure_ascii=bool(drawn.random() < 0.8)))


def _request(drawn: np.random.Generator, names: list[str]) -> dict[str, Any]:
    count = int(drawn.integers(1, 6))
    rows: list[Any] = np.round(drawn.normal(size=(count, len(names))), 3).tolist()
    if drawn.random() < 0.5:
        rows = [dict(zip(names, row, strict=True)) for row in rows]
    ids: list[Any] = [f"d{row}" if drawn.random() < 0.9 else row for row in range(count)]
    if drawn.random() < 0.5:
        return {"documents": [{"id": id, "features": row} for id, row in zip(ids, rows, strict=True)]}
    return {"features": rows} | ({"ids": ids} if drawn.random() < 0.5 else {})


def _change(drawn: np.random.Generator, request: dict[str, Any], names: list[str]) -> None:
    """One change at a place that is drawn: a value, a field, a length."""
    place: Any = request
    while isinstance(place, dict | list) and len(place):
        key = _one(drawn, list(place) if isinstance(place, dict) else list(range(len(place))))
        inner = place[key]
        if isinstance(inner, dict | list) and len(inner) and drawn.random() < 0.75:
            place = inner
            continue
        match int(drawn.integers(6)):
            case 0 | 1:
                place[key] = copy.deepcopy(_one(drawn, NASTY))
            case 2:
                del place[key]
            case 3:
                other = _one(drawn, [*names, "id", "ids", "features", "documents", "top", "pair", "", "x" * 400])
                if isinstance(place, dict):
                    place[other] = copy.deepcopy(inner)
                else:
                    place.append(copy.deepcopy(inner))
            case 4:
                place[key] = [inner] if drawn.random() < 0.5 else {"features": inner}
            case 5 if isinstance(inner, list):
                place[key] = inner * int(drawn.integers(2, 40))
        return


def _change_text(drawn: np.random.Generator, text: str) -> bytes:
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(int(drawn.integers(1, MAX_CHANGES)) if drawn.random() < 0.4 else 0):
        place = int(drawn.integers(len(raw) + 1))
        match int(drawn.integers(4)):
            case 0:
                raw[place:place] = _one(drawn, TOKENS)
            case 1:
                del raw[place : place + int(drawn.integers(1, 40))]
            case 2:
                raw[place:place] = raw[place : place + int(drawn.integers(1, 60))]
            case 3:
                raw[place : place + 1] = bytes([int(drawn.integers(256))])
    return bytes(raw)


def arrow_body(number: int, names: list[str]) -> bytes:
    """The stream of a try."""
    drawn = np.random.default_rng([2, number])
    raw = bytearray(_stream(drawn, names))
    if drawn.random() < 0.1:
        raw = bytearray(_with_messages_moved(drawn, bytes(raw), _stream(drawn, names)))
    for _ in range(int(drawn.integers(3))):
        if not raw:
            break
        place = int(drawn.integers(len(raw)))
        match int(drawn.integers(4)):
            case 0:
                raw[place] ^= 1 << int(drawn.integers(8))
            case 1:  # a number of the format: lengths and offsets stand at multiples of four
                place -= place % 4
                raw[place : place + 4] = struct.pack("<i", _one(drawn, WORDS))
            case 2:
                place -= place % 8
                raw[place : place + 8] = struct.pack("<q", _one(drawn, [*WORDS, 1 << 40, (1 << 63) - 1, -(1 << 63)]))
            case 3 if drawn.random() < 0.3:
                del raw[place:]
    return bytes(raw)


def _stream(drawn: np.random.Generator, names: list[str]) -> bytes:
    """A table that the model may know, in several batches, versions of the format and compressions."""
    count = int(drawn.integers(0, 6))
    if drawn.random() < 0.3:
        width = len(names) + int(drawn.integers(-1, 2) if drawn.random() < 0.3 else 0)
        kind = _one(drawn, [pa.float64(), pa.float32(), pa.int64(), pa.string()])
        columns = {"f": pa.FixedSizeListArray.from_arrays(_values(drawn, kind, width * count), width)}
    else:
        chosen = [name for name in names if drawn.random() < 0.9]
        kinds = [KINDS[0] if drawn.random() < 0.95 else _one(drawn, KINDS) for _ in chosen]
        columns = {name: _values(drawn, kind, count) for name, kind in zip(chosen, kinds, strict=True)}
        if columns and drawn.random() < 0.1:
            columns[chosen[0]] = (
                columns[chosen[0]].cast(pa.string()).dictionary_encode() if kinds[0] == KINDS[0] else columns[chosen[0]]
            )
    if drawn.random() < 0.5:
        columns["id"] = pa.array(
            [_one(drawn, ["a", "ä", "d", None, "\0"]) if drawn.random() < 0.2 else f"d{row}" for row in range(count)],
            pa.string(),
        )
    table = pa.table(columns)
    options = pa.ipc.IpcWriteOptions(
        metadata_version=_one(drawn, [pa.ipc.MetadataVersion.V4, pa.ipc.MetadataVersion.V5]),
        compression=_one(drawn, [*[None] * 10, "zstd", "lz4"]),
        use_legacy_format=bool(drawn.random() < 0.2),
    )
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        for batch in table.to_batches(max_chunksize=int(drawn.integers(1, 4))):
            packed = {"ARROW:experimental_compression": "zstd"} if drawn.random() < 0.05 else None
            writer.write_batch(batch, custom_metadata=packed)
    return sink.getvalue()


def _values(drawn: np.random.Generator, kind: pa.DataType, count: int) -> pa.Array:
    whole = pa.array(
        [None if drawn.random() < 0.1 else int(value) for value in drawn.integers(0, 100, count)], pa.int64()
    )
    if pa.types.is_list(kind) or pa.types.is_null(kind):
        return pa.nulls(count, kind)
    if pa.types.is_date(kind):
        return whole.cast(pa.int32()).cast(kind)
    return whole.cast(pa.float32()).cast(kind) if kind == pa.float16() else whole.cast(kind, safe=False)


def _with_messages_moved(drawn: np.random.Generator, *streams: bytes) -> bytes:
    """Messages of two streams, some left out, some twice, in any order."""
    found = [message.serialize().to_pybytes() for one in streams for message in pa.ipc.MessageReader.open_stream(one)]
    picked = [found[0], *(found[place] for place in drawn.integers(len(found), size=int(drawn.integers(0, 6))))]
    return b"".join(picked if drawn.random() < 0.8 else picked[::-1])


def _one(drawn: np.random.Generator, values: list[Any]) -> Any:
    return values[int(drawn.integers(len(values)))]
