"""Which worker holds which query: whole ones, with about as many rows on each worker.

Rows of a query may lie in any pieces; they all go to the worker of that query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from rankwise.data._arrow_columns import query_ids
from rankwise.rankers.trees.dask._sources import Piece, batches_of
from rankwise.types import FloatArray, IntArray

pc: Any = compute  # typed too narrowly by its stubs
LARGE = 0.05  # of a worker's share: queries of that size are dealt singly


@dataclass(frozen=True, eq=False)
class PieceSurvey:
    """Queries of a piece, by first appearance, with their rows; and its labels, with how often each is there."""

    qids: Any
    rows: IntArray
    labels: FloatArray
    label_rows: IntArray


@dataclass(frozen=True, eq=False)
class Layout:
    """Queries of all pieces by number, in order of first appearance."""

    rows: IntArray  # of each query
    numbers: Sequence[IntArray]  # of the queries of each piece
    piece_qids: Sequence[Any]  # their names
    piece_rows: Sequence[int]
    labels: FloatArray
    label_rows: IntArray

    @property
    def n_rows(self) -> int:
        """Rows of all pieces."""
        return int(self.rows.sum())

    @property
    def n_queries(self) -> int:
        """Queries of all pieces."""
        return self.rows.size


def survey_piece(piece: Piece) -> PieceSurvey:
    """Read the labels and queries of a piece."""
    qids, labels = [], []
    for batch in batches_of(piece, None):
        qids.append(pa.nulls(batch.y.size, pa.int64()).fill_null(0) if batch.qid is None else batch.qid)
        labels.append(batch.y)
    y = np.concatenate([np.empty(0), *labels])
    kinds, label_rows = np.unique(y, return_counts=True)
    if not qids:
        return PieceSurvey(pa.array([], pa.int64()), np.empty(0, np.int64), kinds, label_rows)
    coded = pa.chunked_array(qids).combine_chunks().dictionary_encode()
    return PieceSurvey(coded.dictionary, np.bincount(coded.indices.to_numpy()), kinds, label_rows)


def lay_out(surveys: Sequence[PieceSurvey]) -> Layout:
    """Number the queries of all pieces; one name is one query, wherever its rows lie."""
    names = query_ids([one.qids for one in surveys])
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    numbers = rank[inverse]
    rows = np.bincount(numbers, weights=np.concatenate([one.rows for one in surveys])).astype(np.int64)
    cuts = np.cumsum([len(one.qids) for one in surveys])[:-1]
    labels, place = np.unique(np.concatenate([one.labels for one in surveys]), return_inverse=True)
    label_rows = np.bincount(place, weights=np.concatenate([one.label_rows for one in surveys])).astype(np.int64)
    return Layout(
        rows,
        np.split(numbers, cuts),
        [one.qids for one in surveys],
        [int(one.rows.sum()) for one in surveys],
        labels,
        label_rows,
    )


def assign(rows: IntArray, parts: int) -> IntArray:
    """The part of each query: large queries first, the largest to the emptiest part, then the others in their order.

    So parts differ by little, and most of a part's rows stand together in the input, where it need not read the rest.

    >>> assign(np.array([5, 1, 1, 2, 1]), 2).tolist()
    [0, 1, 1, 1, 1]
    """
    share = rows.sum() / parts
    part = np.full(rows.size, -1)
    load = np.zeros(parts)
    large = np.flatnonzero(rows > LARGE * share)
    for query in large[np.argsort(-rows[large], kind="stable")]:
        part[query] = np.argmin(load)
        load[part[query]] += rows[query]
    small = np.flatnonzero(part < 0)
    room = np.maximum(share - load, 0.0)
    # A query belongs to the part in whose room its middle falls, the rooms and the queries each laid end to end.
    middle = np.cumsum(rows[small]) - rows[small] / 2
    borders = np.cumsum(room) * (rows[small].sum() / max(room.sum(), 1.0))
    part[small] = np.minimum(np.searchsorted(borders, middle), parts - 1)
    return part
