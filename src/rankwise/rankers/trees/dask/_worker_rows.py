"""The rows that one worker holds: those of its queries, from whatever pieces they lie in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import row_hashes
from rankwise.data._sources import ParquetRows
from rankwise.rankers.trees._sampling import LowestKeys
from rankwise.rankers.trees.dask._sources import ArrayPiece, Piece, batches_of
from rankwise.types import FloatArray, IntArray

pc: Any = compute  # typed too narrowly by its stubs


@dataclass(frozen=True, eq=False)
class Request:
    """What a part holds of a piece: queries by name and number (−1: another part's), and numbers given for each row."""

    qids: Any
    numbers: IntArray
    given: dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class _OwnRows:
    X: NDArray[np.float32]
    y: FloatArray
    query: IntArray
    places: IntArray  # in the piece


class PartRows:
    """Labels, queries and keys are kept; features are read again in each pass, unless they came in memory."""

    def __init__(
        self, pieces: Sequence[Piece], requests: Sequence[Request], features: tuple[str, ...], sample: int
    ) -> None:
        self.features = features
        self.lowest = LowestKeys(sample)
        self.sources: list[tuple[Piece, Request]] = []
        found: dict[str, list[Any]] = {"keys": [], "y": [], "query": []}
        for piece, request in zip(pieces, requests, strict=True):
            held = []
            for own in self._own_rows(piece, request):
                keys = row_hashes(own.X, own.y)
                new = {"keys": keys, "y": own.y, "query": own.query}
                new |= {name: values[own.places] for name, values in request.given.items()}
                for name, values in new.items():
                    found.setdefault(name, []).append(values)
                if sample:
                    self.lowest.add(keys, own.X, own.y)
                if not isinstance(piece, ParquetRows):
                    held.append(own)
            if held:
                self.sources.append(_in_memory(held))
            elif isinstance(piece, ParquetRows):
                self.sources.append((piece, request))
        self.values = {name: np.concatenate(values) for name, values in found.items()}
        self.y, self.keys = self.values["y"], self.values["keys"]
        self.groups = QueryGroups.from_qid(self.values.pop("query"))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.y.size, len(self.features)

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The features, some rows at a time."""
        return (own.X for piece, request in self.sources for own in self._own_rows(piece, request))

    def _own_rows(self, piece: Piece, request: Request) -> Iterator[_OwnRows]:
        seen = 0
        for batch in batches_of(piece, self.features):
            if batch.qid is None:
                query = np.full(batch.y.size, request.numbers[0])
            else:
                query = request.numbers[pc.index_in(batch.qid, value_set=request.qids).to_numpy()]
            own = np.flatnonzero(query >= 0)
            if own.size:
                whole = own.size == query.size
                X = batch.X if whole else batch.X[own]
                yield _OwnRows(X, batch.y if whole else batch.y[own], query[own], seen + own)
            seen += query.size


def _in_memory(held: Sequence[_OwnRows]) -> tuple[ArrayPiece, Request]:
    """Own rows of a piece that was in memory: the others of it need not be kept."""
    query = np.concatenate([own.query for own in held])
    numbers = np.unique(query)
    piece = ArrayPiece(
        np.concatenate([own.X for own in held]), np.concatenate([own.y for own in held]), pa.array(query)
    )
    return piece, Request(pa.array(numbers), numbers, {})
