"""Which worker holds which query: whole ones, with about as many rows on each worker.

Rows of a query may lie in any pieces; they all go to the worker of that query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from rankwise.data._arrow_columns import query_ids
from rankwise.rankers.trees.dask._sources import Piece, batches_of
from rankwise.types import FloatArray, IntArray

LARGE_QUERY_SHARE = 0.05  # of a worker's rows: queries of that size are dealt singly


@dataclass(frozen=True, eq=False)
class PieceSurvey:
    """Queries of a piece, by first appearance, with their rows; and its labels, with how often each is there."""

    qids: Any
    rows: IntArray
    labels: FloatArray
    label_rows: IntArray


@dataclass(frozen=True, eq=False)
class QueryLayout:
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


@dataclass(frozen=True, eq=False)
class RowAssignment:
    """What a worker holds of a piece: queries by name and number (−1: another worker's), and values of each row."""

    qids: Any
    numbers: IntArray
    row_values: dict[str, FloatArray]


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
    encoded = pa.chunked_array(qids).combine_chunks().dictionary_encode()
    return PieceSurvey(encoded.dictionary, np.bincount(encoded.indices.to_numpy()), kinds, label_rows)


def lay_out(surveys: Sequence[PieceSurvey]) -> QueryLayout:
    """Number the queries of all pieces; one name is one query, wherever its rows lie."""
    names = query_ids([survey.qids for survey in surveys])
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    numbers = rank[inverse]
    rows = np.bincount(numbers, weights=np.concatenate([survey.rows for survey in surveys])).astype(np.int64)
    ends = np.cumsum([len(survey.qids) for survey in surveys])[:-1]
    labels, place = np.unique(np.concatenate([survey.labels for survey in surveys]), return_inverse=True)
    label_rows = np.bincount(place, weights=np.concatenate([survey.label_rows for survey in surveys])).astype(np.int64)
    return QueryLayout(
        rows,
        np.split(numbers, ends),
        [survey.qids for survey in surveys],
        [int(survey.rows.sum()) for survey in surveys],
        labels,
        label_rows,
    )


def assign_queries(rows: IntArray, n_workers: int) -> IntArray:
    """The worker of each query: large queries first, the largest to the emptiest, then the others in their order.

    So workers differ by little, and most rows of a worker stand together in the input, where it need not read others.

    >>> assign_queries(np.array([5, 1, 1, 2, 1]), 2).tolist()
    [0, 1, 1, 1, 1]
    """
    share = rows.sum() / n_workers
    worker = np.full(rows.size, -1)
    load = np.zeros(n_workers)
    large = np.flatnonzero(rows > LARGE_QUERY_SHARE * share)
    for query in large[np.argsort(-rows[large], kind="stable")]:
        worker[query] = np.argmin(load)
        load[worker[query]] += rows[query]
    small = np.flatnonzero(worker < 0)
    room = np.maximum(share - load, 0.0)
    # A query belongs to the worker in whose room its middle falls, the rooms and the queries each laid end to end.
    middle = np.cumsum(rows[small]) - rows[small] / 2
    borders = np.cumsum(room) * (rows[small].sum() / max(room.sum(), 1.0))
    worker[small] = np.minimum(np.searchsorted(borders, middle), n_workers - 1)
    return worker


def assign_rows(
    pieces: Sequence[Piece],
    layout: QueryLayout,
    worker_of_query: IntArray,
    n_workers: int,
    row_values: Mapping[str, FloatArray],
) -> tuple[list[list[Piece]], list[list[RowAssignment]]]:
    """For each worker the pieces that it reads, and what it takes from each."""
    worker_pieces: list[list[Piece]] = [[] for _ in range(n_workers)]
    assignments: list[list[RowAssignment]] = [[] for _ in range(n_workers)]
    first = np.cumsum([0, *layout.piece_rows])
    for number, (piece, queries) in enumerate(zip(pieces, layout.numbers, strict=True)):
        values = {name: column[first[number] : first[number + 1]] for name, column in row_values.items()}
        for worker in np.unique(worker_of_query[queries]):
            worker_pieces[worker].append(piece)
            numbers = np.where(worker_of_query[queries] == worker, queries, -1)
            assignments[worker].append(RowAssignment(layout.piece_qids[number], numbers, values))
    return worker_pieces, assignments
