"""Arrow streams of all layouts are read as Python reads them value by value, the first of a schema and the next."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rankwise.serve.ranking import _arrow as arrow
from rankwise.serve.ranking._arrow import ArrowReader
from rankwise.serve.ranking._schemas import ModelFeatures
from tests.serve.ranking.factories import stream

NAMES = ["a", "b", "c", "d", "e"]
FEATURES = ModelFeatures(NAMES, 5, True, "lambdamart")
KINDS = [pa.float64(), pa.float32(), pa.float16(), pa.int8(), pa.int32(), pa.int64(), pa.uint32(), pa.uint64()]
LARGEST = {pa.int32(): 2**31 - 1, pa.uint32(): 2**32 - 1, pa.int64(): 2**63 - 1, pa.uint64(): 2**64 - 1}


def value_by_value(table: pa.Table) -> list[list[float]]:
    rows = []
    for row in table.to_pylist():
        given = dict(zip(NAMES, row["list"], strict=True)) if "list" in row else row
        rows.append([math.nan if given.get(name) is None else float(given[name]) for name in NAMES])
    return rows


def column(drawn: np.random.Generator, kind: pa.DataType, count: int) -> pa.Array:
    values: list[Any] = drawn.integers(0, 100, size=count).tolist()
    if count and kind in LARGEST:
        values[0] = LARGEST[kind]
    elif pa.types.is_floating(kind):
        values = [np.float16(value / 7) if kind == pa.float16() else value / 7 for value in values]
    return pa.array([None if drawn.random() < 0.1 else value for value in values], kind)


def tables() -> list[pa.Table]:
    drawn = np.random.default_rng(0)
    made = []
    for number in range(120):
        names = drawn.permutation(NAMES)[: drawn.integers(0 if number % 3 else 5, 6)].tolist()
        count = int(drawn.integers(1, 9))
        kinds = [KINDS[k] for k in drawn.integers(len(KINDS), size=5)]
        if number % 4 == 0:
            kinds = kinds[:1] * 5
        columns = {name: column(drawn, kind, count) for name, kind in zip(names, kinds, strict=False)}
        if number % 5 == 0:
            flat = column(drawn, kinds[0], 5 * count)
            columns = {"list": pa.FixedSizeListArray.from_arrays(flat, 5)}
        if number % 2 or not columns:
            columns["id"] = pa.array(range(count)) if number % 4 == 1 else pa.array([f"d{k}" for k in range(count)])
        table = pa.table(columns)
        if number % 7 == 0:
            table = pa.concat_tables([table.slice(0, 1), table.slice(0, 0), table.slice(1)])
        made.append(table)
    return made


@pytest.mark.parametrize("table", tables(), ids=lambda table: " ".join(f"{f.name}:{f.type}" for f in table.schema))
def test_layouts(table: pa.Table) -> None:
    reader = ArrowReader(FEATURES)
    for body in (stream(table), stream(table)):
        found = reader.read(body, 50)
        assert repr(found.X.tolist()) == repr(value_by_value(table))
        assert (found.X.dtype, found.X.flags.c_contiguous, found.X.flags.writeable) == (np.float64, True, True)  # type: ignore[comparison-overlap]
        assert found.ids == (table["id"].to_pylist() if "id" in table.column_names else None)


def test_only_so_many_schemas_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = ArrowReader(FEATURES)
    for number in range(3 * arrow.MAX_LAYOUTS):
        table = pa.table({"a": [1.0]}).replace_schema_metadata({"number": str(number)})
        assert reader.read(stream(table), 50).X[0, 0] == 1.0
        assert len(reader._layouts) <= arrow.MAX_LAYOUTS
    monkeypatch.setattr(arrow, "MAX_SCHEMA_BYTES", 10)
    short = ArrowReader(FEATURES)
    assert short.read(stream(pa.table({"a": [1.0]})), 50).X[0, 0] == 1.0
    assert short._layouts == {}
