"""What the columns of a data frame are to `RankingData`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.data._arrow_columns import numbers, query_ids, texts
from rankwise.data._columns import Columns
from rankwise.data._frames import (
    Column,
    NamedColumn,
    as_arrow,
    as_table,
    encode_columns,
    frame_labels,
    table_columns,
)
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.types import AnyArray


def frame_fields(
    frame: Any,
    label: str | None,
    positive: str | float | None,
    qid: str | None,
    doc_id: str | None,
    weight: str | None,
    position: str | None,
    drop: Sequence[str],
) -> dict[str, Any]:
    """The arguments of `RankingData`; see `RankingData.from_frame`."""
    columns = dict(_text_names(table_columns(as_table(frame))))
    meaning = Columns.of(list(columns), "the frame", label=label, qid=qid, doc_id=doc_id, drop=drop)
    for name in filter(None, (weight, position)):
        if name not in columns:
            raise DataError(f"the frame has no column {name!r}, got {', '.join(columns)[:200]}; name one of them")
    features = [name for name in meaning.features if name not in (weight, position)]
    rows = len(columns[meaning.label])
    encoded = encode_columns([(name, columns[name]) for name in features], rows)
    ids = np.zeros(rows, dtype=np.int64) if meaning.qid is None else query_ids([as_arrow(columns[meaning.qid])])
    documents = None if meaning.doc_id is None else texts(as_arrow(columns[meaning.doc_id])).fill_null("").to_pylist()
    y = frame_labels(columns[meaning.label], meaning.label, positive)
    if positive is not None and not y.any():
        raise DataError(f"no label in column {meaning.label!r} is {positive!r}; check its spelling and its type")
    return {
        "X": encoded.X,
        "y": y,
        "qid": ids,
        "doc_ids": documents,
        "query_weight": None if weight is None else _by_query(numbers(as_arrow(columns[weight])), ids, weight),
        "position": None if position is None else numbers(as_arrow(columns[position])),
        "feature_names": features,
        "source": "the frame",
        "categories": encoded.categories,
    }


def check_names(names: list[str] | None, n_features: int) -> None:
    """Refuse names of features that are no texts, too few or not different."""
    if names is None:
        return
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise DataError(f"feature_names must be a list of texts, got {names!r:.100}; pass one text per feature")
    if len(names) != n_features:
        raise ShapeError(
            f"feature_names must have one entry per feature, got {len(names)} for {n_features} features; "
            "give every one a name"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"feature_names must differ, got {twice!r} twice; rename one")


def _text_names(columns: Sequence[NamedColumn]) -> list[tuple[str, Column]]:
    """The columns by texts, each of them different."""
    names = [str(name) for name, _ in columns]
    check_names(names, len(names))
    return list(zip(names, (column for _, column in columns), strict=True))


def _by_query(weight: AnyArray, qid: AnyArray, name: str) -> AnyArray:
    """The weight of each query, of weights per row that are the same within a query."""
    groups = QueryGroups.from_qid(qid)
    grouped = groups.grouped(weight)
    of_query = grouped[groups.offsets[:-1]]
    if not np.array_equal(grouped, np.repeat(of_query, groups.sizes)):
        raise DataError(f"column {name!r} must hold one weight per query, got several in one; repeat one in all rows")
    return of_query
