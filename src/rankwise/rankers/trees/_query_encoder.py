"""Queries of rows that come in batches: a small number per row, while their names are kept once per batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data._arrow_columns import query_ids


class QueryCodes:
    """Numbers of the queries of up to so many rows; equal for rows of one name, in whatever batches they come."""

    def __init__(self, rows: int) -> None:
        self.places = np.zeros(rows, dtype=np.int32)  # among the names of all batches, one after the other
        self.names: list[Any] = []
        self.count = 0

    def add(self, qid: Any, rows: slice) -> None:
        """The names of a batch, an Arrow array; None where there are none."""
        if qid is None:
            return
        coded = qid.dictionary_encode()
        self.places[rows] = coded.indices.to_numpy()
        self.places[rows] += self.count
        self.names.append(coded.dictionary)
        self.count += len(coded.dictionary)

    def found(self, rows: int) -> NDArray[np.int32]:
        """A number per row."""
        if not self.names:
            return self.places[:rows]
        numbers = np.unique(query_ids(self.names), return_inverse=True)[1].astype(np.int32)
        return np.asarray(numbers[self.places[:rows]])
