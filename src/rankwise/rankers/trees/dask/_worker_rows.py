"""The rows that one worker holds: those of its queries, from whatever pieces they lie in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyarrow import compute

from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import RowHashes, row_hashes
from rankwise.data._sources import ParquetRows
from rankwise.rankers.trees._streaming import BottomKSample, Float32Array
from rankwise.rankers.trees.dask._layout import RowAssignment
from rankwise.rankers.trees.dask._sources import ArrayPiece, Piece, batches_of
from rankwise.types import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class _AssignedRows:
    X: Float32Array
    y: FloatArray
    query: IntArray
    places: IntArray  # in the piece


class WorkerRows:
    """Labels, queries and hashes are kept; features are read again in each pass, unless they came in memory."""

    def __init__(
        self,
        pieces: Sequence[Piece],
        assignments: Sequence[RowAssignment],
        features: tuple[str, ...],
        sample_rows: int,
    ) -> None:
        self.features = features
        self.sample = BottomKSample(sample_rows)
        self.sources: list[tuple[Piece, RowAssignment]] = []
        columns: dict[str, list[AnyArray]] = {"hashes": [], "y": [], "query": []}
        for piece, assignment in zip(pieces, assignments, strict=True):
            in_memory = []
            for rows in self._assigned(piece, assignment):
                hashes = row_hashes(rows.X, rows.y)
                new = {"hashes": hashes, "y": rows.y, "query": rows.query}
                new |= {name: values[rows.places] for name, values in assignment.row_values.items()}
                for name, values in new.items():
                    columns.setdefault(name, []).append(values)
                if sample_rows:
                    self.sample.add(hashes, rows.X, rows.y)
                if not isinstance(piece, ParquetRows):
                    in_memory.append(rows)
            if in_memory:
                self.sources.append(_without_others(in_memory))
            elif isinstance(piece, ParquetRows):
                self.sources.append((piece, assignment))
        self.values = {name: np.concatenate(values) for name, values in columns.items()}
        self.y: FloatArray = self.values["y"]
        self.hashes: RowHashes = self.values["hashes"]
        self.groups = QueryGroups.from_qid(self.values.pop("query"))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.y.size, len(self.features)

    def blocks(self) -> Iterator[Float32Array]:
        """The features, some rows at a time."""
        return (rows.X for piece, assignment in self.sources for rows in self._assigned(piece, assignment))

    def query_hashes(self) -> tuple[IntArray, RowHashes]:
        """Numbers of the queries, and what tells them apart."""
        hashes = np.add.reduceat(self.groups.grouped(self.hashes), self.groups.offsets[:-1])
        return self.groups.qids, hashes

    def _assigned(self, piece: Piece, assignment: RowAssignment) -> Iterator[_AssignedRows]:
        n_read = 0
        for batch in batches_of(piece, self.features):
            if batch.qid is None:
                query = np.full(batch.y.size, assignment.numbers[0])
            else:
                query = assignment.numbers[compute.index_in(batch.qid, value_set=assignment.qids).to_numpy()]
            rows = np.flatnonzero(query >= 0)
            if rows.size == query.size:
                yield _AssignedRows(batch.X, batch.y, query, n_read + rows)
            elif rows.size:
                yield _AssignedRows(batch.X[rows], batch.y[rows], query[rows], n_read + rows)
            n_read += query.size


def _without_others(pieces: Sequence[_AssignedRows]) -> tuple[ArrayPiece, RowAssignment]:
    """Assigned rows of a piece that was in memory: the others of it need not be kept."""
    query = np.concatenate([rows.query for rows in pieces])
    numbers = np.unique(query)
    piece = ArrayPiece(
        np.concatenate([rows.X for rows in pieces]), np.concatenate([rows.y for rows in pieces]), pa.array(query)
    )
    return piece, RowAssignment(pa.array(numbers), numbers, {})
